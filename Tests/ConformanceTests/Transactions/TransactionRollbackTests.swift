import KeyValueObserving
import KeyValueTestSupport
import Testing

private struct Refusal: Error {}

@KeyValueObservable
private final class Watched {
  var first = 1 { didSet { trace.append("first \(first)") } }
  var second = 2 { didSet { trace.append("second \(second)") } }
  var third = 3 { didSet { trace.append("third \(third)") } }
  @KeyValueIgnored var trace: [String] = []
}

@Suite("performChanges(rollingBack:): an error rolls everything back")
struct TransactionRollbackTests {
  private let log = ChangeLog()
  private let person = Person()

  private func fail(_ object: Person, _ body: (Person) -> Void) {
    #expect(throws: Refusal.self) {
      try object.performChanges(rollingBack: true) {
        body($0)
        throw Refusal()
      }
    }
  }

  @Test("Every key that was set is restored, observed or not, without notifications")
  func restores() throws {
    let keys = ["age", "fullName", "books", "tags", "account.balance", "frame"]
    let tokens = try keys.map {
      try person.observe($0, options: [.old, .new], changeHandler: log.handler($0))
    }
    let account = Account(balance: 1)
    person.account = account
    _ = log.take()
    for isObserved in [true, false] {
      let person = isObserved ? person : Person()
      person.account = account
      person.books = ["A", "B"]
      _ = log.take()
      fail(person) {
        $0.age = 1
        $0.firstName = "Grace"
        $0.nickname = "G"
        $0.books.append("C")
        $0.mutableArrayValue(for: \.books).remove(at: 0)
        $0.mutableSetValue(for: \.tags).insert("t")
        $0.account = Account(balance: 5)
        $0.account?.balance = 6
        $0.frame.origin.x = 7
        $0.age = 2
      }
      #expect(log.take() == [])
      #expect(person.age == 36 && person.fullName == "Ada Lovelace" && person.nickname == nil)
      #expect(person.books == ["A", "B"] && person.tags == [] && person.frame == Frame())
      #expect(person.account === account && account.balance == 1)
    }
    account.balance = 3  // the path leads to the old account again
    #expect(log.take() == ["account.balance: setting, old: 1.0, new: 3.0"])
    withExtendedLifetime(tokens) {}
  }

  @Test("The keys are restored in reverse order, each once")
  func order() {
    let object = Watched()
    #expect(throws: Refusal.self) {
      try object.performChanges(rollingBack: true) {
        $0.second = 20
        $0.first = 10
        $0.third = 30
        $0.second = 21
        $0.trace = []
        throw Refusal()
      }
    }
    #expect(object.trace == ["third 3", "first 1", "second 2"])
  }

  @Test("Without an error it is an ordinary transaction, and leaves nothing behind")
  func success() {
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    person.performChanges(rollingBack: true) {
      $0.age = 1
      $0.age = 2
      #expect($0.observationInfo.map(\.keyPath) == ["age"])
    }
    #expect(log.take() == ["age: setting, old: 36, new: 2"])
    token.invalidate()
    #expect(person.observationInfo.isEmpty)
    #expect(person._$kvoWithRegistrar { $0.isIdle })
  }

  @Test("Inside another transaction, only the inner changes are rolled back")
  func nested() {
    let tokens = [
      person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age")),
      person.observe(\.lastName, options: [.old, .new], changeHandler: log.handler("name")),
    ]
    let books = person.observe(
      \.books, options: [.old, .new], changeHandler: log.handler("books"))
    person.performChanges { person in
      person.age = 1
      person.mutableArrayValue(for: \.books).append("A")
      fail(person) {
        $0.age = 2
        $0.lastName = "X"
        $0.mutableArrayValue(for: \.books).append("B")
      }
      #expect(person.age == 1 && person.lastName == "Lovelace" && person.books == ["A"])
      person.mutableArrayValue(for: \.books).append("C")
    }
    #expect(
      log.take() == [
        "age: setting, old: 36, new: 1", "books: insertion, indexes: 0–1, new: [\"A\", \"C\"]",
      ])
    fail(person) { person in
      person.age = 5
      person.performChanges { $0.lastName = "Y" }
    }
    #expect(person.age == 1 && person.lastName == "Lovelace")
    #expect(log.take() == [])
    withExtendedLifetime((tokens, books)) {}
  }

  @Test("Several objects are restored if they are named or observed")
  func severalObjects() {
    let accounts = (1...3).map { Account(balance: Double($0)) }
    let token = accounts[2].observe(\.balance, changeHandler: log.handler("balance"))
    #expect(throws: Refusal.self) {
      try KeyValueTransaction.perform(rollingBack: [accounts[0], accounts[1]]) {
        for account in accounts { account.balance += 10 }
        throw Refusal()
      }
    }
    #expect(accounts.map(\.balance) == [1, 2, 3])
    #expect(log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test("A key that is announced by hand is restored, and paths through it follow")
  func manualKeys() throws {
    let (ledger, old) = (Ledger(), Ledger())
    ledger.successor = old
    let token = try ledger.observe(
      "successor.rate", options: [.old, .new], changeHandler: log.handler("rate"))
    #expect(throws: Refusal.self) {
      try ledger.performChanges(rollingBack: true) { ledger in
        ledger.withChange(of: "successor") { ledger.successor = Ledger() }
        throw Refusal()
      }
    }
    #expect(ledger.successor === old)
    #expect(log.take() == [])
    old.rate = 1
    #expect(log.take() == ["rate: setting, old: 0.5, new: 1.0"])
    withExtendedLifetime(token) {}
  }

  @Test("A pair that begins in a rolled-back part and ends outside notifies at its did")
  func pairAcross() {
    let token = person.observe(\.age, options: [.old, .new], changeHandler: log.handler("age"))
    person.performChanges {
      fail($0) { $0.willChangeValue(forKey: "age") }
      log.note("taken back")
      $0.didChangeValue(forKey: "age")
      log.note("ended")
    }
    #expect(log.take() == ["taken back", "age: setting, old: 36, new: 36", "ended"])
    token.invalidate()
  }

  @Test("An observer with priors receives a prior, but no post")
  func priors() {
    let token = person.observe(
      \.age, options: [.prior, .old, .new], changeHandler: log.handler("age"))
    fail(person) { $0.age = 1 }
    #expect(log.take() == ["age: setting, old: 36, prior"])
    person.age = 2
    #expect(log.take() == ["age: setting, old: 36, prior", "age: setting, old: 36, new: 2"])
    withExtendedLifetime(token) {}
  }

  @Test("An observer registered inside receives nothing of the rollback, not even a prior")
  func registeredInside() {
    var tokens: [KeyValueObservation] = []
    fail(person) {
      $0.age = 1
      $0.firstName = "Grace"
      tokens = [
        $0.observe(\.age, options: [.prior, .old, .new], changeHandler: log.handler("age")),
        $0.observe(\.fullName, options: [.prior, .old, .new], changeHandler: log.handler("name")),
      ]
    }
    #expect(log.take() == [])
    person.age = 2
    #expect(log.take() == ["age: setting, old: 36, prior", "age: setting, old: 36, new: 2"])
    for token in tokens { token.invalidate() }
  }
}
