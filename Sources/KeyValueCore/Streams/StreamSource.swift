/// The one observation behind a sequence; it ends when the sequence and all its iterators are gone.
package final class StreamSource<Element>: Sendable {
  package let broadcast: Broadcast<Element>
  private let token: KeyValueObservation

  init(_ broadcast: Broadcast<Element>, _ token: KeyValueObservation) {
    self.broadcast = broadcast
    self.token = token
    // A registration that was refused tells nobody of its end.
    if !token.isValid { broadcast.end() }
  }

  deinit {
    // Not left to the token, whose end alone looks like a mistake.
    token.invalidate()
  }

  package var keyPath: String { token.keyPath }

  /// Ends the observation; what is waiting can still be taken.
  package func invalidate() {
    token.invalidate()
  }

  var description: String {
    "\(keyPath), \(token.isValid ? "observing" : "ended")"
  }
}

/// One iterator's place at a sequence's source, which it gives up when the last copy of it goes.
final class StreamListener<Element>: Sendable {
  private let source: StreamSource<Element>
  private let number: Int

  init(_ source: StreamSource<Element>) {
    self.source = source
    number = source.broadcast.addListener()
  }

  deinit {
    source.broadcast.removeListener(number)
  }

  var droppedCount: Int { source.broadcast.droppedCount(of: number) }

  func next(isolation: isolated (any Actor)?) async -> Element? {
    let broadcast = source.broadcast
    let number = number
    return await withTaskCancellationHandler {
      while true {
        switch broadcast.take(number) {
        case .element(let element): return element
        case .end: return nil
        case .nothingYet:
          await withCheckedContinuation(isolation: isolation) { broadcast.wait(number, $0) }
        }
      }
    } onCancel: {
      broadcast.cancel(number)
    }
  }
}

extension StreamSource {
  /// The source of a sequence that is at its end from the start.
  package static func refused(_ keyPath: String) -> StreamSource {
    StreamSource(
      Broadcast(.unbounded, hasInitial: false), KeyValueObservation(refused: keyPath))
  }
}

extension KeyValueObservable {
  /// Registers the typed sink of a sequence; what cannot work goes to the violation handler.
  func source<Element>(
    _ broadcast: Broadcast<Element>, _ path: ObservedPath, _ options: KeyValueObservingOptions,
    _ sink: @escaping Delivery.Sink
  ) -> StreamSource<Element> {
    guard options.canBeRelayed(path.string) else { return .refused(path.string) }
    let policy = ObservancePolicy(onEnd: broadcast.end)
    let token = _register(Observance(path, options: options, policy: policy, sink: sink))
    return StreamSource(broadcast, token)
  }
}
