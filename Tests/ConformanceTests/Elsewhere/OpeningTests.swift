import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A value that runs an action in `deinit`.
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

/// A class whose dependent key calls a closure when it is read.
@KeyValueObservable
private final class Urn {
  var content: Mourned?
  @KeyValueIgnored var onRead: (() -> Void)?

  @DependsOn("content")
  var visible: Mourned? {
    onRead?()
    return content
  }

  /// Changes the value during its first read.
  ///
  /// The library discards that change when it reads the value again, and the discarded value's `deinit`
  /// then changes the object.
  func changeWhileRead() {
    nonisolated(unsafe) weak let urn = self
    onRead = { [unowned self] in
      onRead = nil
      content = Mourned("first") { urn?.content = Mourned("last") }
      content = nil
    }
  }
}

@Suite("The initial element, if the value changes while it is read")
struct OpeningTests {
  private let urn = Urn()

  @Test("A sequence of changes begins with the value that a discarded value's deinit sets")
  func changes() async {
    urn.changeWhileRead()
    let changes = urn.kvo.visible.changes(options: [.initial, .new])
    urn.content = Mourned("later")
    var iterator = changes.makeAsyncIterator()
    #expect("\(await iterator.next()!)" == "setting, new: last")
    #expect("\(await iterator.next()!)" == "setting, new: later")
  }

  @Test("A sequence of values begins with the value that a discarded value's deinit sets")
  func values() async {
    urn.changeWhileRead()
    var values = urn.kvo.visible.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    urn.content = Mourned("later")
    #expect(await values.next()??.description == "last")
    #expect(await values.next()??.description == "later")
  }

  @Test("A sequence of a string path begins with the value that a discarded value's deinit sets")
  func untyped() async throws {
    urn.changeWhileRead()
    var untyped = try urn.kvo("visible").changes(options: [.initial, .new]).makeAsyncIterator()
    urn.content = Mourned("later")
    #expect("\(await untyped.next()!)" == "setting, new: last")
    #expect("\(await untyped.next()!)" == "setting, new: later")
  }

  @Test("Delivery elsewhere begins with the value that a discarded value's deinit sets")
  func elsewhere() {
    let lines = AtomicList()
    let queue = DispatchQueue(label: "delivery")
    urn.changeWhileRead()
    let token = urn.kvo.visible.observe(options: [.initial, .new], on: .queue(queue)) { change in
      lines.append("\(change)")
    }
    urn.content = Mourned("later")
    // A change added while the queue delivers is delivered after the work already on the queue.
    queue.sync {}
    queue.sync {}
    #expect(lines.take() == ["setting, new: last", "setting, new: later"])
    token.invalidate()
  }
}
