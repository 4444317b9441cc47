import KeyValueObserving
import KeyValueTestSupport
import Observation
import Testing

@KeyValueObservable(tracking: true)
private class Document {
  var title = "Untitled"
  var lines: [String] = []
  weak var parent: Document?
  @NotifiesManually var revision = 0
  @KeyValueIgnored var cache = 0
  var heading: String { "\(title), \(lines.count)" }
}

@KeyValueObservable(tracking: true)
private final class Letter: Document {
  var address = ""
}

@KeyValueObservable
private final class Memo: Document {
  var sender = ""
}

@KeyValueObservable(tracking: true) @MainActor
private final class Model {
  var count = 0
}

@KeyValueObservable(tracking: true)
private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

@KeyValueObservable(tracking: true)
private final class Page {
  var number = 0 { didSet { turns += 1 } }
  var lines: [String] = []
  @NotifiesManually var revision = 0
  @KeyValueIgnored var turns = 0
}

/// Lists the changes of a page that Observation is told of; each is told once, so tracking is renewed.
// Checked by hand: only one thread uses it.
private final class PageTracking: @unchecked Sendable {
  /// Weak, because the page's registrar keeps what tracks the page.
  private weak var page: Page?
  private(set) var told: [String] = []

  init(_ page: Page) {
    self.page = page
    track("number") { _ = $0.number }
    track("lines") { _ = $0.lines }
    track("revision") { _ = $0.revision }
  }

  private func track(_ name: String, _ read: @escaping @Sendable (Page) -> Void) {
    guard let page else { return }
    withObservationTracking {
      read(page)
    } onChange: {
      self.told.append(name)
      self.track(name, read)
    }
  }
}

private struct Refusal: Error {}

@Suite("Classes with Observation tracking")
struct TrackingTests {
  private let log = ChangeLog()

  /// Whether a change is announced to Observation, which tracks what a closure reads.
  private func isAnnounced(_ read: () -> Void, _ change: () -> Void) -> Bool {
    let isAnnounced = Lock(false)
    withObservationTracking(read) { isAnnounced.withLock { $0 = true } }
    change()
    return isAnnounced.withLock { $0 }
  }

  @Test("Reads are tracked, and every way of changing is announced")
  func ways() throws {
    let document = Document()
    let read = { _ = document.lines }
    #expect(isAnnounced(read) { document.lines = ["A"] })
    #expect(isAnnounced(read) { document.lines.append("B") })
    #expect(isAnnounced(read) { document.mutableArrayValue(for: \.lines).append("C") })
    #expect(isAnnounced(read) { try? document.setValue(["D"], forKey: "lines") })
    #expect(isAnnounced({ _ = try? document.value(forKey: "lines") }) { document.lines = [] })
    #expect(!isAnnounced(read) { document.title = "T" })
    #expect(!isAnnounced({ _ = document.cache }) { document.cache = 1 })
    #expect(!isAnnounced({ _ = document.revision }) { document.revision = 1 })
    #expect(isAnnounced({ _ = document.heading }) { document.title = "U" })
    #expect(isAnnounced({ _ = document.parent }) { document.parent = document })
    document.parent = nil
  }

  /// A change that bypasses a page's accessors.
  enum Bypass: CaseIterable {
    case applied, appliedWithPropertyObservers, undone, redone, rolledBack

    fileprivate func prepare(_ page: Page) throws -> () throws -> Void {
      func edit() {
        page.number = 1
        page.mutableArrayValue(for: \.lines).append("A")
      }
      switch self {
      case .applied, .appliedWithPropertyObservers:
        let log = try KeyValueChangeLog(of: page)
        var records: [KeyValueTransactionRecord] = []
        let token = log.observe { records.append($0) }
        page.performChanges { _ in edit() }
        withExtendedLifetime(token) {}
        let inverse = try #require(records.first).inverse
        let runsPropertyObservers = self == .appliedWithPropertyObservers
        return { try log.apply(inverse, runsPropertyObservers: runsPropertyObservers) }
      case .undone, .redone:
        let recorder = KeyValueChangeRecorder()
        try recorder.record(graph: page)
        page.performChanges { _ in edit() }
        if self == .undone { return { try recorder.undo() } }
        try recorder.undo()
        return { try recorder.redo() }
      case .rolledBack:
        return {
          try? page.performChanges(rollingBack: true) { page in
            edit()
            page.revision = 1
            throw Refusal()
          }
        }
      }
    }

    /// What Observation is told: of a rolled-back change, the change itself, too.
    fileprivate var told: [String] {
      self == .rolledBack ? ["lines", "lines", "number", "number"] : ["lines", "number"]
    }

    /// The page's values and how often its property observer has run.
    fileprivate var result: [Int] {
      switch self {
      case .applied, .undone, .rolledBack: [0, 0, 0, 1]
      case .appliedWithPropertyObservers: [0, 0, 0, 2]
      case .redone: [1, 1, 0, 1]
      }
    }
  }

  @Test("What Observation's handler sets in answer to a rollback stays, and is told")
  func setInAnswerToRollback() {
    let page = Page()
    nonisolated(unsafe) let other = Page()
    var told: [Int?] = []
    let token = other.kvo.number.observe(options: .new) { _, change in told.append(change.newValue)
    }
    try? page.performChanges(rollingBack: true) { page in
      page.number = 1
      withObservationTracking {
        _ = page.number
      } onChange: {
        other.number += 1
      }
      throw Refusal()
    }
    #expect(page.number == 0 && other.number == 1 && told == [1])
    token.invalidate()
  }

  @Test("Each store that bypasses the accessors is announced once", arguments: Bypass.allCases)
  func bypasses(_ bypass: Bypass) throws {
    let page = Page()
    let change = try bypass.prepare(page)
    let tracking = PageTracking(page)
    try change()
    #expect(tracking.told.sorted() == bypass.told)
    #expect([page.number, page.lines.count, page.revision, page.turns] == bypass.result)
  }

  @Test("Key-value observers are notified as usual, with exact kinds and indexes")
  func both() {
    let document = Document()
    let token = document.observe(
      \.lines, options: [.old, .new], changeHandler: log.handler("lines"))
    let heading = document.observe(\.heading, options: .new, changeHandler: log.handler("heading"))
    #expect(
      isAnnounced({ _ = document.lines }) {
        document.mutableArrayValue(for: \.lines).append("A")
        document.lines[0] = "B"
      })
    #expect(
      log.take() == [
        "lines: insertion, indexes: 0, new: [\"A\"]", "heading: setting, new: \"Untitled, 1\"",
        "lines: setting, old: [\"A\"], new: [\"B\"]", "heading: setting, new: \"Untitled, 1\"",
      ])
    withExtendedLifetime((token, heading)) {}
  }

  @Test("Observation's onChange may read the old value, also while a proxy changes it")
  func readingBeforeTheChange() {
    let document = Document()
    nonisolated(unsafe) let unsafeDocument = document
    let seen = Lock<[Int]>([])
    for change in 0..<3 {
      withObservationTracking {
        _ = document.lines
      } onChange: {
        seen.withLock { $0.append(unsafeDocument.lines.count) }
      }
      switch change {
      case 0: document.lines = ["A"]
      case 1: document.lines.append("B")
      default: document.mutableArrayValue(for: \.lines).append("C")
      }
    }
    #expect(seen.withLock { $0 } == [0, 1, 2])
  }

  @Test(
    "Subclasses share the registrar; without tracking, only inherited properties are tracked"
  )
  func subclasses() {
    let letter = Letter()
    #expect(isAnnounced({ _ = letter.address }) { letter.address = "A" })
    #expect(isAnnounced({ _ = letter.title }) { letter.title = "T" })
    let memo = Memo()
    #expect(!isAnnounced({ _ = memo.sender }) { memo.sender = "S" })
    #expect(isAnnounced({ _ = memo.title }) { memo.title = "T" })
    let box = Box([1])
    #expect(isAnnounced({ _ = box.value }) { box.value.append(2) })
  }

  @Test("A transaction doesn't delay Observation")
  func transactions() {
    let document = Document()
    let token = document.observe(\.title, changeHandler: log.handler("title"))
    document.performChanges { document in
      #expect(isAnnounced({ _ = document.title }) { document.title = "A" })
      #expect(isAnnounced({ _ = document.title }) { document.title = "B" })
      #expect(log.take() == [])
    }
    #expect(log.take() == ["title: setting"])
    withExtendedLifetime(token) {}
  }

  @Test("Observations yields the values of a main-actor class")
  @MainActor func observations() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let model = Model()
    var values = Observations { model.count }.makeAsyncIterator()
    #expect(await values.next() == 0)
    model.count = 1
    #expect(await values.next() == 1)
    model.count += 1
    #expect(await values.next() == 2)
  }

  @Test("A class without tracking doesn't conform to Observable")
  func conformance() {
    #expect(Person() as Any is any Observable == false)
    #expect(Document() as Any is any Observable)
  }
}
