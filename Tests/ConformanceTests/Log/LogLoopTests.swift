import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N9. Observers of a log that change its graph")
struct LogLoopTests {
  @Test("N9 G2 an observer that answers its own changes without end is reported")
  func own() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let counter = Counter()
      let log = try KeyValueChangeLog(of: counter)
      let records = RecordLog(log)
      records.name(log.id(of: counter), "counter")
      let token = log.observe { _ in counter.revision += 1 }
      counter.value = 1
      #expect(
        violations.take() == [
          "runawayRecursion: Observing the log of Counter leads back to itself more than 64 times: its observers "
            + "answer each record with another change, last of Counter.revision, whose record is left out. Answer "
            + "only the keys that the observer doesn't set itself, or break the loop."
        ])
      #expect(counter.revision == 64)
      let told = records.take()
      #expect(
        told == ["change: set counter.value: 0 -> 1"]
          + (0..<63).map { "change: set counter.revision: \($0) -> \($0 + 1)" })
      token.invalidate()
      counter.value = 2
      #expect(records.take() == ["change: set counter.value: 1 -> 2"])
    }
  }

  @Test("N9 G2 so are two keys that answer each other, in a transaction, too")
  func two() async {
    await #expect(processExitsWith: .success) {
      let violations = ViolationLog.install()
      let counter = Counter()
      let log = try KeyValueChangeLog(of: counter)
      var count = 0
      let token = log.observe { record in
        count += 1
        let isValue = record.edits.contains { $0.key == "value" }
        if isValue { counter.revision += 1 } else { counter.value += 1 }
      }
      counter.performChanges {
        $0.revision = 5
        $0.value = 1
      }
      #expect(count == 64 && violations.take().count == 1)
      withExtendedLifetime(token) {}
    }
  }

  @Test("G2 an answer that ends, to many changes, is delivered whole")
  func ending() throws {
    let counter = Counter()
    let log = try KeyValueChangeLog(of: counter)
    var (values, count) = ([Int](), 0)
    let token = log.observe { record in
      count += 1
      for case .set(_, "value", _, .integer(let new)) in record.edits {
        values.append(Int(new))
        if new < 50 { counter.value = Int(new) + 1 }
        for _ in 0..<10 { counter.revision += 1 }
      }
    }
    counter.value = 1
    #expect(values == Array(1...50) && counter.revision == 500 && count == 550)
    withExtendedLifetime((log, token)) {}
  }

  @Test("G2 the records of many changes are told in their order, and those that answer them behind")
  func many() throws {
    let last = 5_000
    let counter = Counter()
    let log = try KeyValueChangeLog(of: counter)
    var told: [String] = []
    let token = log.observe { record in
      for case .set(_, let key, _, .integer(let new)) in record.edits {
        told.append("\(key) \(new)")
        guard key == "value" else { continue }
        if new > 1 { counter.revision = new }
        if new == 1 { for value in 2...last { counter.value = value } }
      }
    }
    counter.value = 1
    #expect(
      told == ["value 1"] + (2...last).map { "value \($0)" } + (2...last).map { "revision \($0)" })
    withExtendedLifetime((log, token)) {}
  }
}

@KeyValueObservable
private final class Counter {
  var value = 0
  var revision = 0
  init() {}
}
