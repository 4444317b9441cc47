import Foundation
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

@KeyValueObservable
private class Friend {
  var age: Int
  var notes = ["a"]
  var tags: Set<String> = []
  weak var best: Friend?
  @KeyValueIgnored var onDeath: (() -> Void)?

  init(age: Int) { self.age = age }

  deinit { onDeath?() }
}

@KeyValueObservable
private final class Circle {
  var friends: [Friend]
  var leader: Friend?

  init(_ friends: [Friend]) { self.friends = friends }
}

@KeyValueObservable
private class Item {
  var price = 1.0
  final var stored: Double { basePrice() }
  func basePrice() -> Double { price }
}

@KeyValueObservable
private final class TaxedItem: Item {
  override var price: Double {
    get { super.price * 2 }
    set { super.price = newValue }
  }
  override func basePrice() -> Double { super.price }
}

@KeyValueObservable
private final class SharedCounter: @unchecked Sendable {
  var count = 0
}

@KeyValueObservable
private final class RoundGauge {
  var level = 0
  var double: Int { level * 2 }

  static func automaticallyNotifiesObserversOfDouble() -> Bool { false }
}

@propertyWrapper
private struct Boxed {
  var wrappedValue: Int
}

@KeyValueObservable
private final class Sleeve {
  var title = "A"
  @NotifiesManually lazy var cover = "A"
  @NotifiesManually @Boxed var volume = 1
}

@KeyValueObservable
private final class Remote {
  var level = 0
  @KeyValueIgnored private var hidden = 0
  @DependsOn() var state: Int { hidden }

  func change() {
    level = 4
    withChange(of: "state") { hidden = 1 }
  }
}

/// Several keys over the same stored values.
@KeyValueObservable
private final class Thermometer {
  var celsius = 0.0
  var readings = [0.0]
  var fahrenheit: Double {
    get { celsius * 9 / 5 + 32 }
    set { celsius = (newValue - 32) * 5 / 9 }
  }

  func countOfSamples() -> Int { readings.count }
  func objectInSamples(at index: Int) -> Double { readings[index] }
  func insertObject(_ sample: Double, inSamplesAt index: Int) {
    readings.insert(sample, at: index)
  }
  func removeObject(fromSamplesAt index: Int) { readings.remove(at: index) }
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

  @Test("X2 property observers don't run for what is taken back, and run again afterwards")
  func propertyObservers() {
    let object = Watched()
    #expect(throws: Refusal.self) {
      try object.performChanges(rollingBack: true) {
        $0.second = 20
        $0.first = 10
        $0.second += 1
        throw Refusal()
      }
    }
    #expect(object.trace == ["second 20", "first 10", "second 21"])
    #expect(object.first == 1 && object.second == 2)
    object.first = 5
    object.first += 1
    #expect(object.trace.suffix(2) == ["first 5", "first 6"])
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

  @Test("X2 nested parts, whether they fail or not, leave what waited before them")
  func nestedParts() {
    let people = (0..<12).map { _ in Person() }
    let tokens = people.enumerated().map { index, person in
      person.observe(\.age, options: [.old, .new], changeHandler: log.handler("\(index)"))
    }
    KeyValueTransaction.perform {
      for person in people { person.performChanges { $0.age += 1 } }
      for person in people { fail(person) { $0.age = 99 } }
      for person in people.prefix(6) { person.performChanges { $0.age += 1 } }
    }
    #expect(
      log.take() == people.indices.map { "\($0): setting, old: 36, new: \($0 < 6 ? 38 : 37)" })
    withExtendedLifetime(tokens) {}
  }

  @Test("X2 a part that fails also puts back what parts inside it have changed of what waits")
  func partInsidePart() {
    let token = person.observe(
      \.books, options: [.old, .new], changeHandler: log.handler("books"))
    let books = person.mutableArrayValue(for: \.books)
    person.performChanges { person in
      books.append("A")
      fail(person) {
        $0.performChanges(rollingBack: true) { _ in books.append("B") }
        fail($0) { _ in books.append("C") }
        books.append("D")
      }
      #expect(person.books == ["A"])
      books.append("E")
    }
    #expect(log.take() == ["books: insertion, indexes: 0–1, new: [\"A\", \"E\"]"])
    token.invalidate()
  }

  @Test("X2 the elements that only a failed part has changed aren't told")
  func changedElements() {
    let circle = Circle([Friend(age: 1), Friend(age: 2)])
    let token = circle.kvo.friends[each: \.age].observe(options: .elementChanges) {
      [log] _, change in
      let elements = change.elements ?? []
      log.note("\(elements.compactMap { ($0 as? Friend)?.age })")
    }
    circle.performChanges { circle in
      circle.friends[0].age = 5
      try? circle.performChanges(rollingBack: true) {
        $0.friends[1].age = 7
        throw Refusal()
      }
    }
    #expect(log.take() == ["[5]"])
    withExtendedLifetime(token) {}
  }

  @Test("X2 several objects are restored, observed or not")
  func severalObjects() {
    let accounts = (1...3).map { Account(balance: Double($0)) }
    let token = accounts[2].observe(\.balance, changeHandler: log.handler("balance"))
    #expect(throws: Refusal.self) {
      try KeyValueTransaction.perform(rollingBack: true) {
        for account in accounts { account.balance += 10 }
        throw Refusal()
      }
    }
    #expect(accounts.map(\.balance) == [1, 2, 3])
    #expect(log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test("X2 every set of every object comes back, however it is made and whatever is observed")
  func unobservedObjects() throws {
    let friends = (1...3).map { Friend(age: $0) }
    let circle = Circle(friends)
    #expect(throws: Refusal.self) {
      try circle.performChanges(rollingBack: true) {
        $0.friends[0].age = 99
        $0.friends[1].age += 1
        $0.friends[1].notes.append("b")
        try $0.friends[2].setValue(7, forKey: "age")
        $0.friends[2].mutableArrayValue(for: \.notes).append("c")
        $0.friends[2].mutableSetValue(for: \.tags).insert("t")
        $0.friends[0].best = $0.friends[1]
        $0.friends.removeLast()
        $0.friends.swapAt(0, 1)
        $0.leader = $0.friends[0]
        throw Refusal()
      }
    }
    #expect(circle.friends.elementsEqual(friends, by: ===) && circle.leader == nil)
    #expect(friends.map(\.age) == [1, 2, 3] && friends.allSatisfy { $0.best == nil })
    #expect(friends.allSatisfy { $0.notes == ["a"] && $0.tags == [] })
    #expect(friends.allSatisfy { $0._$kvoWithRegistrar { $0.isIdle } })
  }

  @Test("X2 keys over the same stored value come back the last first", arguments: [false, true])
  func reverseOrder(isObserved: Bool) throws {
    let thermometer = Thermometer()
    let tokens =
      isObserved
      ? try ["celsius", "fahrenheit", "readings"].map {
        try thermometer.observe($0, options: [.old, .new], changeHandler: log.handler($0))
      } : []
    #expect(throws: Refusal.self) {
      try thermometer.performChanges(rollingBack: true) {
        $0.celsius = 10
        try $0.setValue(86, forKey: "fahrenheit")
        $0.celsius += 1
        #expect($0.celsius == 31)
        $0.readings.append(1)
        let samples = try $0.mutableArrayValue(forKey: "samples")
        samples.append(2.0)
        $0.readings.removeFirst()
        samples.remove(at: 0)
        $0.mutableArrayValue(for: \.readings).append(3)
        $0.readings = [4] + $0.readings
        #expect($0.readings == [4, 2, 3])
        throw Refusal()
      }
    }
    #expect(thermometer.celsius == 0 && thermometer.readings == [0])
    #expect(log.take() == [])
    withExtendedLifetime(tokens) {}
  }

  @Test("X2 the stored value of an overridden key is kept and put back, not the override's")
  func overridden() {
    let item = TaxedItem()
    item.price = 1
    #expect(throws: Refusal.self) {
      try item.performChanges(rollingBack: true) {
        $0.price = 7
        throw Refusal()
      }
    }
    #expect(item.price == 2 && item.stored == 1)
    let token = item.observe(\.price, options: [.old, .new], changeHandler: log.handler("price"))
    #expect(throws: Refusal.self) {
      try item.performChanges(rollingBack: true) {
        $0.price += 7
        throw Refusal()
      }
    }
    #expect(item.price == 2 && item.stored == 1 && log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test("X2 a manual key that is merely assigned comes back, and announces nothing")
  func manualAssignments() throws {
    let ledger = Ledger()
    let token = try ledger.observe(
      "rate", options: [.old, .new], changeHandler: log.handler("rate"))
    for isObserved in [true, false] {
      let ledger = isObserved ? ledger : Ledger()
      #expect(throws: Refusal.self) {
        try ledger.performChanges(rollingBack: true) {
          $0.rate = 3
          $0.rate += 1
          $0.successor = Ledger()
          throw Refusal()
        }
      }
      #expect(ledger.rate == 0.5 && ledger.successor == nil)
    }
    #expect(log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test("X2 an inner part takes back only its own sets, an outer one those of both")
  func levels() {
    let friends = (1...2).map { Friend(age: $0) }
    #expect(throws: Refusal.self) {
      try KeyValueTransaction.perform(rollingBack: true) {
        friends[0].age = 10
        try? KeyValueTransaction.perform(rollingBack: true) {
          friends[0].age = 20
          friends[1].age = 20
          throw Refusal()
        }
        #expect(friends.map(\.age) == [10, 2])
        KeyValueTransaction.perform(rollingBack: true) { friends[1].age = 30 }
        KeyValueTransaction.perform { friends[1].age += 1 }
        #expect(friends.map(\.age) == [10, 31])
        throw Refusal()
      }
    }
    #expect(friends.map(\.age) == [1, 2])
  }

  @Test("X2 what a handler and a dying object set comes back; the dead need nothing")
  func handlersAndDeaths() {
    let (friend, other) = (Friend(age: 1), Friend(age: 5))
    let token = friend.observe(\.age, options: [.new, .prior]) { _, change in
      if change.isPrior { other.age += 1 }
    }
    #expect(throws: Refusal.self) {
      try friend.performChanges(rollingBack: true) {
        $0.age = 2
        #expect(other.age == 6)
        do {
          let short = Friend(age: 9)
          short.age = 10
          short.onDeath = { other.age = 50 }
        }
        #expect(other.age == 50)
        throw Refusal()
      }
    }
    #expect(friend.age == 1 && other.age == 5)
    withExtendedLifetime(token) {}
  }

  @Test("X2 another thread's sets are its own")
  func otherThreads() {
    let (mine, theirs) = (Friend(age: 1), SharedCounter())
    #expect(throws: Refusal.self) {
      try KeyValueTransaction.perform(rollingBack: true) {
        mine.age = 2
        let set = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          theirs.count = 5
          theirs.count += 1
          set.signal()
        }
        set.wait()
        throw Refusal()
      }
    }
    #expect(mine.age == 1 && theirs.count == 6)
  }

  @Test("X2 a computed key's effect elsewhere is reported where it can't be taken back")
  func computedEffects() {
    ViolationLog.record { violations in
      let remote = Remote()
      #expect(throws: Refusal.self) {
        try remote.performChanges(rollingBack: true) {
          $0.change()
          throw Refusal()
        }
      }
      #expect(remote.state == 1 && remote.level == 0)
      #expect(
        violations.take() == [
          "tolerated: Remote.state was changed in a transaction that was rolled back, and can't be taken "
            + "back: it isn't stored in an observable property. Give it a setter, store its value in an "
            + "observable property, or take the change back where the error is caught."
        ])
    }
  }

  @Test("X2 a computed key that its class announces isn't reported as lost")
  func announcedComputedKey() {
    ViolationLog.record { violations in
      let gauge = RoundGauge()
      #expect(throws: Refusal.self) {
        try gauge.performChanges(rollingBack: true) {
          $0.level = 5
          $0.withChange(of: "double") {}
          throw Refusal()
        }
      }
      #expect(gauge.level == 0 && gauge.double == 0 && violations.take() == [])
    }
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

  @Test("X2 a lazy property and one with a wrapper come back only where they're announced")
  func unfollowed() {
    let album = Sleeve()
    try? album.performChanges(rollingBack: true) {
      $0.title = "B"
      $0.cover = "B"
      $0.volume = 2
      throw Refusal()
    }
    #expect((album.title, album.cover, album.volume) == ("A", "B", 2))
    try? album.performChanges(rollingBack: true) {
      $0.withChange(of: \.cover) { album.cover = "C" }
      $0.withChange(of: \.volume) { album.volume = 3 }
      throw Refusal()
    }
    #expect((album.cover, album.volume) == ("B", 2))
  }
}
