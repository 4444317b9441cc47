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
}
