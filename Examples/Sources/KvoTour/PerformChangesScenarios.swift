import KeyValueObserving

@KeyValueObservable
private final class Person {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var fullName: String { "\(firstName) \(lastName)" }
  var books = ["Emma", "Ulysses"]
}

@KeyValueObservable
private final class Account {
  var balance = 50.0
}

private struct Overdraft: Error {}

extension Scenario {
  static let performChanges = Scenario(
    "performChanges", on: .transactions, "several changes, reported as one or rolled back as one"
  ) { printer in
    let person = Person()
    printer.step("observe fullName and books with old and new")
    let names = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
      printer.heard("fullName \(change)")
    }
    let shelf = person.kvo.books.observe(options: [.old, .new]) { _, change in
      printer.heard("books \(change)")
    }
    printer.step("set firstName and lastName, one after the other")
    person.firstName = "Grace"
    person.lastName = "Hopper"
    printer.step("performChanges: set both again")
    person.performChanges {
      $0.firstName = "Katherine"
      $0.lastName = "Johnson"
    }
    printer.step("performChanges: books.append(\"Ubik\"), insert(\"Dune\", at: 0), removeLast()")
    let books = person.mutableArrayValue(for: \.books)
    person.performChanges { _ in
      books.append("Ubik")
      books.insert("Dune", at: 0)
      books.removeLast()
    }
    printer.remark("an error rolls everything back")
    let (savings, checking) = (Account(), Account())
    printer.step("observe the balances of savings and checking, which are 50")
    let balances = [savings, checking].map { account in
      account.kvo.balance.observe(options: [.old, .new]) { account, change in
        printer.heard("\(account === savings ? "savings" : "checking") \(change)")
      }
    }
    for amount in [30.0, 40] {
      printer.step("move \(amount) from savings to checking; an overdraft throws")
      do {
        try KeyValueTransaction.perform(rollingBack: true) {
          savings.balance -= amount
          checking.balance += amount
          if savings.balance < 0 { throw Overdraft() }
        }
      } catch {
        printer.heard("\(error): savings \(savings.balance), checking \(checking.balance)")
      }
    }
    withExtendedLifetime((names, shelf, balances)) {}
  }
}
