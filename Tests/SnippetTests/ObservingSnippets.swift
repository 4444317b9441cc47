import KeyValueObserving
import Testing

@Suite("Observing.md", .printing)
struct ObservingSnippets {
  // snippet Observing 3
  struct Point { var x = 0.0, y = 0.0 }
  struct Frame { var origin = Point() }

  @KeyValueObservable
  final class Account {
    var balance = 100.0
  }

  @KeyValueObservable
  final class Person {
    var name = "Ada"
    var nickname: String? = "Countess"
    var age = 36
    var books: [String] = []
    var account: Account?
    var frame = Frame()
    var friends: [Person] = []
  }

  @KeyValueObservable
  final class Histogram {
    var values = [3, 4]
  }
  // end

  // snippet Observing 15
  final class Ledger: KeyValueObserver {
    nonisolated(unsafe) static let balanceContext = UnsafeMutableRawPointer.allocate(
      byteCount: 1, alignment: 1)  // only compared, never read

    func observeValue(
      forKeyPath keyPath: String, of object: any KeyValueObservable,
      change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
    ) {
      guard context == Ledger.balanceContext else { return }
      print(keyPath, "of", type(of: object), "-", change)
    }
  }
  // end

  // snippet Observing 17
  final class Board {
    private(set) var observer: KeyValueObserverController<Board>?

    init(_ person: Person) throws {
      let observer = KeyValueObserverController(owner: self)
      self.observer = observer
      observer.observe(person.kvo.name, options: .new) { board, person, change in
        board.show("name", change.newValue ?? "")
      }
      for key in ["age", "nickname"] {
        observer.observe(try person.kvo(key)) { board, _, _ in board.show(key, "changed") }
      }
    }

    func show(_ label: String, _ text: String) { print(label, text) }
  }
  // end

  /// The other board of the page, which has a method.
  enum WithMethod {
    final class Board {
      private var observation: KeyValueObservation?

      init(_ person: Person) {
        // snippet Observing 18
        observation = person.kvo.name.observe(target: self, action: Board.nameChanged)
        // end
      }

      func nameChanged(_ person: Person) { print("name is", person.name) }
    }
  }

  @Test("The page up to paths")
  func observing() throws {
    // snippet Observing 3
    let person = Person()
    // end
    do {
      // snippet Observing 1
      let observation = person.kvo.account.balance.observe(options: [.old, .new]) {
        person, change in
        print(change)
      }
      person.account = Account()
      person.account?.balance = 120
      person.account = nil
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 1)
    do {
      // snippet Observing 2
      let observation = person.observe(\.account.balance, options: .new) { _, change in
        print(change)
      }
      person.account = Account()  // setting, new: 100.0
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 2)
    do {
      // snippet Observing 4
      let observation = person.kvo.age.observe(options: [.initial, .prior, .old, .new]) {
        _, change in
        print(change)
      }
      person.age = 37
      person.age = 37
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 4)
    do {
      // snippet Observing 5
      let observation = person.kvo.nickname.observe(options: .new) { _, change in
        print(change.newValue as Any, change.oldValue as Any)
      }
      person.nickname = nil
      // Optional(nil) nil
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 5)
    do {
      // snippet Observing 6
      var shortLived: Account? = Account()
      let observation = shortLived!.kvo.balance.observe { _, _ in }
      print(observation)
      shortLived = nil
      print(observation)
      // end
    }
    try expectPrinted("Observing", 6)
  }

  @Test("Paths")
  func paths() throws {
    let person = Person()
    do {
      // snippet Observing 7
      let observation = person.kvo.frame.origin.x.observe(options: [.old, .new]) { _, change in
        print(change)
      }
      person.frame.origin.x = 10
      person.frame.origin.y = 3
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 7)
    do {
      // snippet Observing 8
      print(person.kvo.frame.origin.x.value)  // 10.0
      print(person.kvo.account.balance.value as Any)  // nil
      person.kvo.name.value = "Grace"
      print(person.name)  // Grace
      // end
      person.name = "Ada"
    }
    try expectPrinted("Observing", 8)
    do {
      // snippet Observing 9
      let total = person.kvo.friends[sum: \.age].observe(options: .new) { _, change in
        print("sum:", change)
      }
      let names = person.kvo.friends[each: \.name].observe(options: .new) { _, change in
        print("names:", change)
      }
      let grace = Person()
      person.friends = [grace]
      grace.name = "Grace"
      // end
      withExtendedLifetime((total, names)) {}
    }
    try expectPrinted("Observing", 9)
    do {
      // snippet Observing 10
      let histogram = Histogram()
      let observation = histogram.kvo[\.values].observe(options: .new) { _, change in print(change)
      }
      histogram.values = [5]  // setting, new: [5]
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 10)
    do {
      // snippet Observing 11
      let keyPath = \Person.name
      let observation = person.kvo[keyPath].observe(options: .new) { _, change in print(change) }
      person.name = "Augusta"  // setting, new: "Augusta"
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 11)
    do {
      // snippet Observing 12
      person.account = Account()
      let balance = try person.kvo("account.balance", as: Double?.self).observe(options: .new) {
        _, change in
        print(change)
      }
      person.account?.balance = 130  // setting, new: 130.0
      let ages = try person.kvo("friends.@max.age").observe(options: .new) { _, change in
        print(change)
      }
      person.friends = [Person(), Person()]  // setting, new: 36
      // end
      withExtendedLifetime((balance, ages)) {}
    }
    try expectPrinted("Observing", 12)
    do {
      // snippet Observing 14
      let path = KeyValuePath(person.kvo.account.balance)
      print(path)  // account.balance
      print(path == KeyValuePath<Person, Double?>(\.account.balance))  // true
      print(path == KeyValuePath(try person.kvo("account.balance", as: Double?.self)))  // true
      let observation = person.kvo[path].observe(options: .new) { _, change in print(change) }
      person.account?.balance = 140  // setting, new: 140.0
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 14)
  }

  @Test("Paths by string that throw")
  func refused() throws {
    let person = Person()
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("acount.balance")
      // throws: Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?
      // end
    }
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("name.length")
      // throws: Person.name (component 1 of 'name.length') cannot be observed: its value is of type String,
      // which is not @KeyValueObservable.
      // end
    }
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("account..balance")
      // throws: 'account..balance' is not a key path: component 2 is empty.
      // end
    }
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("age", as: String.self)
      // throws: Person.age cannot be asked for in that type: its values are Int, not String.
      // end
    }
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("account.balanse")
      // throws: Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?
      // end
    }
    expectThrown {
      // snippet Observing 13
      _ = try person.kvo("friends.@max.age", as: Int.self)
      // throws: Person.friends.@max.age cannot be asked for in that type: its values are Int?, not Int.
      // end
    }
    try expectPrinted("Observing", 13)
  }

  @Test("Observer objects")
  func observers() throws {
    // snippet Observing 15
    let account = Account()
    let ledger = Ledger()
    try account.addObserver(
      ledger, forKeyPath: "balance", options: [.old, .new], context: Ledger.balanceContext)
    account.balance = 150
    try account.removeObserver(ledger, forKeyPath: "balance", context: Ledger.balanceContext)
    // end
    do {
      try account.removeObserver(ledger, forKeyPath: "balance", context: Ledger.balanceContext)
    } catch {
      print(error)
    }
    try expectPrinted("Observing", 15, remarks: ["only compared, never read"])
    // snippet Observing 16
    let accounts = [Account(), Account(), Account()]
    try accounts.addObserver(
      ledger, toObjectsAt: RangeSet(0..<2), forKeyPath: "balance", options: .new,
      context: Ledger.balanceContext)
    accounts[1].balance = 1  // balance of Account - setting, new: 1.0
    accounts[2].balance = 2  // (nothing)
    // end
    try expectPrinted("Observing", 16)
    let observed = account
    do {
      let account = Account()
      // snippet Observing 20
      let observation = account.kvo.balance.observe(options: [.new]) { _, _ in }
      print(account.observationInfo)  // [balance -> closure, options: [.new]]
      // end
      withExtendedLifetime(observation) {}
    }
    try expectPrinted("Observing", 20)
    #expect(observed.observationInfo.isEmpty)
  }

  @Test("Owners, targets, and until it was enough")
  func owners() throws {
    let person = Person()
    // snippet Observing 17
    let board = try Board(person)
    person.age = 38  // age changed
    board.observer?.unobserve(person.kvo.age)  // or unobserve(person), unobserveAll()
    // end
    try expectPrinted("Observing", 17, remarks: ["or unobserve(person), unobserveAll()"])
    let followed = WithMethod.Board(person)
    person.name = "Grace"
    #expect(Printed.current?.take() == ["name Grace", "name is Grace"])
    withExtendedLifetime((board, followed)) {}
    // snippet Observing 19
    let observation = person.kvo.age.observe(until: { person, change in
      print(person.age)
      return person.age >= 40
    })
    person.age = 39  // 39
    person.age = 40  // 40
    person.age = 41  // (nothing)
    // end
    try expectPrinted("Observing", 19)
    withExtendedLifetime(observation) {}
  }

  @Test("Nested changes")
  func nested() throws {
    let person = Person()
    person.age = 37
    // snippet Observing 21
    let clamp = person.kvo.age.observe { person, _ in
      if person.age > 150 { person.age = 150 }
    }
    let label = person.kvo.age.observe(options: [.old, .new]) { person, change in
      print(change, "- the age is", person.age)
    }
    person.age = 200
    // end
    try expectPrinted("Observing", 21)
    withExtendedLifetime((clamp, label)) {}
  }
}
