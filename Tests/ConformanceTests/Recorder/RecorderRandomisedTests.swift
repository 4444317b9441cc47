import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("Recording random changes")
struct RecorderRandomisedTests {
  private struct Snapshot: Equatable {
    let age: Int
    let nickname: String?
    let books: [String]
    let tags: Set<String>
    let balance: Double?

    init(_ person: Person) {
      age = person.age
      nickname = person.nickname
      books = person.books
      tags = person.tags
      balance = person.account?.balance
    }
  }

  @Test("Undoing and redoing pass through every recorded state", arguments: 1...20)
  func everyState(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let person = Person()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(person, "age", "nickname", "books", "tags", "account", "account.balance")
    var states = [Snapshot(person)]
    for _ in 0..<300 {
      if Int.random(in: 0..<10, using: &generator) == 0 {
        recorder.group { for _ in 0..<5 { change(person, &generator) } }
      } else {
        change(person, &generator)
      }
      states.append(Snapshot(person))
      // Undoes and redoes one level now and then, between new changes.
      if Int.random(in: 0..<20, using: &generator) == 0 {
        try recorder.undo()
        try recorder.redo()
        #expect(Snapshot(person) == states.last)
      }
    }
    // A change without effect adds a state but no level.
    states = states.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    for _ in 1...2 {
      #expect(try walk({ try recorder.undo() }, person) == Array(states.reversed().dropFirst()))
      #expect(try walk({ try recorder.redo() }, person) == Array(states.dropFirst()))
    }
  }

  /// The distinct states that repeating the step reaches.
  private func walk(_ step: () throws -> Bool, _ person: Person) throws -> [Snapshot] {
    var states = [Snapshot(person)]
    while try step() {
      let state = Snapshot(person)
      if states.last != state { states.append(state) }
    }
    return Array(states.dropFirst())
  }

  private func change(_ person: Person, _ generator: inout SeededGenerator) {
    let books = person.mutableArrayValue(for: \.books)
    let tags = person.mutableSetValue(for: \.tags)
    func letters() -> [String] {
      (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        String("abcdefg".randomElement(using: &generator)!)
      }
    }
    func indexes(below count: Int) -> RangeSet<Int> {
      RangeSet((0..<count).filter { _ in Bool.random(using: &generator) }, within: 0..<count)
    }
    switch Int.random(in: 0..<13, using: &generator) {
    case 0: person.age = Int.random(in: 0..<100, using: &generator)
    case 1: person.nickname = letters().first
    case 2: person.books = letters()
    case 3: person.books.append("!")
    case 4:
      books.insert(contentsOf: letters(), at: Int.random(in: 0...books.count, using: &generator))
    case 5: books.remove(at: indexes(below: books.count))
    case 6: if let index = books.indices.randomElement(using: &generator) { books[index] = "r" }
    case 7: books.sort()
    case 8: tags.formUnion(letters())
    case 9: tags.subtract(letters())
    case 10: tags.replaceAll(with: letters())
    case 11: person.account = Bool.random(using: &generator) ? Account(balance: 1) : nil
    default: person.account?.balance += 1
    }
  }
}
