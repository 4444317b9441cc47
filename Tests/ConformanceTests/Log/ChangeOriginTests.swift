import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. The origin of a change")
struct ChangeOriginTests {
  private let firm = Firm()

  /// The changes that a log's graph is told of while records of another writer are applied.
  private func told(
    _ observe: (Firm, @escaping (String) -> Void) -> KeyValueObservation,
    _ body: (Firm) -> Void
  ) throws -> [String] {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    var told: [String] = []
    let token = observe(copy.root) { told.append($0) }
    let sending = source.observe { record in
      do { try copy.apply(record, from: "studio") } catch { told.append("\(error)") }
    }
    body(firm)
    copy.root.name = "own"
    withExtendedLifetime((token, sending)) {}
    return told
  }

  @Test("G3 an observer is told who made a change: before it, after it, and at a transaction's end")
  func observers() throws {
    let told = try told(
      { copy, note in
        copy.kvo.name.observe(options: [.new, .prior]) { _, change in
          note("\(change.isPrior ? "prior" : "post") \(change.newValue ?? "") \(change.origin)")
        }
      },
      { firm in
        firm.name = "A"
        firm.performChanges { $0.name = "B" }
      })
    #expect(
      told == [
        "prior  remote(\"studio\")", "post A remote(\"studio\")", "prior  remote(\"studio\")",
        "post B remote(\"studio\")", "prior  local", "post own local",
      ])
  }

  @Test("G3 elements, totals and inferred keys carry the origin of what they follow")
  func derived() throws {
    let told = try told(
      { copy, note in
        copy.kvo.workers[sum: \.salary].observe(options: [.new]) { _, change in
          note("\(change.newValue ?? -1) \(change.origin)")
        }
      },
      { firm in
        firm.workers = [Worker("Ada")]
        firm.workers[0].salary = 3
      })
    #expect(told == ["0 remote(\"studio\")", "3 remote(\"studio\")"])
  }

  @Test("S4 a recorder doesn't record what another writer changed, in a graph or by path")
  func recorders() throws {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    let (graph, path) = (KeyValueChangeRecorder(), KeyValueChangeRecorder())
    try graph.record(graph: copy.root)
    try path.record(copy.root.kvo.name)
    let sending = source.observe { record in
      do { try copy.apply(record, from: "studio") } catch { Issue.record(error) }
    }
    firm.name = "A"
    #expect(!graph.canUndo && !path.canUndo)
    copy.root.name = "own"
    #expect(graph.canUndo && path.canUndo)
    try graph.undo()
    #expect(copy.root.name == "A")
    withExtendedLifetime(sending) {}
  }

  @Test("T1 a trace names the writer of a change that comes from elsewhere")
  func traced() throws {
    let source = try KeyValueChangeLog(of: firm)
    let copy = try KeyValueChangeLog(restoring: source.snapshot(), as: Firm.self)
    firm.name = "A"
    let record = KeyValueTransactionRecord([
      .set(try #require(copy.id(of: copy.root)), key: "name", old: "Engines", new: "A")
    ])
    let token = copy.root.kvo.name.observe { _, _ in }
    let trace = try KeyValueTrace.recording { try copy.apply(record, from: "studio") }
    let changes = trace.events.filter { $0.kind == .changeBegan }
    #expect(changes.map(\.origin) == [.remote("studio")])
    #expect(
      changes.map { "\($0)".hasPrefix("Firm.name is set") && "\($0)".contains(" from \"studio\"") }
        == [true])
    withExtendedLifetime(token) {}
  }
}
