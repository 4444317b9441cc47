import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A number that is neither an integer nor floating-point.
private struct Money: Numeric {
  var cents: Int

  init(cents: Int) {
    self.cents = cents
  }

  init(integerLiteral value: Int) {
    cents = value
  }

  init?(exactly source: some BinaryInteger) {
    guard let cents = Int(exactly: source) else { return nil }
    self.cents = cents
  }

  var magnitude: UInt { cents.magnitude }

  static func + (left: Money, right: Money) -> Money { Money(cents: left.cents + right.cents) }
  static func - (left: Money, right: Money) -> Money { Money(cents: left.cents - right.cents) }
  static func * (left: Money, right: Money) -> Money { Money(cents: left.cents * right.cents) }
  static func *= (left: inout Money, right: Money) { left = left * right }
}

@KeyValueObservable
private final class Taking {
  var amount: Money

  init(_ amount: Money) {
    self.amount = amount
  }
}

@KeyValueObservable
private final class Till {
  var takings: [Taking]

  init(_ takings: [Taking]) {
    self.takings = takings
  }
}

/// Objects with an order but no hash value; subclasses inherit both.
private class Rank: Comparable {
  let level: Int

  init(_ level: Int) {
    self.level = level
  }

  static func == (left: Rank, right: Rank) -> Bool { left.level == right.level }
  static func < (left: Rank, right: Rank) -> Bool { left.level < right.level }
}

private final class FineRank: Rank {}
private final class BroadRank: Rank {}

@Suite("K. Key-value coding: collection operators")
struct OperatorTests {
  private let employees: [Employee]
  private let division: Division

  init() {
    employees = [("Ada", 3), ("Ben", 1), ("Cyd", 3), ("Dan", 5)].map {
      Employee($0.0, salary: $0.1)
    }
    employees[0].bonus = 4
    employees[3].bonus = 2
    employees[0].skills = ["a", "b"]
    employees[1].skills = ["b", "c"]
    division = Division("one", employees)
  }

  private func value(_ keyPath: String) throws -> String {
    described(try division.value(forKeyPath: keyPath))
  }

  @Test(
    "K6 each operator computes its result from an array of objects",
    arguments: [
      ("employees.@count", "4"), ("employees.@sum.salary", "12"),
      ("employees.@avg.salary", "3.0"), ("employees.@min.salary", "1"),
      ("employees.@max.salary", "5"), ("employees.@min.name", "\"Ada\""),
      ("employees.@max.name", "\"Dan\""), ("employees.@unionOfObjects.salary", "[3, 1, 3, 5]"),
      ("employees.@distinctUnionOfObjects.salary", "[3, 1, 5]"),
      ("employees.@unionOfArrays.skills", "[\"a\", \"b\", \"b\", \"c\"]"),
      ("employees.@distinctUnionOfArrays.skills", "[\"a\", \"b\", \"c\"]"),
      ("employees.@unionOfObjects.self", "[Ada, Ben, Cyd, Dan]"),
    ])
  func operators(keyPath: String, expected: String) throws {
    #expect(try value(keyPath) == expected)
  }

  @Test("K6 @avg of integers is a Double")
  func average() throws {
    #expect(try [1, 2].value(forKeyPath: "@avg.self") as? Double == 1.5)
    #expect(try [2, 2].value(forKeyPath: "@avg.self") as? Double == 2)
    #expect(try [Int.max, Int.max].value(forKeyPath: "@avg.self") as? Double == Double(Int.max))
    #expect(try [1e308, 1e308].value(forKeyPath: "@avg.self") as? Double == 1e308)
    #expect(try [-1e308, -1e308].value(forKeyPath: "@avg.self") as? Double == -1e308)
    #expect(try [1e308, 1e308].value(forKeyPath: "@sum.self") as? Double == .infinity)
    let infinite = [1e308, 1e308, Double.infinity]
    #expect(try infinite.value(forKeyPath: "@avg.self") as? Double == .infinity)
    #expect(try [Int128.max, Int128.max].value(forKeyPath: "@avg.self") as? Double == 0x1p127)
    #expect(try [UInt128.max, UInt128.max].value(forKeyPath: "@avg.self") as? Double == 0x1p128)
  }

  @Test("K6 a sum beyond 128 bits is an error, but sums that only pass there aren't")
  func wideIntegers() throws {
    let overflow =
      "'@sum' (component 1 of '@sum.self') exceeds what an Int or a UInt64 holds. Let the elements have "
      + "a Double."
    #expect(message { _ = try [Int128.max, 1].value(forKeyPath: "@sum.self") } == overflow)
    #expect(message { _ = try [Int128.min, -1].value(forKeyPath: "@sum.self") } == overflow)
    #expect(message { _ = try [UInt128.max].value(forKeyPath: "@sum.self") } == overflow)
    #expect(message { _ = try [UInt128.max, 1].value(forKeyPath: "@sum.self") } == overflow)
    #expect(try [Int128.max, 1, Int128.min].value(forKeyPath: "@sum.self") as? Int == 0)
    #expect(try [Int128.min, -1, Int128.max, 5].value(forKeyPath: "@sum.self") as? Int == 3)
    let mixed: [Any] = [UInt128.max, Int128.min, Int128.min, 4]
    #expect(try mixed.value(forKeyPath: "@sum.self") as? Int == 3)
    #expect(try mixed.value(forKeyPath: "@max.self") as? UInt128 == UInt128.max)
  }

  @Test("K6 nil counts as 0 in @sum and @avg, is skipped by @min and @max, and fails in unions")
  func missing() throws {
    #expect(try value("employees.@sum.bonus") == "6")
    #expect(try value("employees.@avg.bonus") == "1.5")
    #expect(try value("employees.@min.bonus") == "2")
    #expect(try value("employees.@max.bonus") == "4")
    #expect(try value("employees.@count") == "4")
    for operation in ["unionOfObjects", "distinctUnionOfObjects"] {
      #expect(
        message { _ = try value("employees.@\(operation).bonus") }
          == "'@\(operation)' (component 2 of 'employees.@\(operation).bonus') found nil in an element, "
          + "which a union cannot hold. Give the key a value, or filter the elements.")
    }
    #expect(
      message { _ = try value("employees.@unionOfArrays.account") }
        == "'@unionOfArrays' (component 2 of 'employees.@unionOfArrays.account') found nil in an element, "
        + "which a union cannot hold. Give the key a value, or filter the elements.")
  }

  @Test("K6 an empty collection has sum 0, average 0, no extremum and empty unions")
  func empty() throws {
    division.employees = []
    #expect(try division.value(forKeyPath: "employees.@sum.salary") as? Int == 0)
    #expect(try division.value(forKeyPath: "employees.@avg.salary") as? Double == 0)
    #expect(try value("employees.@min.salary") == "nil")
    #expect(try value("employees.@max.salary") == "nil")
    #expect(try value("employees.@count") == "0")
    for operation in ["unionOfObjects", "distinctUnionOfObjects", "unionOfArrays"] {
      #expect(try value("employees.@\(operation).name") == "[]")
    }
    #expect(try value("employees.@distinctUnionOfSets.name") == "[]")
    #expect(try value("advisers.@sum.salary") == "nil")
    #expect(try value("advisers.@count") == "nil")
  }

  @Test("K6 a sum of integers stays an integer, and a sum that is too large is an error")
  func sums() throws {
    #expect(try [1, 2].value(forKeyPath: "@sum.self") as? Int == 3)
    #expect(try [true, false, true].value(forKeyPath: "@sum.self") as? Int == 2)
    #expect(try [1, 0.5].value(forKeyPath: "@sum.self") as? Double == 1.5)
    #expect(try ([1, 0.5] as [Any]).value(forKeyPath: "@sum.self") as? Double == 1.5)
    #expect(try ([UInt8(200), Int8(-1)] as [Any]).value(forKeyPath: "@sum.self") as? Int == 199)
    #expect(try [Float(0.5), 0.25].value(forKeyPath: "@sum.self") as? Double == 0.75)
    #expect(try [UInt8](repeating: 255, count: 3).value(forKeyPath: "@sum.self") as? Int == 765)
    #expect(
      try [Int.max, 1].value(forKeyPath: "@sum.self") as? UInt64 == UInt64(Int.max) + 1)
    #expect(try [Int.max, 1, -1].value(forKeyPath: "@sum.self") as? Int == Int.max)
    #expect(
      message { _ = try [UInt64.max, 1].value(forKeyPath: "@sum.self") }
        == "'@sum' (component 1 of '@sum.self') exceeds what an Int or a UInt64 holds. Let the elements "
        + "have a Double.")
    #expect(
      message { _ = try [Int.min, -1].value(forKeyPath: "@sum.self") }
        == "'@sum' (component 1 of '@sum.self') exceeds what an Int or a UInt64 holds. Let the elements "
        + "have a Double.")
    let doubles = [1e16, 1, 1, -1e16]
    #expect(try doubles.value(forKeyPath: "@sum.self") as? Double == 2)
    #expect(try [0.1, 0.2, 0.3].value(forKeyPath: "@sum.self") as? Double == 0.6)
  }

  @Test("K6 Decimal numbers are summed as Decimal")
  func decimals() throws {
    let prices = try ["0.1", "0.2", "1e30"].map { try #require(Decimal(string: $0)) }
    #expect(
      try prices.value(forKeyPath: "@sum.self") as? Decimal
        == Decimal(string: "1000000000000000000000000000000.3"))
    #expect(try prices.value(forKeyPath: "@max.self") as? Decimal == prices[2])
    #expect(try prices.dropLast().map { $0 }.value(forKeyPath: "@avg.self") as? Double == 0.15)
    let mixed: [Any] = [prices[0], Money(cents: 5)]
    #expect(
      message { _ = try mixed.value(forKeyPath: "@sum.self") }
        == "'@sum' (component 1 of '@sum.self') cannot add Money(cents: 5) of type Money to numbers of "
        + "type Decimal.")
    let money = [Money(cents: 5), 3]
    #expect(try money.value(forKeyPath: "@sum.self") as? Money == Money(cents: 8))
  }

  @Test("K6 numbers that no Double can be made of have a sum, but no average")
  func withoutDouble() async throws {
    #expect(try [Money]().value(forKeyPath: "@avg.self") as? Double == 0)
    #expect(
      message { _ = try [Money(cents: 5), 3].value(forKeyPath: "@avg.self") }
        == "'@avg' (component 1 of '@avg.self') is a Double, to which numbers of type Money do not "
        + "convert. Let the elements have a Double.")
    let mixed: [Any] = [Money(cents: 5), 0.5]
    #expect(
      message { _ = try mixed.value(forKeyPath: "@sum.self") }
        == "'@sum' (component 1 of '@sum.self') of numbers of different types is a Double, to which "
        + "numbers of type Money do not convert. Let the elements have a Double.")
    #expect(
      message { _ = try mixed.value(forKeyPath: "@max.self") }
        == "'@max' (component 1 of '@max.self') cannot compare 0.5 and Money(cents: 5).")
    let till = Till([Taking(Money(cents: 5))])
    #expect(till.kvo.takings[sum: \.amount].value == Money(cents: 5))
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Till([Taking(Money(cents: 5))]).kvo.takings[average: \.amount].value
    }
    try expectTrap(
      result,
      says: "'@avg' (component 2 of 'takings.@avg.amount') is a Double, to which numbers of type "
        + "Money do not convert. Let the elements have a Double.")
  }

  @Test("K6 the path on the right can lead through optionals, collections and operators")
  func rightHandPaths() throws {
    employees[0].account = Account(balance: 10)
    let owner = Person()
    defer { withExtendedLifetime(owner) {} }
    employees[0].account?.owner = owner
    employees[1].account = Account(balance: 5)
    #expect(try value("employees.@sum.account.balance") == "15.0")
    #expect(try value("employees.@max.account.owner.firstName") == "\"Ada\"")
    #expect(try value("employees.@sum.skills.@count") == "4")
    let other = Division("two", [Employee("Eve", salary: 100)])
    let divisions = [division, other]
    #expect(try divisions.value(forKeyPath: "@sum.employees.@sum.salary") as? Int == 112)
    #expect(try divisions.value(forKeyPath: "@max.employees.@avg.salary") as? Double == 100)
    #expect(
      described(try divisions.value(forKeyPath: "@unionOfObjects.employees.@count")) == "[4, 1]")
    #expect(
      described(try divisions.value(forKeyPath: "@unionOfArrays.employees.name"))
        == "[\"Ada\", \"Ben\", \"Cyd\", \"Dan\", \"Eve\"]")
    #expect(
      described(
        try divisions.value(forKeyPath: "@distinctUnionOfArrays.employees.@unionOfArrays.skills"))
        == "[\"a\", \"b\", \"c\"]")
  }

  @Test("K6 a set contains each element once, but equal values of elements all count")
  func sets() throws {
    division.interns = Set(employees)
    #expect(try value("interns.@count") == "4")
    #expect(try value("interns.@sum.salary") == "12")
    #expect(try value("interns.@avg.salary") == "3.0")
    #expect(try value("interns.@max.salary") == "5")
    let families: [Set<String>] = [["a", "b"], ["b", "c"]]
    #expect(
      try families.value(forKeyPath: "@distinctUnionOfSets.self") as? Set<String>
        == ["a", "b", "c"])
    #expect(try families.value(forKeyPath: "@unionOfSets.self") as? Set<String> == ["a", "b", "c"])
    #expect(
      described(try Set(families).value(forKeyPath: "@distinctUnionOfSets.self"))
        == "[\"a\", \"b\", \"c\"]")
  }

  @Test("K6 distinct unions compare objects by identity, and keep values that are not Equatable")
  func identities() throws {
    final class Thing {}
    struct Point { var x = 0 }
    let (one, two) = (Thing(), Thing())
    let things = try [one, two, one].value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any]
    #expect(things?.count == 2)
    let points = (0..<50).map { Point(x: $0) }
    let kept = try points.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any]
    #expect(kept?.compactMap { ($0 as? Point)?.x } == Array(0..<50))
    // Equatable but not Hashable.
    var frames = [Frame(), Frame(), Frame()]
    frames[1].origin.x = 1
    let distinct = try frames.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any]
    #expect(distinct?.compactMap { ($0 as? Frame)?.origin.x } == [0, 1])
  }

  @Test("K6 @min and @max compare numbers of several types, but not numbers with strings")
  func comparisons() throws {
    #expect(try ([1, 2.5, UInt8(2)] as [Any]).value(forKeyPath: "@max.self") as? Double == 2.5)
    #expect(try ([3, 2.5, UInt8(2)] as [Any]).value(forKeyPath: "@min.self") as? UInt8 == 2)
    #expect(try [true, false].value(forKeyPath: "@max.self") as? Bool == true)
    #expect(
      message { _ = try ([1, "a"] as [Any]).value(forKeyPath: "@max.self") }
        == "'@max' (component 1 of '@max.self') cannot compare \"a\" and 1.")
  }

  @Test("K6 objects of a class and of its subclasses are compared in any order")
  func hierarchies() throws {
    // As `Any`, each keeps its own class.
    let orders: [[Any]] = [
      [Rank(1), FineRank(2)], [FineRank(2), Rank(1)], [FineRank(1), Rank(2)],
      [FineRank(2), BroadRank(1)], [BroadRank(1), FineRank(2)],
    ]
    for ranks in orders {
      let least = try ranks.value(forKeyPath: "@min.self") as? Rank
      let most = try ranks.value(forKeyPath: "@max.self") as? Rank
      #expect(least?.level == 1 && most?.level == 2)
    }
    let pairs: [[Any]] = [
      [Rank(1), FineRank(1)], [FineRank(1), Rank(1)], [FineRank(1), BroadRank(1)],
    ]
    for ranks in pairs {
      let distinct = try ranks.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any]
      #expect(distinct?.count == 1)
    }
    let different: [Any] = [Rank(1), FineRank(2), BroadRank(3)]
    let distinct = try different.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Any]
    #expect(distinct?.count == 3)
  }

  @Test("K6 an operator that cannot be applied throws an error with the reason")
  func errors() {
    #expect(
      message { _ = try value("employees.@total.salary") }
        == "There is no collection operator '@total' (component 2 of 'employees.@total.salary').")
    #expect(
      message { _ = try value("employees.@sum") }
        == "'employees.@sum' is not a key path: @sum needs a path on its right.")
    #expect((try? value("employees.@count.name")) == "4")
    #expect(
      message { _ = try value("name.@count") }
        == "String.@count (component 2 of 'name.@count') is not a collection.")
    #expect(
      message { _ = try value("@count") }
        == "Division.@count is not a collection.")
    #expect(
      message { _ = try value("employees.@sum.name") }
        == "'@sum' (component 2 of 'employees.@sum.name') found \"Ada\" of type String, which is no "
        + "number.")
    #expect(
      message { _ = try value("employees.@unionOfArrays.name") }
        == "'@unionOfArrays' (component 2 of 'employees.@unionOfArrays.name') needs collections on its "
        + "right.")
    #expect(
      message { _ = try value("employees.@sum.nam") }
        == "Employee has no key 'nam' (component 3 of 'employees.@sum.nam'). Did you mean 'name'?")
  }
}
