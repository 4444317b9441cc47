import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A value that runs an action when it dies.
private final class Mourned: Sendable, CustomStringConvertible {
  let description: String
  private let action: @Sendable () -> Void

  init(_ name: String, _ action: @escaping @Sendable () -> Void = {}) {
    description = name
    self.action = action
  }

  deinit {
    action()
  }
}

/// A class that does what a test wants while a key of it is read.
@KeyValueObservable
private final class Urn {
  var content: Mourned?
  @KeyValueIgnored var onRead: (() -> Void)?

  @DependsOn("content")
  var visible: Mourned? {
    onRead?()
    return content
  }

  /// Brings a change while the value is read for the first time, which is let go of when the value is
  /// read again, and changes the object when that happens.
  func changeWhileRead() {
    nonisolated(unsafe) weak let urn = self
    onRead = { [unowned self] in
      onRead = nil
      content = Mourned("first") { urn?.content = Mourned("last") }
      content = nil
    }
  }
}

@Suite("The initial element, and changes while its value is read")
struct OpeningTests {
  private let urn = Urn()

  @Test("A sequence lets go of what it does not tell where that may change the observed object")
  func changes() async {
    urn.changeWhileRead()
    let changes = urn.kvo.visible.changes(options: [.initial, .new])
    urn.content = Mourned("later")
    var iterator = changes.makeAsyncIterator()
    #expect("\(await iterator.next()!)" == "setting, new: last")
    #expect("\(await iterator.next()!)" == "setting, new: later")
  }

  @Test("So does one of values")
  func values() async {
    urn.changeWhileRead()
    var values = urn.kvo.visible.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    urn.content = Mourned("later")
    #expect(await values.next()??.description == "last")
    #expect(await values.next()??.description == "later")
  }

  @Test("So does one of a path that is a string")
  func untyped() async throws {
    urn.changeWhileRead()
    var untyped = try urn.kvo("visible").changes(options: [.initial, .new]).makeAsyncIterator()
    urn.content = Mourned("later")
    #expect("\(await untyped.next()!)" == "setting, new: last")
    #expect("\(await untyped.next()!)" == "setting, new: later")
  }

  @Test("So does delivery elsewhere")
  func elsewhere() {
    let lines = AtomicList()
    let queue = DispatchQueue(label: "delivery")
    urn.changeWhileRead()
    let token = urn.kvo.visible.observe(options: [.initial, .new], on: .queue(queue)) { change in
      lines.append("\(change)")
    }
    urn.content = Mourned("later")
    // A change that is added while the queue delivers is delivered after what the queue has by then.
    queue.sync {}
    queue.sync {}
    #expect(lines.take() == ["setting, new: last", "setting, new: later"])
    token.invalidate()
  }
}
