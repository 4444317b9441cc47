import FoundationKVO
import Testing

@KeyValueObservable
private final class Account: NSObject {
  dynamic var balance: Decimal
  dynamic var limit: NSDecimalNumber

  init(_ balance: String, _ limit: String = "0") {
    self.balance = Decimal(string: balance) ?? .nan
    self.limit = NSDecimalNumber(string: limit)
    super.init()
  }
}

@KeyValueObservable
private final class Purse: NSObject {
  dynamic var amounts: Set<Decimal> = []
}

// Foundation for Linux orders an `NSDecimalNumber` and another `NSNumber` the wrong way round.
@Suite("FoundationKVO: decimal numbers in predicates, sorts and operators")
struct DecimalTests {
  private let five = Account("5", "5")

  private func holds(_ format: String, _ arguments: Any...) -> Bool {
    NSPredicate(format: format, argumentArray: arguments).evaluate(with: five)
  }

  @Test(arguments: ["balance", "limit"])
  func compared(key: String) {
    let expected = [
      "<": [false, false, true], "<=": [false, true, true], "==": [false, true, false],
    ]
    let opposite = ["<": ">=", "<=": ">", "==": "!="]
    for (sign, results) in expected {
      for (number, isTrue) in zip([3, 5, 7], results) {
        #expect(holds("\(key) \(sign) \(number)") == isTrue, "\(sign) \(number)")
        #expect(holds("\(key) \(sign) %@", Double(number) + 0.0) == isTrue, "\(sign) \(number)")
        #expect(holds("\(key) \(opposite[sign] ?? "") %@", number) != isTrue, "\(sign) \(number)")
      }
    }
    for (number, isLess) in [(3, true), (5, false), (7, false)] {
      #expect(holds("\(number) < \(key)") == isLess)
    }
    #expect(holds("\(key) BETWEEN {4, 6}"))
    #expect(!holds("\(key) BETWEEN {6, 8}"))
    #expect(holds("\(key) IN {1, 5}"))
    #expect(!holds("\(key) IN {1, 6}"))
    #expect(holds("\(key) IN %@", Set([1, 5])))
    #expect(holds("\(key) IN %@", NSArray(array: [NSDecimalNumber(string: "5")])))
    #expect(holds("{1, 5} CONTAINS \(key)"))
  }

  @Test func extremes() throws {
    #expect(holds("balance < %@", Double.infinity))
    #expect(holds("balance > %@", -Double.infinity))
    #expect(holds("balance < 1e300"))
    #expect(holds("balance > 1e-300"))
    #expect(!holds("balance == %@", Double.nan))
    let exact = try #require(Decimal(string: "9007199254740993"))
    #expect(holds("%@ > 9007199254740992", NSDecimalNumber(decimal: exact)))
    #expect(holds("%@ == 9007199254740993", NSDecimalNumber(decimal: exact)))
  }

  @Test func fractions() {
    five.limit = NSDecimalNumber(string: "0.1")
    #expect(holds("limit == 0.1"))
    #expect(holds("limit == %@", Double(0.1)))
    #expect(holds("limit == %@", Float(0.1)))
    #expect(holds("limit <= 0.1 AND limit >= 0.1"))
    #expect(!holds("limit < 0.1 OR limit > 0.1"))
  }

  @Test func equalPredicates() {
    let decimal = NSPredicate(format: "a == %@", NSDecimalNumber(string: "0.1"))
    #expect(decimal.isEqual(NSPredicate(format: "a == 0.1")))
    #expect(!decimal.isEqual(NSPredicate(format: "a == 0.2")))
  }

  @Test func arithmetic() {
    five.limit = NSDecimalNumber(string: "0.1")
    five.balance = Decimal(string: "0.2") ?? .nan
    let exact = NSDecimalNumber(string: "0.3")
    #expect(holds("balance + limit == %@", exact))
    #expect(holds("%@ - balance == limit", exact))
    #expect(holds("balance * limit == %@", NSDecimalNumber(string: "0.02")))
    #expect(holds("balance / limit == 2"))
    #expect(holds("limit * 3 == 0.3"))
    #expect(holds("sum({balance, limit}) == %@", exact))
    #expect(holds("average({balance, limit}) == 0.15"))
    #expect(holds("min({3, limit, 1}) == limit"))
    #expect(holds("max({limit, 3, 1}) == 3"))
    #expect(holds("abs(0 - limit) == limit"))
    #expect(holds("ceiling(limit) == 1 AND floor(limit) == 0 AND trunc(0 - limit) == 0"))
    let sum = NSExpression(
      forFunction: "add:to:",
      arguments: [
        NSExpression(forKeyPath: "balance"), NSExpression(forKeyPath: "limit"),
      ])
    #expect(sum.expressionValue(with: five, context: nil) as? NSDecimalNumber == exact)
  }

  @Test("a number becomes a decimal with its own digits, or not a number if it has no decimal")
  func made() {
    let numbers: [(NSNumber, String)] = [
      (NSNumber(value: 0.1), "0.1"), (NSNumber(value: 9_007_199_254_740_993), "9007199254740993"),
      (NSNumber(value: Double.infinity), "NaN"), (NSNumber(value: -Double.infinity), "NaN"),
      (NSNumber(value: Float.infinity), "NaN"), (NSNumber(value: Double.nan), "NaN"),
    ]
    for (number, digits) in numbers {
      let cast = NSExpression(format: "CAST(%@, 'NSDecimalNumber')", number)
      let decimals = [
        cast.expressionValue(with: nil, context: nil),
        (number as Foundation.NSObject).value(forKey: "decimalValue"),
      ]
      #expect(decimals.map { ($0 as? NSDecimalNumber)?.stringValue } == [digits, digits])
    }
  }

  @Test func sorted() {
    let accounts = ["5", "-2", "30.5", "0.1"].map { Account($0, $0) }
    for key in ["balance", "limit"] {
      let up = NSArray(array: accounts).sortedArray(using: [
        NSSortDescriptor(key: key, ascending: true)
      ])
      #expect(up.compactMap { ($0 as? Account)?.limit.stringValue } == ["-2", "0.1", "5", "30.5"])
    }
    let mixed: [NSNumber] = [NSDecimalNumber(string: "5"), 3, NSDecimalNumber(string: "4.5"), 4]
    let up = NSArray(array: mixed).sortedArray(using: [
      NSSortDescriptor(key: "self", ascending: true)
    ])
    #expect(up.compactMap { ($0 as? NSNumber)?.doubleValue } == [3, 4, 4.5, 5])
  }

  @Test func operators() {
    let mixed = NSArray(array: [
      NSDecimalNumber(string: "5"), NSNumber(value: 3), NSDecimalNumber(string: "4.5"),
      NSNumber(value: 4),
    ])
    #expect((mixed.value(forKeyPath: "@max.self") as? NSNumber)?.doubleValue == 5)
    #expect((mixed.value(forKeyPath: "@min.self") as? NSNumber)?.doubleValue == 3)
    #expect((mixed.value(forKeyPath: "@sum.self") as? NSNumber)?.doubleValue == 16.5)
    #expect((mixed.value(forKeyPath: "@distinctUnionOfObjects.self") as? NSArray)?.count == 4)
    let accounts = NSArray(array: [Account("0.1", "0.1"), Account("0.2", "0.2")])
    for key in ["balance", "limit"] {
      let sum = accounts.value(forKeyPath: "@sum.\(key)")
      #expect(sum as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
    }
  }

  // The hash value of an `NSDecimalNumber` doesn't return on Linux.
  @Test func setsOfDecimals() throws {
    let purse = Purse()
    purse.amounts = [1, 2.5]
    let read = try #require(purse.value(forKey: "amounts") as? NSSet)
    #expect(read.count == 2)
    #expect(read.contains(1))
    #expect(read as? Set<Decimal> == purse.amounts)
    let proxy = purse.mutableSetValue(forKey: "amounts")
    proxy.add(NSDecimalNumber(string: "3"))
    proxy.remove(NSDecimalNumber(string: "2.5"))
    #expect(purse.amounts == [1, 3])
    #expect(proxy.contains(NSDecimalNumber(string: "3")))
    let accounts = NSArray(array: [Account("1", "1"), Account("1", "1"), Account("2", "2")])
    for key in ["balance", "limit"] {
      #expect(
        (accounts.value(forKeyPath: "@distinctUnionOfObjects.\(key)") as? NSArray)?.count == 2)
      #expect((NSSet(array: accounts.map { $0 }).value(forKey: key) as? NSSet)?.count == 2)
    }
    let union = NSExpression(
      format: "{1, 2.5} UNION %@", NSArray(array: [NSDecimalNumber(string: "2.5")]))
    #expect((union.expressionValue(with: nil, context: nil) as? NSSet)?.count == 2)
  }

  @Test func coded() {
    #expect(five.value(forKey: "balance") is NSDecimalNumber)
    #expect(five.value(forKey: "balance") as? Decimal == 5)
    five.setValue(NSNumber(value: 7), forKey: "balance")
    #expect(five.balance == 7)
  }
}

/// Archives its price as the page *Porting from Cocoa* says, or as Cocoa code does.
///
/// Neither private nor nested, because Foundation's archiver ends the program at a class without a plain name.
final class ArchivedArticle: NSObject, NSCoding {
  let price: NSDecimalNumber
  var archivesNumber = false

  init(_ price: String) {
    self.price = NSDecimalNumber(string: price)
    super.init()
  }

  func encode(with coder: NSCoder) {
    coder.encode(archivesNumber ? price : price.stringValue, forKey: "price")
  }

  init?(coder: NSCoder) {
    guard let price = coder.decodeObject(forKey: "price") as? String else { return nil }
    self.price = NSDecimalNumber(string: price)
    super.init()
  }
}

@Suite("FoundationKVO: decimal numbers in archives")
struct ArchivedDecimalTests {
  private static let digits = "12.345678901234567890123"

  @Test("a decimal number's string is archived and read back exactly")
  func archived() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: ArchivedArticle(Self.digits), requiringSecureCoding: false)
    let read = try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data) as? ArchivedArticle
    #expect(read?.price.stringValue == Self.digits)
  }

  // Once this fails, Foundation hashes decimal numbers, and the page's rows about them can go.
  @Test("Foundation's archiver ends the program at the decimal number itself")
  func overflow() async {
    await #expect(processExitsWith: .failure) {
      let article = ArchivedArticle("1.5")
      article.archivesNumber = true
      _ = try NSKeyedArchiver.archivedData(withRootObject: article, requiringSecureCoding: false)
      exit(0)
    }
  }
}
