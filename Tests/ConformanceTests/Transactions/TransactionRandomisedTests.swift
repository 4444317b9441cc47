import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Maintains a copy of an array from the delivered changes alone.
private final class Mirror {
  var elements: [String]
  var calls: [KeyValueChangeKind] = []

  init(_ elements: [String]) {
    self.elements = elements
  }

  func apply(_ change: KeyValueObservedChange<[String]>) {
    calls.append(change.kind)
    let indexes = change.indexes ?? RangeSet()
    switch change.kind {
    case .setting:
      #expect(change.oldValue == elements)
      elements = change.newValue ?? []
    case .insertion:
      for (index, element) in zip(indexes.ranges.flatMap(\.self), change.newValue ?? []) {
        elements.insert(element, at: index)
      }
    case .removal:
      #expect(Array(elements[indexes]) == change.oldValue)
      elements.removeSubranges(indexes)
    case .replacement:
      #expect(Array(elements[indexes]) == change.oldValue)
      for (index, element) in zip(indexes.ranges.flatMap(\.self), change.newValue ?? []) {
        elements[index] = element
      }
    }
  }
}

@Suite("performChanges: random changes compared with plain Swift")
struct TransactionRandomisedTests {
  private static func change(
    _ books: KeyValueMutableArray<String>, _ number: Int, with numbers: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0, 1:
      let count = Int.random(in: 1...3, using: &numbers)
      let new = (0..<count).map { "\(number).\($0)" }
      books.insert(contentsOf: new, at: Int.random(in: 0...books.count, using: &numbers))
    case 2:
      var indexes = RangeSet<Int>()
      for index in 0..<books.count where Int.random(in: 0..<3, using: &numbers) == 0 {
        indexes.insert(contentsOf: index..<index + 1)
      }
      books.remove(at: indexes)
    case 3:
      guard let index = books.indices.randomElement(using: &numbers) else { return }
      books[index] = "\(number)"
    case 4:
      guard let first = books.indices.randomElement(using: &numbers),
        let second = books.indices.randomElement(using: &numbers)
      else { return }
      books.swapAt(first, second)
    default:
      guard let first = books.indices.randomElement(using: &numbers),
        let second = books.indices.randomElement(using: &numbers)
      else { return }
      books.move(from: first, to: second)
    }
  }

  @Test("A mirror that is notified once per transaction holds the same elements", arguments: 1...8)
  func mirror(seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let person = Person()
    person.books = (0..<6).map { "\($0)" }
    let books = person.mutableArrayValue(for: \.books)
    let mirror = Mirror(person.books)
    let token = person.observe(\.books, options: [.old, .new]) { _, change in mirror.apply(change) }
    for number in 0..<400 {
      let before = person.books
      var plain = 0
      let willFail = Int.random(in: 0..<8, using: &numbers) == 0
      let length = Int.random(in: 1...6, using: &numbers)
      try? person.performChanges(rollingBack: willFail) { person in
        for _ in 0..<length {
          if Int.random(in: 0..<20, using: &numbers) == 0 {
            person.books.append("plain \(number)")
            plain += 1
          } else {
            Self.change(books, number, with: &numbers)
          }
        }
        #expect(mirror.calls == [])
        if willFail { throw CancellationError() }
      }
      #expect(mirror.elements == person.books)
      if willFail { #expect(person.books == before && mirror.calls == []) }
      if plain > 0, !willFail { #expect(mirror.calls == [.setting]) }
      #expect(
        [[], [.setting], [.insertion], [.removal], [.replacement], [.removal, .insertion]]
          .contains(mirror.calls))
      mirror.calls = []
    }
    withExtendedLifetime(token) {}
  }

  @Test(
    "Every key path notifies once, with the values before and after the transaction",
    arguments: 1...8)
  func keyPaths(seed: Int) throws {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let enterprise = Enterprise()
    var staff = (0..<8).map { Employee("e\($0)", salary: $0) }
    enterprise.divisions = [Division("a", Array(staff[..<4])), Division("b")]
    enterprise.main = enterprise.divisions[0]
    let paths = [
      "main.employees.@sum.salary", "main.totalSalary", "main.employees.@max.salary",
      "main.employees.name", "main.employees.@count", "main.name",
    ]
    func values() throws -> [String] {
      try paths.map { described(try enterprise.value(forKeyPath: $0)) }
    }
    var told: [String: [String]] = [:]
    let tokens = try paths.map { path in
      try enterprise.observe(path, options: [.old, .new]) { _, change in
        told[path, default: []].append(
          "\(described(change.oldValue ?? nil)) -> \(described(change.newValue ?? nil))")
      }
    }
    for number in 0..<300 {
      let before = try values()
      try enterprise.performChanges { enterprise in
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
          let division = enterprise.divisions[Int.random(in: 0..<2, using: &numbers)]
          let proxy = division.mutableArrayValue(for: \.employees)
          switch Int.random(in: 0..<6, using: &numbers) {
          case 0: staff[Int.random(in: 0..<8, using: &numbers)].salary = number
          case 1: proxy.append(staff[Int.random(in: 0..<8, using: &numbers)])
          case 2: if !proxy.isEmpty { proxy.removeFirst() }
          case 3: enterprise.main = division
          case 4: division.employees = staff.shuffled(using: &numbers).dropLast(5)
          default:
            let index = Int.random(in: 0..<8, using: &numbers)
            staff[index] = Employee("n\(number)", salary: number)
          }
        }
        #expect(told.isEmpty)
        _ = try values()
      }
      let after = try values()
      for (index, path) in paths.enumerated() {
        let calls = told[path] ?? []
        if calls.isEmpty {
          #expect(before[index] == after[index])
        } else {
          #expect(calls == ["\(before[index]) -> \(after[index])"], "\(path)")
        }
      }
      told = [:]
    }
    withExtendedLifetime(tokens) {}
  }
}
