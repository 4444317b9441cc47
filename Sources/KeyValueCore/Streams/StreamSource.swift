/// How a sequence keeps the newest value, with which a further iterator begins.
package enum StreamKeeping {
  /// Not at all: there's one iterator.
  case nothing
  case strongly
  /// As the weak key does whose object it is.
  case weakly
}

/// The observation behind a sequence; it ends when the sequence and all its iterators are gone.
package final class StreamSource<Element>: Sendable {
  package let broadcast: Broadcast<Element>
  private let token: KeyValueObservation

  init(_ broadcast: Broadcast<Element>, _ token: KeyValueObservation) {
    self.broadcast = broadcast
    self.token = token
    // A refused registration doesn't call `onEnd`.
    if !token.isValid { broadcast.end() }
  }

  deinit {
    // Explicit: the audit reports a token that merely dies.
    token.invalidate()
  }

  package var keyPath: String { token.keyPath }

  /// Ends the observation; pending elements can still be taken.
  package func invalidate() {
    token.invalidate()
  }

  var description: String {
    "\(keyPath), \(token.isValid ? "observing" : "ended")"
  }
}

extension StreamSource {
  /// The source of a sequence that's empty from the start.
  package static func refused(_ keyPath: String) -> StreamSource {
    StreamSource(
      Broadcast(.unbounded, hasInitial: false), KeyValueObservation(refused: keyPath))
  }
}

extension KeyValueObservable {
  /// Registers a sequence's typed sink; errors go to the violation handler.
  ///
  /// `readsWholeValue` is whether the sink reads the value itself.
  func source<Element>(
    _ broadcast: Broadcast<Element>, _ path: ObservedPath, _ options: KeyValueObservingOptions,
    _ origin: SourcePlace, readsWholeValue: Bool = false, _ sink: @escaping Delivery.Sink
  ) -> StreamSource<Element> {
    guard options.allowLaterDelivery(path.string) else { return .refused(path.string) }
    let policy = ObservancePolicy(onEnd: broadcast.end)
    policy.readsWholeValue = readsWholeValue
    let token = _register(
      Observance(path, options: options, policy: policy, at: origin, sink: sink))
    return StreamSource(broadcast, token)
  }
}
