import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Sequences of values")
struct ValuesSequenceTests {
  private let person = Person()

  @Test("A sequence of values starts with the current value and keeps the newest")
  func newest() async {
    let values = person.kvo.age.values()
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 36)
    for age in 1...3 { person.age = age }
    #expect(await iterator.next() == 3)
    #expect(values.droppedCount == 2)
    person.age = 3
    #expect(await iterator.next() == 3)
  }

  @Test("An unbounded sequence delivers every value, and collections as a whole")
  func unbounded() async {
    var iterator = person.kvo.books.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    let books = person.mutableArrayValue(for: \.books)
    books.append("Dune")
    books.append("Emma")
    books.remove(at: 0)
    var values: [[String]] = []
    while values.count < 4, let value = await iterator.next() { values.append(value) }
    #expect(values == [[], ["Dune"], ["Dune", "Emma"], ["Emma"]])
  }

  @Test("X1 What a transaction does to a collection is one value")
  func transaction() async {
    var iterator = person.kvo.books.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    person.books = ["A", "B"]
    person.performChanges {
      let books = $0.mutableArrayValue(for: \.books)
      books.remove(at: 0)
      books.append("C")
    }
    person.books = ["D"]
    var values: [[String]] = []
    while values.count < 4, let value = await iterator.next() { values.append(value) }
    #expect(values == [[], ["A", "B"], ["B", "C"], ["D"]])
  }

  @Test("A path in every spelling has a sequence of values")
  func spellings() async throws {
    let held = KeyValuePath<Person, Double?>(\.account.balance)
    var plain = person.kvo.account.balance.values().makeAsyncIterator()
    var typed = try person.kvo("account.balance", as: Double?.self).values().makeAsyncIterator()
    var value = person.kvo[held].values().makeAsyncIterator()
    var keyPath = person.kvo[\Person.fullName].values().makeAsyncIterator()
    var string = try person.kvo("account.balance").values().makeAsyncIterator()
    #expect(await plain.next() == .some(nil))
    #expect(await string.next() as? Double? == .some(nil))
    person.account = Account(balance: 7)
    #expect(await plain.next() == 7)
    #expect(await typed.next() == 7)
    #expect(await value.next() == 7)
    #expect(await keyPath.next() == "Ada Lovelace")
    #expect(await string.next() as? Double == 7)
  }

  @Test("A sequence of sums delivers each updated sum")
  func sums() async {
    let department = Department()
    var total = department.kvo.parts[sum: \.weight].values(bufferingPolicy: .unbounded)
      .makeAsyncIterator()
    department.parts = [Part(1), Part(2)]
    department.parts[1].weight = 5
    var values: [Int] = []
    while values.count < 3, let value = await total.next() { values.append(value) }
    #expect(values == [0, 3, 6])
  }

  @KeyValueObservable
  final class Part {
    var weight: Int
    init(_ weight: Int) { self.weight = weight }
  }

  @KeyValueObservable
  final class Department {
    var parts: [Part] = []
  }

  @Test("The last value is the current one, even if an earlier observer sets another")
  func nested() async {
    let other = person.observe(\.age) { person, _ in if person.age == 1 { person.age = 2 } }
    var changes = person.kvo.age.changes(options: .new).makeAsyncIterator()
    var values = person.kvo.age.values(bufferingPolicy: .unbounded).makeAsyncIterator()
    person.age = 1
    // Each change keeps its value, in the order in which observers are notified (N8).
    #expect(await changes.next()?.newValue == 2)
    #expect(await changes.next()?.newValue == 1)
    var taken: [Int] = []
    while taken.count < 3, let value = await values.next() { taken.append(value) }
    #expect(taken == [36, 2, 2])
    other.invalidate()
  }

  @Test("Every iterator starts with the current value")
  func several() async {
    let values = person.kvo.age.values(bufferingPolicy: .unbounded)
    person.age = 1
    var first = values.makeAsyncIterator()
    var second = values.makeAsyncIterator()
    person.age = 2
    #expect(await first.next() == 36)
    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
    #expect(await second.next() == 1)
    #expect(await second.next() == 2)
  }

  @Test("A sequence of values ends when its object is deallocated")
  func death() async {
    var mortal: Person? = Person()
    let values = mortal?.kvo.age.values(bufferingPolicy: .unbounded)
    mortal?.age = 1
    mortal = nil
    var taken: [Int] = []
    if let values { for await value in values { taken.append(value) } }
    #expect(taken == [36, 1])
    #expect(values?.description == "KeyValueValues(age, ended)")
  }

  @Test("A main-actor task can iterate over the values of a main-actor model")
  @MainActor func mainActor() async {
    let model = Model()
    let (arrivals, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      var titles: [String] = []
      for await title in model.kvo.title.values() {
        titles.append(title)
        signal.finish()
        if title == "last" { break }
      }
      return titles
    }
    for await _ in arrivals {}
    model.title = "last"
    #expect(await task.value == ["first", "last"])
  }

  @MainActor
  @KeyValueObservable
  final class Model {
    var title = "first"
  }
}
