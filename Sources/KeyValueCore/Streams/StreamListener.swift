/// One iterator's place at a sequence's source; its last copy gives the place up.
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
