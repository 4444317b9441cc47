import KeyValueObserving
import Testing

@Suite("Transactions.md", .printing)
struct TransactionsSnippets {
  @KeyValueObservable
  final class Person {
    var firstName = "Ada"
    var lastName = "Lovelace"
    var books: [String] = []
    var fullName: String { "\(firstName) \(lastName)" }
  }

  @KeyValueObservable
  final class Account {
    var balance = 150
  }

  struct Overdraft: Error {}

  @Test("One notification for each observer")
  func once() throws {
    let person = Person()
    // snippet Transactions 1
    let observation = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    person.performChanges {
      $0.firstName = "Grace"
      $0.lastName = "Hopper"
    }
    // setting, old: "Ada Lovelace", new: "Grace Hopper"
    // end
    try expectPrinted("Transactions", 1)
    withExtendedLifetime(observation) {}
  }

  @Test("Several objects, and the way back")
  func accounts() throws {
    let savings = Account()
    let checking = Account()
    var called = 0
    let observations = [savings, checking].map { account in
      account.kvo.balance.observe { _, _ in called += 1 }
    }
    // snippet Transactions 2
    KeyValueTransaction.perform {
      savings.balance -= 100
      checking.balance += 100
    }
    // end
    #expect(savings.balance == 50 && checking.balance == 250 && called == 2)
    // snippet Transactions 4
    try? KeyValueTransaction.perform(rollingBack: true) {
      savings.balance -= 100
      checking.balance += 100
      if savings.balance < 0 { throw Overdraft() }
    }
    // both balances are what they were, and no observer was called
    // end
    try expectPrinted(
      "Transactions", 4, remarks: ["both balances are what they were, and no observer was called"])
    #expect(savings.balance == 50 && checking.balance == 250 && called == 2)
    withExtendedLifetime(observations) {}
  }

  @Test("Changes of a collection")
  func collection() throws {
    let person = Person()
    person.books = ["Emma", "Ulysses"]
    let observation = person.kvo.books.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    // snippet Transactions 3
    let books = person.mutableArrayValue(for: \.books)  // ["Emma", "Ulysses"]
    person.performChanges { _ in
      books.append("Ubik")
      books.insert("Dune", at: 0)
      books.removeLast()
    }
    // insertion, indexes: 0, new: ["Dune"]
    // end
    try expectPrinted("Transactions", 3, remarks: [#"["Emma", "Ulysses"]"#])
    #expect(person.books == ["Dune", "Emma", "Ulysses"])
    withExtendedLifetime(observation) {}
  }
}
