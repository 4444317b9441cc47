import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("performChanges: several changes notify once")
struct TransactionTests {
  private let log = ChangeLog()
  private let person = Person()

  private func watch(
    _ keyPath: String, of object: some KeyValueObservable,
    _ options: KeyValueObservingOptions = [.old, .new]
  ) throws -> KeyValueObservation {
    try object.observe(keyPath, options: options, changeHandler: log.handler(keyPath))
  }

  @Test("Each observance is notified once, in registration order, with the first and last values")
  func once() throws {
    let tokens = [
      try watch("lastName", of: person), try watch("fullName", of: person),
      person.observe(\.firstName, options: [.old, .new], changeHandler: log.handler("typed")),
      person.observe(\.frame.origin.x, options: [.old, .new], changeHandler: log.handler("x")),
      try watch("age", of: person, []),
    ]
    let result = person.performChanges {
      $0.firstName = "Grace"
      $0.frame.origin.x = 1
      $0.lastName = "Hopper"
      $0.firstName = "Grete"
      $0.frame.origin.x += 1
      $0.age += 1
      $0.age += 1
      #expect(log.take() == [])
      return $0.age
    }
    #expect(result == 38)
    #expect(
      log.take() == [
        "lastName: setting, old: \"Lovelace\", new: \"Hopper\"",
        "fullName: setting, old: \"Ada Lovelace\", new: \"Grete Hopper\"",
        "typed: setting, old: \"Ada\", new: \"Grete\"",
        "x: setting, old: 0.0, new: 2.0",
        "age: setting",
      ])
    person.performChanges { _ in }
    #expect(log.take() == [])
    person.age = 1
    #expect(log.take() == ["age: setting"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Observers receive only the values that they request: none, old or new")
  func options() throws {
    let tokens = [
      try watch("age", of: person, []), try watch("age", of: person, .old),
      try watch("age", of: person, .new),
    ]
    person.performChanges {
      $0.age = 1
      $0.age = 2
    }
    #expect(log.take() == ["age: setting", "age: setting, old: 36", "age: setting, new: 2"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Setting the original value again notifies once")
  func equalValues() throws {
    let token = try watch("age", of: person)
    person.performChanges {
      $0.age = 1
      $0.age = 36
    }
    #expect(log.take() == ["age: setting, old: 36, new: 36"])
    withExtendedLifetime(token) {}
  }

  @Test("Nested transactions belong to the outermost one, whatever their objects")
  func nested() throws {
    let account = Account(balance: 1)
    let tokens = [try watch("age", of: person), try watch("balance", of: account)]
    person.performChanges { person in
      person.age = 1
      account.performChanges {
        $0.balance = 2
        person.age = 2
      }
      #expect(log.take() == [])
      KeyValueTransaction.perform { account.balance = 3 }
      #expect(log.take() == [])
    }
    #expect(
      log.take() == ["age: setting, old: 36, new: 2", "balance: setting, old: 1.0, new: 3.0"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A thrown error is propagated, and the changes made before it are delivered")
  func errors() throws {
    struct Refusal: Error {}
    let token = try watch("age", of: person)
    #expect(throws: Refusal.self) {
      try person.performChanges {
        $0.age = 1
        $0.age = 2
        throw Refusal()
      }
    }
    #expect(log.take() == ["age: setting, old: 36, new: 2"])
    #expect(throws: Refusal.self) {
      try KeyValueTransaction.perform {
        try? person.performChanges {
          $0.age = 3
          throw Refusal()
        }
        #expect(log.take() == [])
        person.age = 4
        throw Refusal()
      }
    }
    #expect(log.take() == ["age: setting, old: 2, new: 4"])
    withExtendedLifetime(token) {}
  }

  @Test("Objects on a path are replaced at once; the path notifies once at the end")
  func paths() throws {
    let (first, second) = (Account(balance: 1), Account(balance: 2))
    person.account = first
    let tokens = [
      try watch("account.balance", of: person), try watch("wealth", of: person),
      try watch("account", of: person, []),
    ]
    person.performChanges {
      first.balance = 10
      $0.account = second
      first.balance = 20  // no longer on the path
      second.balance = 30
    }
    #expect(
      log.take() == [
        "account.balance: setting, old: 1.0, new: 30.0", "wealth: setting, old: 1.0, new: 30.0",
        "account: setting",
      ])
    person.performChanges { _ in first.balance = 40 }
    #expect(log.take() == [])
    person.performChanges { $0.account = nil }
    #expect(
      log.take() == [
        "account.balance: setting, old: 30.0, new: nil", "wealth: setting, old: 30.0, new: 0.0",
        "account: setting",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("Aggregates follow every change, and notify once")
  func aggregates() throws {
    let staff = (1...3).map { Employee("e\($0)", salary: $0) }
    let division = Division("d", staff)
    let tokens = [
      try watch("employees.@sum.salary", of: division), try watch("totalSalary", of: division),
      try watch("employees.@max.salary", of: division), try watch("employees.name", of: division),
    ]
    division.performChanges { division in
      staff[0].salary = 10
      division.mutableArrayValue(for: \.employees).append(Employee("e4", salary: 100))
      division.mutableArrayValue(for: \.employees).remove(at: 1)
      staff[1].salary = 50  // no longer in the collection
      division.employees.last?.salary = 200
    }
    #expect(
      log.take() == [
        "employees.@sum.salary: setting, old: 6, new: 213",
        "totalSalary: setting, old: 6, new: 213",
        "employees.@max.salary: setting, old: 3, new: 200",
        "employees.name: setting, old: [\"e1\", \"e2\", \"e3\"], new: [\"e1\", \"e3\", \"e4\"]",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("Priors are delivered once, before the first change, as settings; initial values at once")
  func priorsAndInitial() throws {
    let tokens = [
      try watch("age", of: person, [.prior, .old, .new]),
      try watch("books", of: person, [.prior, .old, .new]),
      try watch("fullName", of: person, [.prior, .old]),
    ]
    person.books = ["A"]
    log.note("-")
    person.performChanges {
      $0.age = 1
      $0.mutableArrayValue(for: \.books).append("B")
      $0.age = 2
      $0.firstName = "Grace"
      $0.mutableArrayValue(for: \.books).append("C")
      log.note("registering")
      let late = try? watch("age", of: $0, [.initial, .old, .new])
      $0.age = 3
      withExtendedLifetime(late) { log.note("end") }
    }
    #expect(
      Array(log.take().drop { $0 != "-" }) == [
        "-", "age: setting, old: 36, prior", "books: setting, old: [\"A\"], prior",
        "fullName: setting, old: \"Ada Lovelace\", prior", "registering",
        "age: setting, new: 2", "end", "age: setting, old: 36, new: 3",
        "books: insertion, indexes: 1–2, new: [\"B\", \"C\"]",
        "fullName: setting, old: \"Ada Lovelace\"",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "A callback's change at the end is a separate change, and captured values stay as they were")
  func changesAtTheEnd() throws {
    let first = person.observe(\.age, options: [.old, .new]) { [log] person, change in
      log.note("first", change)
      if person.age < 10 { person.age = 10 }
      person.performChanges {
        $0.firstName = "G"
        $0.firstName = "H"
      }
      log.note("first is done")
    }
    let tokens = [first, try watch("firstName", of: person), try watch("age", of: person)]
    person.performChanges {
      $0.age = 1
      $0.age = 2
    }
    #expect(
      log.take() == [
        "first: setting, old: 36, new: 2",
        "first: setting, old: 2, new: 10", "firstName: setting, old: \"Ada\", new: \"H\"",
        "first is done", "age: setting, old: 2, new: 10",
        "firstName: setting, old: \"H\", new: \"H\"",
        "first is done", "age: setting, old: 36, new: 2",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("Other threads' changes are delivered at once, also for the same object")
  func threads() {
    let gauge = Gauge()
    let levels = Lock<[Int]>([])
    let token = gauge.observe(\.level, options: .new) { _, change in
      levels.withLock { $0.append(change.newValue ?? -1) }
    }
    gauge.performChanges { gauge in
      gauge.level = 1
      gauge.level = 2
      onAnotherThread { gauge.level = 3 }
      #expect(levels.withLock { $0 } == [3])
      gauge.level = 4
    }
    #expect(levels.withLock { $0 } == [3, 4])
    withExtendedLifetime(token) {}
  }

  @Test("A complete manual pair notifies at the end; one that ends later notifies at its did")
  func manualPairs() throws {
    let ledger = Ledger()
    let tokens = [try watch("openingBalance", of: ledger), try watch("closingBalance", of: ledger)]
    ledger.performChanges {
      for value in [1.0, 2] {
        $0.willChangeValue(forKey: "openingBalance")
        $0.openingBalance = value
        $0.didChangeValue(forKey: "openingBalance")
      }
      #expect(log.take() == [])
    }
    #expect(
      log.take() == [
        "openingBalance: setting, old: 0.0, new: 2.0",
        "closingBalance: setting, old: 0.0, new: 3.0",
      ])
    ledger.performChanges {
      $0.willChangeValue(forKey: "openingBalance")
      $0.openingBalance = 4
    }
    #expect(log.take() == [])
    ledger.didChangeValue(forKey: "openingBalance")
    #expect(
      log.take() == [
        "openingBalance: setting, old: 2.0, new: 4.0",
        "closingBalance: setting, old: 3.0, new: 6.0",
      ])
    ledger.willChangeValue(forKey: "openingBalance")
    ledger.openingBalance = 6
    ledger.performChanges {
      $0.didChangeValue(forKey: "openingBalance")
      #expect(log.take().count == 2)
    }
    #expect(log.take() == [])
    withExtendedLifetime(tokens) {}
  }
}
