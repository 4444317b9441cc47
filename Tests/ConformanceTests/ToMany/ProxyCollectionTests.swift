import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C. To-many: proxies as collections")
struct ProxyCollectionTests {
  private let log = ChangeLog()
  private let cabinet = Cabinet()
  private let numbers: KeyValueMutableArray<Int>
  private let token: KeyValueObservation

  init() {
    cabinet.numbers = [3, 1, 2]
    numbers = cabinet.mutableArrayValue(for: \.numbers)
    token = cabinet.observe(
      \.numbers, options: [.old, .new], changeHandler: log.handler("numbers"))
  }

  @Test("C4 A proxy reads like the array")
  func reading() {
    #expect(numbers.count == 3)
    #expect(!numbers.isEmpty)
    #expect(numbers.first == 3)
    #expect(numbers.last == 2)
    #expect(numbers.indices == 0..<3)
    #expect(numbers.firstIndex(of: 1) == 1)
    #expect(numbers.contains(2))
    #expect(numbers.map { $0 * 2 } == [6, 2, 4])
    #expect(numbers.sorted() == [1, 2, 3])
    #expect(numbers.reversed() == [2, 1, 3])
    #expect(Array(numbers.enumerated().map { $0.offset + $0.element }) == [3, 2, 4])
    #expect(numbers.elementsEqual([3, 1, 2]))
    #expect(numbers.min() == 1)
    #expect(numbers.index(numbers.startIndex, offsetBy: 2) == 2)
    #expect("\(numbers)" == "[3, 1, 2]")
    var sum = 0
    for number in numbers { sum = sum * 10 + number }
    #expect(sum == 312)
    #expect(log.take() == [])
  }

  @Test("C4 Slices read elements, and write through to them")
  func slices() {
    #expect(Array(numbers[1...]) == [1, 2])
    #expect(Array(numbers[..<2]) == [3, 1])
    #expect(numbers[1..<3].reduce(0, +) == 3)
    #expect(numbers.prefix(2).last == 1)
    #expect(Array(numbers.dropFirst()) == [1, 2])
    #expect(numbers.suffix(2).startIndex == 1)
    var copy = numbers
    copy[0..<2][1] = 9
    #expect(cabinet.numbers == [3, 9, 2])
  }

  @Test("C4 Sorting and reversing are each one replacement of all elements")
  func sorting() {
    numbers.sort()
    numbers.reverse()
    numbers.sort { $0 % 2 < $1 % 2 }
    #expect(cabinet.numbers == [2, 3, 1])
    #expect(
      log.take() == [
        "numbers: replacement, indexes: 0–2, old: [3, 1, 2], new: [1, 2, 3]",
        "numbers: replacement, indexes: 0–2, old: [1, 2, 3], new: [3, 2, 1]",
        "numbers: replacement, indexes: 0–2, old: [3, 2, 1], new: [2, 3, 1]",
      ])
  }

  @Test("C4 Shuffling and partitioning are each one replacement of all elements")
  func rearranging() {
    var copies = (numbers: [3, 1, 2], generator: Counting())
    copies.numbers.shuffle(using: &copies.generator)
    var generator = Counting()
    numbers.shuffle(using: &generator)
    #expect(cabinet.numbers == copies.numbers)
    numbers.shuffle()
    #expect(cabinet.numbers.sorted() == [1, 2, 3])
    cabinet.numbers = [3, 1, 2]
    var told = log.take()
    #expect(told.count(where: { $0.hasPrefix("numbers: replacement, indexes: 0–2, old:") }) == 2)
    #expect(told.count == 3)
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { _ = try numbers.partition { _ in throw Refusal() } }
    #expect(numbers.partition { $0 > 2 } == 2)
    told = log.take()
    #expect(
      told == [
        "numbers: replacement, indexes: 0–2, old: [3, 1, 2], new: [\(numbers[0]), \(numbers[1]), 3]"
      ])
  }

  @Test("C4 Moving several elements is a removal and an insertion; in place, it's nothing")
  func movingSeveral() {
    cabinet.numbers = [0, 1, 2, 3, 4]
    _ = log.take()
    #expect(numbers.moveSubranges(RangeSet([1..<2, 3..<4]), to: 5) == 3..<5)
    #expect(numbers.moveSubranges(RangeSet([1..<3]), to: 2) == 1..<3)
    #expect(numbers.moveSubranges(RangeSet([0..<1, 4..<5]), to: 0) == 0..<2)
    #expect(cabinet.numbers == [0, 3, 2, 4, 1])
    #expect(
      log.take() == [
        "numbers: removal, indexes: 1, 3, old: [1, 3]",
        "numbers: insertion, indexes: 3–4, new: [1, 3]",
        "numbers: removal, indexes: 0, 4, old: [0, 3]",
        "numbers: insertion, indexes: 0–1, new: [0, 3]",
      ])
  }

  @Test("C4 Every method that inserts notifies of one insertion")
  func inserting() {
    numbers.append(4)
    numbers.append(contentsOf: 5...6)
    numbers.insert(0, at: 0)
    numbers.insert(contentsOf: [8, 9], at: 1)
    numbers.insert(contentsOf: [7], at: RangeSet(9..<10))
    #expect(cabinet.numbers == [0, 8, 9, 3, 1, 2, 4, 5, 6, 7])
    #expect(
      log.take() == [
        "numbers: insertion, indexes: 3, new: [4]", "numbers: insertion, indexes: 4–5, new: [5, 6]",
        "numbers: insertion, indexes: 0, new: [0]", "numbers: insertion, indexes: 1–2, new: [8, 9]",
        "numbers: insertion, indexes: 9, new: [7]",
      ])
  }

  @Test("C2 Elements inserted at many indexes each get theirs")
  func insertingAtManyIndexes() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<TestVolume.either(300, few: 50, full: 3_000) {
      let before = Array(0..<Int.random(in: 0...12, using: &generator))
      let entering = (0..<Int.random(in: 1...12, using: &generator)).map { 100 + $0 }
      let indexes = (0..<before.count + entering.count).shuffled(using: &generator)
        .prefix(entering.count).sorted()
      var expected = before
      for (index, element) in zip(indexes, entering) { expected.insert(element, at: index) }
      cabinet.numbers = before
      _ = log.take()
      let places = RangeSet(indexes.map { $0..<$0 + 1 })
      numbers.insert(contentsOf: entering, at: places)
      #expect(cabinet.numbers == expected, "round \(round)")
      let told = log.take()
      #expect(told.count == 1 && told.first?.hasSuffix(", new: \(entering)") == true)
    }
  }

  @Test("C4 Every method that removes notifies of one removal, with the removed elements")
  func removing() {
    cabinet.numbers = Array(0..<10)
    _ = log.take()
    #expect(numbers.remove(at: 3) == 3)
    #expect(numbers.removeFirst() == 0)
    #expect(numbers.removeLast() == 9)
    numbers.remove(at: RangeSet([0..<1, 2..<4]))
    numbers.removeAll { $0.isMultiple(of: 2) }
    #expect(cabinet.numbers == [7])
    numbers.append(contentsOf: [1, 2, 3, 4])
    numbers.removeFirst(1)
    numbers.removeLast(2)
    numbers.removeSubrange(1...)
    numbers.removeSubrange(0..<0)
    numbers.removeLast(0)
    numbers.removeAll()
    #expect(cabinet.numbers == [])
    #expect(
      log.take() == [
        "numbers: removal, indexes: 3, old: [3]", "numbers: removal, indexes: 0, old: [0]",
        "numbers: removal, indexes: 7, old: [9]",
        "numbers: removal, indexes: 0, 2–3, old: [1, 4, 5]",
        "numbers: removal, indexes: 0–1, 3, old: [2, 6, 8]",
        "numbers: insertion, indexes: 1–4, new: [1, 2, 3, 4]",
        "numbers: removal, indexes: 0, old: [7]", "numbers: removal, indexes: 2–3, old: [3, 4]",
        "numbers: removal, indexes: 1, old: [2]", "numbers: removal, indexes: 0, old: [1]",
      ])
  }

  @Test("C4 What is replaced may be any range of indexes, as of an array")
  func replacingRanges() {
    numbers.replaceSubrange(1...1, with: [8, 9])
    numbers.replaceSubrange(3..., with: [])
    numbers.replaceSubrange(..<2, with: [4, 5])
    #expect(cabinet.numbers == [4, 5, 9])
    #expect(
      log.take() == [
        "numbers: removal, indexes: 1, old: [1]", "numbers: insertion, indexes: 1–2, new: [8, 9]",
        "numbers: removal, indexes: 3, old: [2]",
        "numbers: replacement, indexes: 0–1, old: [3, 8], new: [4, 5]",
      ])
  }

  @Test("C4 Every method that replaces or moves notifies with its kinds and indexes")
  func exchanging() {
    numbers[2] = 5
    numbers.swapAt(0, 2)
    numbers.swapAt(1, 1)
    numbers.replaceSubrange(0..<2, with: [7, 8])
    numbers.replaceSubrange(1..<2, with: [1, 2, 3])
    numbers.replaceSubrange(0..<0, with: [0])
    numbers.replaceSubrange(0..<1, with: [])
    #expect(cabinet.numbers == [7, 1, 2, 3, 3])
    numbers.move(from: 0, to: 4)
    numbers.move(from: 4, to: 1)
    #expect(cabinet.numbers == [1, 7, 2, 3, 3])
    #expect(
      log.take() == [
        "numbers: replacement, indexes: 2, old: [2], new: [5]",
        "numbers: replacement, indexes: 0, 2, old: [3, 5], new: [5, 3]",
        "numbers: replacement, indexes: 0–1, old: [5, 1], new: [7, 8]",
        "numbers: removal, indexes: 1, old: [8]",
        "numbers: insertion, indexes: 1–3, new: [1, 2, 3]",
        "numbers: insertion, indexes: 0, new: [0]", "numbers: removal, indexes: 0, old: [0]",
        "numbers: removal, indexes: 0, old: [7]", "numbers: insertion, indexes: 4, new: [7]",
        "numbers: removal, indexes: 4, old: [7]", "numbers: insertion, indexes: 1, new: [7]",
      ])
  }

  @Test("N8 C7 An observer of the removal may shorten the array that a move inserts into")
  func shortened() async {
    await #expect(processExitsWith: .success) {
      let log = ChangeLog()
      func history(_ operation: (KeyValueMutableArray<Int>) -> Void) -> [String] {
        let cabinet = Cabinet()
        cabinet.numbers = [1, 2, 3, 4]
        let token = cabinet.observe(\.numbers, options: [.old, .new]) { cabinet, change in
          log.note("numbers", change)
          if change.kind == .removal { cabinet.numbers = [0] }
        }
        operation(cabinet.mutableArrayValue(for: \.numbers))
        token.invalidate()
        return log.take()
      }
      #expect(
        history { $0.move(from: 0, to: 3) } == [
          "numbers: removal, indexes: 0, old: [1]", "numbers: setting, old: [2, 3, 4], new: [0]",
          "numbers: insertion, indexes: 1, new: [1]",
        ])
      #expect(
        history { $0.replaceSubrange(2..<4, with: [7, 8, 9]) } == [
          "numbers: removal, indexes: 2–3, old: [3, 4]", "numbers: setting, old: [1, 2], new: [0]",
          "numbers: insertion, indexes: 1–3, new: [7, 8, 9]",
        ])
      var place = 0..<0
      let moved = history { place = $0.moveSubranges(RangeSet([0..<1, 2..<3]), to: 4) }
      #expect(
        moved == [
          "numbers: removal, indexes: 0, 2, old: [1, 3]", "numbers: setting, old: [2, 4], new: [0]",
          "numbers: insertion, indexes: 1–2, new: [1, 3]",
        ])
      #expect(place == 1..<3)
    }
  }

  @Test("N8 C7 A prior's handler may shorten the array that an operation changes")
  func shortenedInPrior() async {
    await #expect(processExitsWith: .success) {
      let log = ChangeLog()
      func history(_ operation: (KeyValueMutableArray<Int>) -> Void) -> [String] {
        let cabinet = Cabinet()
        cabinet.numbers = [1, 2, 3]
        let token = cabinet.observe(\.numbers, options: [.old, .new, .prior]) { cabinet, change in
          if change.isPrior, change.kind != .setting { return cabinet.numbers = [8, 9] }
          if change.kind != .setting { log.note("numbers", change) }
        }
        operation(cabinet.mutableArrayValue(for: \.numbers))
        token.invalidate()
        return log.take() + ["\(cabinet.numbers)"]
      }
      #expect(
        history { $0.append(4) } == [
          "numbers: insertion, indexes: 3, new: [4]", "[8, 9, 4]",
        ])
      #expect(
        history { $0.append(contentsOf: [4, 5]) } == [
          "numbers: insertion, indexes: 3–4, new: [4, 5]", "[8, 9, 4, 5]",
        ])
      #expect(
        history { $0.remove(at: 2) } == [
          "numbers: removal, indexes: 2, old: [3]", "[8, 9]",
        ])
      #expect(
        history { $0[2] = 7 } == [
          "numbers: replacement, indexes: 2, old: [3], new: []", "[8, 9]",
        ])
      #expect(
        history { $0.replaceSubrange(1..<3, with: [6, 7]) } == [
          "numbers: replacement, indexes: 1–2, old: [2, 3], new: []", "[8, 9]",
        ])
      // These know the elements only as `Any`.
      #expect(
        history { $0.insert(contentsOf: [4, 5], at: RangeSet([0..<1, 4..<5])) } == [
          "numbers: insertion, indexes: 0, 4, new: [4, 5]", "[4, 8, 9, 5]",
        ])
      #expect(
        history { $0.remove(at: RangeSet([0..<1, 2..<3])) } == [
          "numbers: removal, indexes: 0, 2, old: [1, 3]", "[9]",
        ])
      #expect(
        history { $0.replace(at: RangeSet([0..<1, 2..<3]), with: [6, 7]) } == [
          "numbers: replacement, indexes: 0, 2, old: [1, 3], new: []", "[8, 9]",
        ])
      // No element gets lost, and none comes back.
      #expect(
        history { $0.swapAt(0, 2) } == [
          "numbers: replacement, indexes: 0, 2, old: [1, 3], new: []", "[8, 9]",
        ])
      #expect(
        history { $0.reverse() } == [
          "numbers: replacement, indexes: 0–2, old: [1, 2, 3], new: []", "[8, 9]",
        ])
    }
  }

  @Test("C4 Compound assignment of an element is one replacement")
  func compound() {
    let copy = numbers
    copy[1] += 10
    #expect(cabinet.numbers == [3, 11, 2])
    #expect(log.take() == ["numbers: replacement, indexes: 1, old: [1], new: [11]"])
  }

  @Test("C4 Generic algorithms of mutable collections work, with one replacement for each exchange")
  func algorithms() {
    func part(_ numbers: inout some MutableCollection<Int>) -> Any {
      numbers.partition { $0 > 2 }
    }
    cabinet.numbers = [4, 1, 3, 2]
    _ = log.take()
    var copy = numbers
    let middle = part(&copy) as? Int
    #expect(middle == 2)
    #expect(Set(cabinet.numbers[..<2]) == [1, 2])
    #expect(log.take().allSatisfy { $0.hasPrefix("numbers: replacement") })
  }

  @Test("C4 An untyped proxy reads and prints its elements")
  func untyped() throws {
    let untyped = try cabinet.mutableArrayValue(forKey: "numbers")
    #expect(untyped.count == 3)
    #expect(untyped[0] as? Int == 3)
    #expect(untyped.compactMap { $0 as? Int } == [3, 1, 2])
    #expect("\(untyped)" == "[3, 1, 2]")
    #expect(untyped.remove(at: 1) as? Int == 1)
    untyped[0] = 5
    untyped.sort { ($0 as? Int ?? 0) < ($1 as? Int ?? 0) }
    #expect(cabinet.numbers == [2, 5])
  }

  @Test("C4 Optional elements stay optional, including nil")
  func optionals() throws {
    let holder = OptionalElements()
    let typed = holder.mutableArrayValue(for: \.values)
    let untyped = try holder.mutableArrayValue(forKey: "values")
    let token = holder.observe(\.values, options: .new, changeHandler: log.handler("values"))
    typed.append(nil)
    typed.append(1)
    untyped.append(2)
    #expect(holder.values == [nil, 1, 2])
    #expect(typed[0] == nil)
    #expect(typed[2] == 2)
    #expect(untyped.count == 3)
    #expect(
      log.take() == [
        "values: insertion, indexes: 0, new: [nil]", "values: insertion, indexes: 1, new: [1]",
        "values: insertion, indexes: 2, new: [2]",
      ])
    token.invalidate()
  }

  @KeyValueObservable
  final class OptionalElements {
    var values: [Int?] = []
  }

  @Test("C4 The collection may change during an iteration")
  func mutationDuringIteration() {
    var seen: [Int] = []
    for number in numbers {
      seen.append(number)
      if number == 3 { numbers.append(9) }
    }
    #expect(seen.starts(with: [3, 1, 2]))
    #expect(cabinet.numbers == [3, 1, 2, 9])
  }

  @Test(
    "C6 An append to an optional array copies nothing, with one observer or several",
    arguments: [1, 2])
  func optionalCopies(observers: Int) throws {
    let division = Division("one", [])
    division.advisers = Array(repeating: Employee("Ada", salary: 1), count: 1_000)
    division.advisers?.reserveCapacity(2_000)
    func address() -> UInt? {
      division.advisers?.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    let tokens = (0..<observers).map { _ in
      division.observe(\.advisers, options: .new, changeHandler: log.handler("advisers"))
    }
    let advisers = try division.mutableArrayValue(forKey: "advisers")
    let before = address()
    for _ in 0..<100 { advisers.append(Employee("Ben", salary: 2)) }
    #expect(address() == before && log.take().count == 100 * observers)
    for token in tokens { token.invalidate() }
  }
}

/// Random numbers that are the same each time.
private struct Counting: RandomNumberGenerator {
  private var state: UInt64 = 7

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }
}
