import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Compares two ways of reading the same objects, which must give the same results.
///
/// The typed getter reads an array of observable objects; each object's `value(forKey:)` reads an array of
/// `Any`.
@Suite("K. Key-value coding: the typed getter and value(forKey:) agree")
struct TypedOperatorRandomisedTests {
  private static let operators = [
    "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays",
    "@count",
  ]

  /// The value with its type, or the error's message, with one name for both collections.
  private func answer(_ stock: Stock, _ keyPath: String) -> String {
    do {
      let value = try stock.value(forKeyPath: keyPath)
      return "\(value.map { "\(type(of: $0))" } ?? "-") \(described(value))"
    } catch {
      return "\(error)".replacing("anything", with: "parts")
    }
  }

  private func expectAlike(_ stock: Stock, _ sourceLocation: SourceLocation = #_sourceLocation) {
    stock.anything = stock.parts
    for key in Part.keys {
      // `self` alone is the collection.
      let alone = key == "self" ? [] : [key]
      for path in alone + Self.operators.map({ "\($0).\(key)" }) {
        #expect(
          answer(stock, "parts.\(path)") == answer(stock, "anything.\(path)"),
          "\(path) of \(stock.parts.count)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("K6 random arrays give the values and errors of each object's value(forKey:)")
  func randomArrays() {
    var generator = SeededGenerator(seed: 11)
    let stock = Stock()
    expectAlike(stock)
    for round in 0..<24 {
      stock.parts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        let kind = round % 3 == 0 ? 0 : Int.random(in: 0..<4, using: &generator)
        let part =
          switch round % 3 == 1 ? 1 : kind {
          case 1: CountedPart()
          case 2: OverridingPart()
          case 3: OwnCodingPart()
          default: Part()
          }
        part.randomise(using: &generator)
        return part
      }
      if let first = stock.parts.first, round % 4 == 0 { stock.parts.append(first) }
      expectAlike(stock)
    }
  }

  @Test("K5 a key of optional objects gives each object's value(forKey:)")
  func otherCollections() throws {
    var generator = SeededGenerator(seed: 12)
    let stock = Stock()
    for _ in 0..<20 {
      stock.parts = (0..<5).map { _ in
        let part = Part()
        part.randomise(using: &generator)
        return part
      }
      stock.places = [nil] + stock.parts + [nil]
      for key in Part.keys where key != "missing" {
        let each = try stock.parts.map { try $0.value(forKey: key) }
        #expect(
          described(try stock.value(forKeyPath: "places.\(key)")) == described([nil] + each + [nil])
        )
      }
    }
  }
}

private enum Grade: Int, Comparable {
  case low, middle, high

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

@KeyValueObservable
private class Part {
  static let keys = [
    "int", "double", "float", "byte", "big", "flag", "text", "day", "price", "grade", "maybeInt",
    "maybeDouble", "maybeText", "maybeGrade", "twice", "anything", "list", "next", "half", "shown",
    "self", "missing",
  ]

  var int = 0
  var double = 0.0
  var float: Float = 0
  var byte: Int8 = 0
  var big: UInt64 = 0
  var flag = false
  var text = ""
  var day = Date(timeIntervalSince1970: 0)
  var price: Decimal = 0
  var grade = Grade.low
  var maybeInt: Int?
  var maybeDouble: Double?
  var maybeText: String?
  var maybeGrade: Grade?
  var twice: Int??
  var anything: Any = 0
  var list: [Int] = []
  var next: Part?
  var isShown = false
  var half: Double { double / 2 }

  init() {}

  func randomise(using generator: inout SeededGenerator) {
    let special: [Double] = [
      0, -0.0, .nan, .infinity, -.infinity, 0.1, 1e300, .leastNonzeroMagnitude,
    ]
    let isSpecial = Int.random(in: 0..<4, using: &generator) == 0
    int = [Int.max, Int.min, 1, 2, 2, 7, -3].randomElement(using: &generator)!
    double =
      isSpecial
      ? special.randomElement(using: &generator)! : .random(in: -10...10, using: &generator)
    float = Float(double)
    byte = .random(in: -128...127, using: &generator)
    big = [UInt64.max, 3, 4].randomElement(using: &generator)!
    flag = .random(using: &generator)
    text = ["", "a", "b", "é", "e\u{301}"].randomElement(using: &generator)!
    day = Date(timeIntervalSince1970: .random(in: 0...9, using: &generator))
    price = Decimal(Int.random(in: 0...9, using: &generator)) / 4
    grade = [.low, .middle, .high].randomElement(using: &generator)!
    maybeInt = [nil, 1, 5, Int.max].randomElement(using: &generator)!
    maybeDouble = [nil, 0.5, .nan].randomElement(using: &generator)!
    maybeText = [nil, "x", "y"].randomElement(using: &generator)!
    maybeGrade = [nil, .low, .high].randomElement(using: &generator)!
    twice = [.none, .some(.none), 3].randomElement(using: &generator)!
    anything = ([1, 2.5, "three", Int?.none as Any] as [Any]).randomElement(using: &generator)!
    list = [[], [1], [1, 2]].randomElement(using: &generator)!
    isShown = .random(using: &generator)
  }
}

extension Part: CustomStringConvertible {
  var description: String { "part \(int)" }
}

@KeyValueObservable
private final class CountedPart: Part {
  var count = 0
}

@KeyValueObservable
private final class OverridingPart: Part {
  override var int: Int {
    get { super.int / 2 }
    set { super.int = newValue }
  }
  override var text: String {
    get { super.text + "!" }
    set { super.text = newValue }
  }
}

@KeyValueObservable
private final class OwnCodingPart: Part {
  func value(forKey key: String) throws -> Any? {
    switch key {
    case "int": return "own"
    case "double": return 7
    case "missing": return nil
    default: return try (self as any KeyValueObservable).value(forKey: key)
    }
  }
}

@KeyValueObservable
private final class Stock {
  var parts: [Part] = []
  var places: [Part?] = []
  var anything: [Any] = []

  init() {}
}
