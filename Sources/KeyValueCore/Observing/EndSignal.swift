import Synchronization

/// Whether a handler has returned true.
@usableFromInline
final class EndSignal: Sendable {
  private let flag = Atomic<Bool>(false)

  @usableFromInline
  init() {}

  @usableFromInline
  var isReached: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }

  /// A handler that calls the given one until that has returned true.
  @inlinable
  func asked<Root, Value>(
    after handler: @escaping (Root, KeyValueObservedChange<Value>) -> Bool
  ) -> (Root, KeyValueObservedChange<Value>) -> Void {
    { [self] root, change in
      guard !isReached else { return }
      if handler(root, change) { isReached = true }
    }
  }

  /// A sink that ends its observance once its handler has returned true.
  @usableFromInline
  func ending(_ sink: @escaping Delivery.Sink) -> Delivery.Sink {
    { [self] root, observance, delivery in
      sink(root, observance, delivery)
      guard isReached else { return }
      observance.end()
    }
  }
}
