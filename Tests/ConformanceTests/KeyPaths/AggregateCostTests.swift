import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P7. The cost of maintained aggregates")
struct AggregateCostTests {
  private let reads = ReadCounter()
  private let division = Division("one")
  private let count = 1_000

  init() {
    division.employees = (0..<count).map { Employee(salary: $0, reads: reads) }
  }

  private func newcomer() -> Employee { Employee(salary: 5, reads: reads) }

  /// How many elements each of several changes reads.
  private func costs() -> [Int] {
    let employees = division.mutableArrayValue(for: \.employees)
    let changes: [() -> Void] = [
      { division.employees[300].salary += 1 },
      { employees.append(newcomer()) },
      { employees.remove(at: 100) },
      { employees[200] = newcomer() },
      { division.employees.append(newcomer()) },
      { division.employees.removeFirst() },
      { division.employees = Array(division.employees.reversed()) },
    ]
    return changes.map { change in
      reads.count = 0
      change()
      return reads.count
    }
  }

  private static let expected = [1, 1, 0, 1, 1, 0, 0]

  @Test(
    "P7 A change reads only the elements that changed", arguments: ["@sum", "@avg", "@min", "@max"])
  func strings(operation: String) throws {
    reads.count = 0
    let token = try division.observe(
      "employees.\(operation).counted", options: [.old, .new, .prior]
    ) { _, _ in }
    #expect(reads.take() == count)
    #expect(costs() == Self.expected)
    reads.count = 0
    token.invalidate()
    #expect(reads.count == 0)
  }

  @Test("P7 With typed paths, a change reads only the elements that changed")
  func typed() throws {
    let options: KeyValueObservingOptions = [.old, .new, .prior]
    let observers: [() -> KeyValueObservation] = [
      { division.observe(\.employees[sum: \.counted], options: options) { _, _ in } },
      { division.observe(\.employees[average: \.counted], options: options) { _, _ in } },
      { division.observe(\.employees[minimum: \.counted], options: options) { _, _ in } },
      { division.observe(\.employees[maximum: \.counted], options: options) { _, _ in } },
      // A value tail of the key, too.
      { division.observe(\.employees[sum: \.counted.bitWidth], options: options) { _, _ in } },
    ]
    for observe in observers {
      let token = observe()
      #expect(costs() == Self.expected, "\(token.keyPath)")
      token.invalidate()
    }
  }

  @Test("P7 Behind an optional owner, a change reads only what changed, typed and by string")
  func optionalOwner() throws {
    let enterprise = Enterprise()
    enterprise.main = division
    let options: KeyValueObservingOptions = [.old, .new, .prior]
    let observers: [() throws -> KeyValueObservation] = [
      { enterprise.observe(\.main.employees[sum: \.counted], options: options) { _, _ in } },
      { enterprise.observe(\.main?.employees[sum: \.counted], options: options) { _, _ in } },
      { try enterprise.observe("main.employees.@sum.counted", options: options) { _, _ in } },
    ]
    for (index, observe) in observers.enumerated() {
      let token = try observe()
      #expect(costs() == Self.expected, "\(index)")
      token.invalidate()
    }
  }

  @Test("P7 Each of several observers of one path reads a changed element once")
  func several() throws {
    let tokens = try (0..<3).map { _ in
      try division.observe("employees.@sum.counted", options: [.old, .new]) { _, _ in }
    }
    #expect(costs() == Self.expected.map { $0 * 3 })
    for token in tokens { token.invalidate() }
  }

  @Test("P7 The initial value is computed once")
  func initial() throws {
    reads.count = 0
    var values: [Any?] = []
    let token = try division.observe("employees.@sum.counted", options: [.initial, .new]) {
      values.append($1.newValue ?? nil)
    }
    #expect(values as? [Int] == [count * (count - 1) / 2])
    #expect(reads.count <= 2 * count)
    token.invalidate()
  }

  @Test(
    "P7 Unions cost in proportion to the size of the change",
    arguments: ["@unionOfObjects", "@distinctUnionOfObjects"])
  func unions(operation: String) throws {
    let token = try division.observe(
      "employees.\(operation).counted", options: [.old, .new, .prior]
    ) { _, _ in }
    #expect(costs().allSatisfy { $0 <= 2 }, "\(costs())")
    token.invalidate()
  }

  // MARK: Shared sources

  @KeyValueObservable
  fileprivate final class Club {
    var bonus = 0
  }

  @KeyValueObservable
  fileprivate final class Member {
    var age: Int
    var club: Club

    init(_ age: Int, _ club: Club) {
      self.age = age
      self.club = club
    }
  }

  @KeyValueObservable
  fileprivate final class Squad {
    var members: [Member]
    @KeyValueIgnored let reads: ReadCounter

    @DependsOn("members.club.bonus")
    var oldest: Member? {
      reads.count += 1
      return members.max { $0.age < $1.age }
    }
    @DependsOn("members.club.bonus")
    var total: Int {
      reads.count += 1
      return members.reduce(0) { $0 + $1.club.bonus }
    }

    init(_ members: [Member], _ reads: ReadCounter) {
      self.members = members
      self.reads = reads
    }
  }

  @KeyValueObservable
  fileprivate final class League {
    var squads: [Squad]

    init(_ squads: [Squad]) {
      self.squads = squads
    }
  }

  @Test("P7 D2 A change of a source that all elements share is followed once")
  func sharedSource() throws {
    let club = Club()
    let squad = Squad((0..<100).map { Member($0, club) }, reads)
    let league = League([squad])
    var totals: [Int] = []
    let tokens = [
      try squad.observe("oldest.age") { _, _ in },
      league.observe(\.squads[sum: \.total], options: .new) { _, change in
        if let total = change.newValue { totals.append(total) }
      },
    ]
    reads.count = 0
    club.bonus = 1
    #expect(reads.take() <= 8)
    squad.members[0].club = Club()
    squad.members[0].club.bonus = 5
    #expect(totals == [100, 99, 104])
    for token in tokens { token.invalidate() }
  }

  // MARK: Comparisons

  /// A value that counts its comparisons.
  fileprivate struct Grade: Comparable {
    let value: Int
    let comparisons: ReadCounter

    static func == (left: Grade, right: Grade) -> Bool { left.value == right.value }

    static func < (left: Grade, right: Grade) -> Bool {
      left.comparisons.count += 1
      return left.value < right.value
    }
  }

  @KeyValueObservable
  fileprivate final class Pupil {
    var grade: Grade

    init(_ grade: Grade) { self.grade = grade }
  }

  @KeyValueObservable
  fileprivate final class School {
    var pupils: [Pupil] = []
  }

  @Test(
    "P7 A change of an extremum costs a logarithmic number of comparisons", arguments: [64, 4_096])
  func logarithm(count: Int) {
    let school = School()
    school.pupils = (0..<count).map { Pupil(Grade(value: $0, comparisons: reads)) }
    let token = school.observe(\.pupils[minimum: \.grade], options: [.old, .new]) { _, _ in }
    let logarithm = Int.bitWidth - count.leadingZeroBitCount
    var generator = SeededGenerator(seed: 5)
    reads.count = 0
    var costs: [Int] = []
    for _ in 0..<100 {
      let value = Int.random(in: -count...count, using: &generator)
      school.pupils[Int.random(in: 0..<count, using: &generator)].grade =
        Grade(value: value, comparisons: reads)
      costs.append(reads.take())
    }
    let pupils = school.mutableArrayValue(for: \.pupils)
    pupils.append(Pupil(Grade(value: -2 * count, comparisons: reads)))
    costs.append(reads.take())
    pupils.remove(at: 0)
    costs.append(reads.take())
    let most = costs.max() ?? 0
    #expect(most <= 6 * logarithm)
    token.invalidate()
    #expect(reads.take() == 0)
  }
}
