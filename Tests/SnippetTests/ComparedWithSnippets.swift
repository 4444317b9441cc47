import KeyValueObserving
import Observation
import Testing

@Suite("ComparedWith.md", .printing)
struct ComparedWithSnippets {
  // snippet ComparedWith 1
  @KeyValueObservable
  final class Entry {
    var amount = 0
  }

  @KeyValueObservable
  final class Budget {
    var limit = 1_000
    var entries: [Entry] = []

    var left: Int { entries.reduce(limit) { $0 - $1.amount } }
  }
  // end

  // snippet ComparedWith 2
  @KeyValueObservable(tracking: true)
  final class Thermostat {
    var target = 20
  }
  // end

  @Test("What the library answers")
  func answers() throws {
    // snippet ComparedWith 1
    let budget = Budget()
    let left = budget.kvo.left.observe(options: [.old, .new]) { _, change in
      print("left:", change)
    }
    let list = budget.kvo.entries.observe(options: .elementChanges) { _, change in
      print("entries:", change)
    }
    let rent = Entry()
    rent.amount = 300
    budget.entries.append(rent)
    // left: setting, old: 1000, new: 700
    // entries: insertion, indexes: 0

    let log = try KeyValueChangeLog(of: budget)
    var records: [KeyValueTransactionRecord] = []
    let keeping = log.observe { record in records.append(record) }
    budget.performChanges {
      $0.limit = 2_000
      $0.entries[0].amount = 400
    }
    // left: setting, old: 700, new: 1600
    try log.apply(records[0].inverse)
    // left: setting, old: 1600, new: 700
    // end
    try expectPrinted("ComparedWith", 1)
    withExtendedLifetime((left, list, keeping)) {}
  }

  @Test("Both kinds of observers")
  func both() throws {
    // snippet ComparedWith 2
    let thermostat = Thermostat()
    let targets = thermostat.kvo.target.observe(options: [.old, .new]) { _, change in
      print("observer:", change)
    }
    withObservationTracking {
      _ = thermostat.target
    } onChange: {
      print("tracking: it changes")
    }
    thermostat.target = 21
    // tracking: it changes
    // observer: setting, old: 20, new: 21
    // end
    try expectPrinted("ComparedWith", 2)
    withExtendedLifetime(targets) {}
  }
}
