#if canImport(Combine) || OpenCombine
  import KeyValueCore

  /// A publisher of the values, or the changes, of one key path of an object.
  ///
  /// ```swift
  /// let subscription = person.kvo.age.publisher().sink { print($0) }     // 36
  /// person.age = 37                                                        // 37
  /// ```
  ///
  /// Every subscription is an observation of its own, which ends when the subscription is cancelled or
  /// let go of. A subscription finishes when the object dies, behind what was told before; it never
  /// fails. The object is not retained; subscribing when it is gone finishes at once.
  ///
  /// Elements arrive on the thread that makes the change, one at a time, as far as they are asked for.
  /// What is told while none is asked for, or while another element is being received, waits, as the
  /// buffering policy says: unless told otherwise the newest value, or all changes.
  ///
  /// Threads: a publisher belongs where its object does. Elements of one subscription that come from
  /// several threads are received one after the other, on one of them.
  ///
  /// Source of the behaviour: Foundation's `publisher(for:options:)`, which retains the object and never
  /// finishes.
  public struct KeyValuePublisher<Output>: Publisher {
    /// Observing does not fail.
    public typealias Failure = Never

    /// Begins to observe; nil when the object is gone.
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
