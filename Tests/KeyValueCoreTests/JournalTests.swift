import KeyValueObserving
import Testing

@testable import KeyValueCore

@Suite("Journals")
struct JournalTests {
  @KeyValueObservable
  final class Pair {
    var first = 0
    var names: [String] = []
    var next: Pair?
  }

  @Test("G1 journals of the same objects are released with their logs, in either order")
  func release() throws {
    for isFirstKept in [false, true] {
      let pair = Pair()
      pair.next = Pair()
      var logs: [LogCore?] = [LogCore(LogClasses([])), LogCore(LogClasses([]))]
      for log in logs { try log?.attach(to: pair) }
      weak let first = logs[0]?.collector
      weak let second = logs[1]?.collector
      weak let type = try logs[0]?.graph.loggedClass(pair.schema)
      pair.first = 1
      logs[isFirstKept ? 1 : 0] = nil
      #expect((first != nil) == isFirstKept && (second != nil) != isFirstKept)
      pair.first = 2
      logs = []
      #expect(first == nil && second == nil && type == nil)
    }
  }

  @Test("G1 a thread doesn't keep the journals whose settings lasted until a transaction's end")
  func lastingSettings() throws {
    let pair = Pair()
    for isEndedBefore in [false, true] {
      var log: LogCore? = LogCore(LogClasses([]))
      try log?.attach(to: pair)
      weak let collector = log?.collector
      pair.performChanges { pair in
        pair.names.append("Ada")
        if isEndedBefore { log = nil }
      }
      log = nil
      #expect(collector == nil)
    }
  }

  @Test("G1 Objects share one table, also with the journals that remain when one ends")
  func sharedTables() throws {
    let pair = Pair()
    let next = Pair()
    pair.next = next
    func journals(of object: Pair) -> JournalTable? {
      object._$kvoWithRegistrar { registrar in
        registrar.update(of: object) { _, state in state.journals }
      }
    }
    for index in 0..<3 {
      var logs: [LogCore?] = [0, 1, 2].map { _ in LogCore(LogClasses([])) }
      for log in logs { try log?.attach(to: pair) }
      let remaining = logs.indices.filter { $0 != index }.compactMap { logs[$0]?.collector }
      #expect(journals(of: pair)?.journals.count == 3)
      #expect(journals(of: pair) === journals(of: next))
      logs[index] = nil
      let table = try #require(journals(of: pair))
      #expect(table.journals.map(ObjectIdentifier.init) == remaining.map(ObjectIdentifier.init))
      #expect(table === journals(of: next))
    }
  }
}
