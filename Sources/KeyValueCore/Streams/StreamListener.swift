/// One iterator's registration with a sequence's source, which the iterator's last copy removes.
final class StreamListener<Element>: Sendable {
  private let broadcast: Broadcast<Element>
  private let source: any AnyObject & Sendable
  private let number: Int

  /// `source` supplies the broadcast's elements; the listener retains it.
  init(_ broadcast: Broadcast<Element>, keeping source: any AnyObject & Sendable) {
    self.broadcast = broadcast
    self.source = source
    number = broadcast.addListener()
  }

  convenience init(_ source: StreamSource<Element>) {
    self.init(source.broadcast, keeping: source)
  }

  deinit {
    broadcast.removeListener(number)
  }

  var droppedCount: Int { broadcast.droppedCount(of: number) }

  func next(isolation: isolated (any Actor)?) async -> Element? {
    let broadcast = broadcast
    let number = number
    return await withTaskCancellationHandler {
      while true {
        if let element = broadcast.take(number) { return element }
        if broadcast.isAtEnd(number) { return nil }
        await withCheckedContinuation(isolation: isolation) { broadcast.wait(number, $0) }
      }
    } onCancel: {
      broadcast.cancel(number)
    }
  }
}
