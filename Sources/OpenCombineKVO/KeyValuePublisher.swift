#if canImport(Combine) || OpenCombine
  import KeyValueCore

  /// A publisher of the values, or the changes, of one key path of an object.
  ///
  /// ```swift
  /// let subscription = person.kvo.age.publisher().sink { print($0) }     // 36
  /// person.age = 37                                                        // 37
  /// ```
  ///
  /// Every subscription is a separate observation, which ends when the subscription is cancelled or
  /// released. When the object dies, a subscription finishes after the pending elements; it never
  /// fails. The publisher doesn't retain the object; subscribing after its death finishes at once.
  ///
  /// Elements arrive on the thread that makes the change, one at a time, up to the demand. Without
  /// demand, and while the subscriber receives another element, they wait as the buffering policy
  /// says: by default the newest value, or all changes.
  ///
  /// Threads: use a publisher where its object lives. If several threads make changes, one of them
  /// passes a subscription's elements on, one after the other.
  ///
  /// Source of the behaviour: Foundation's `publisher(for:options:)`, which retains the object and
  /// never finishes.
  public struct KeyValuePublisher<Output>: Publisher {
    /// Observing doesn't fail.
    public typealias Failure = Never

    /// Begins to observe; nil if the object is gone.
    private let observe: (@escaping @Sendable () -> Void) -> StreamSource<Output>?

    init(observe: @escaping (@escaping @Sendable () -> Void) -> StreamSource<Output>?) {
      self.observe = observe
    }

    /// Begins an observation for a subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
      let conduit = Conduit(subscriber)
      conduit.start(observe)
    }
  }

  extension KeyValuePublisher: CustomStringConvertible {
    /// `KeyValuePublisher<Int>`.
    public var description: String { "KeyValuePublisher<\(Output.self)>" }
  }
#endif
