import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("ManualNotification.md", .printing)
struct ManualNotificationSnippets {
  // snippet ManualNotification 1
  @KeyValueObservable
  final class Account {
    @NotifiesManually var openingBalance = 0.0

    func setOpeningBalance(_ value: Double) {
      guard value != openingBalance else { return }
      willChangeValue(forKey: "openingBalance")
      openingBalance = value
      didChangeValue(forKey: "openingBalance")
    }
  }
  // end

  // snippet ManualNotification 2
  @KeyValueObservable
  final class Shelf {
    @NotifiesManually var books = ["Emma", "Ulysses"]

    func insert(_ book: String, at index: Int) {
      let indexes = RangeSet(index..<index + 1)
      willChange(.insertion, valuesAt: indexes, forKey: "books")
      books.insert(book, at: index)
      didChange(.insertion, valuesAt: indexes, forKey: "books")
    }
  }
  // end

  // snippet ManualNotification 3
  @KeyValueObservable
  final class Note {
    @NotifiesManually var tags: Set<String> = ["a"]

    func add(_ new: Set<String>) {
      willChangeValue(forKey: "tags", withSetMutation: .union, using: new)
      tags.formUnion(new)
      didChangeValue(forKey: "tags", withSetMutation: .union, using: new)
    }
  }
  // end

  // snippet ManualNotification 4
  @KeyValueObservable
  class Base {
    var first = 1
    var second = 2
    class func automaticallyNotifiesObserversOfSecond() -> Bool { false }
  }

  final class Derived: Base {
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
      key == "first" ? false : super.automaticallyNotifiesObservers(forKey: key)
    }
  }
  // end

  @Test("A pair")
  func pair() throws {
    // snippet ManualNotification 1
    let account = Account()
    let observation = account.kvo.openingBalance.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    account.openingBalance = 5
    account.setOpeningBalance(10)
    account.setOpeningBalance(10)
    account.withChange(of: \.openingBalance) { account.openingBalance = 20 }
    // end
    try expectPrinted("ManualNotification", 1)
    withExtendedLifetime(observation) {}
  }

  @Test("Indexes and set algebra")
  func collections() throws {
    // snippet ManualNotification 2
    let shelf = Shelf()
    let books = shelf.kvo.books.observe(options: [.old, .new]) { _, change in print(change) }
    shelf.insert("Dune", at: 1)
    // insertion, indexes: 1, new: ["Dune"]
    // end
    try expectPrinted("ManualNotification", 2)
    withExtendedLifetime(books) {}
    // snippet ManualNotification 3
    let note = Note()
    let tags = note.kvo.tags.observe(options: [.new]) { _, change in print(change) }
    note.add(["a", "b"])
    // insertion, new: ["b"]
    // end
    try expectPrinted("ManualNotification", 3)
    withExtendedLifetime(tags) {}
  }

  @Test("The switch per key, and half a pair")
  func keys() throws {
    // snippet ManualNotification 4
    for key in Base.keyValueKeys {
      print(
        key, Base.automaticallyNotifiesObservers(forKey: key),
        Derived.automaticallyNotifiesObservers(forKey: key))
    }
    // end
    // The violation handler belongs to the process, so what is said of half a pair is not taken
    // down here, but where a process can be spared.
    print(
      "didChangeValue(forKey: \"openingBalance\") of Account was called without willChangeValue on"
        + " this thread, so no observer was notified. Call both, or use withChange(of:_:).")
    try expectPrinted("ManualNotification", 4)
    ViolationLog.record { violations in
      Account().didChangeValue(forKey: "openingBalance")
      #expect(
        violations.take() == [
          "tolerated: didChangeValue(forKey: \"openingBalance\") of Account was called without "
            + "willChangeValue on this thread, so no observer was notified. Call both, or use "
            + "withChange(of:_:)."
        ])
    }
  }
}
