import FoundationKVO
import Testing

private enum Grade: Int {
  case low = 1
  case high
}

@KeyValueObservable
private class Item: NSObject {
  dynamic var name = ""
  dynamic var count = 3
  dynamic var price = 1.5
  dynamic var isSold = true
  dynamic var grade = Grade.low
  dynamic var range = NSRange(location: 1, length: 2)
  dynamic var size = CGSize(width: 2, height: 3)
  dynamic var note: String?
  dynamic var next: Item?
  dynamic var parts: [Item] = []
  dynamic var prices: [Double] = []
  dynamic var labels: Set<String> = []
  private(set) var asked: [String] = []

  override func value(forUndefinedKey key: String) -> Any? {
    key.hasPrefix("x") ? "undefined \(key)" : super.value(forUndefinedKey: key)
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    asked.append("\(key)=\(value ?? "nil")")
  }

  override func setNilValueForKey(_ key: String) {
    asked.append("nil for \(key)")
    if key == "count" { setValue(0, forKey: key) }
  }
}

@KeyValueObservable
private final class Plot: NSObject {
  dynamic var count = 3
  dynamic var height: CGFloat = 1.5
  dynamic var heights: [CGFloat] = [1, 2.5]
  dynamic var origin = CGPoint(x: 1, y: 2)
  dynamic var size = CGSize(width: 2, height: 3)
  dynamic var frame = CGRect(x: 1, y: 2, width: 3, height: 4)
  dynamic var frames = [CGRect.zero]
  dynamic var range = NSRange(location: 1, length: 2)
}

private final class FrameReader: NSObject {
  private(set) var widths: [CGFloat] = []

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard let old = change?[.oldKey] as? CGRect, let new = change?[.newKey] as? CGRect else {
      return
    }
    widths += [old.width, new.width]
  }
}

@KeyValueObservable
private class Bill: NSObject {
  dynamic var amount: NSDecimalNumber = 0
  dynamic var decimals: [Decimal] = []
  dynamic var numbers: [NSDecimalNumber] = []
  dynamic var parts: [Bill] = []
}

@Suite("FoundationKVO: key-value coding")
struct CodingTests {
  private let item = Item()

  @Test("scalars are boxed in NSNumber, structures in NSValue; collections are Foundation's")
  func boxes() {
    item.name = "desk"
    #expect(item.value(forKey: "name") as? String == "desk")
    #expect(item.value(forKey: "count") as? Double == 3)
    #expect((item.value(forKey: "price") as? NSNumber)?.intValue == 1)
    #expect(item.value(forKey: "isSold") as? NSNumber == true)
    #expect(item.value(forKey: "grade") as? Int == 1)
    #expect((item.value(forKey: "range") as? NSValue)?.rangeValue.length == 2)
    #expect((item.value(forKey: "size") as? NSValue)?.sizeValue.height == 3)
    #expect(item.value(forKey: "note") == nil)
    #expect(item.value(forKey: "parts") is NSArray)
    #expect((item.value(forKey: "parts") as? [Item])?.isEmpty == true)
    #expect(item.value(forKey: "labels") is NSSet)
    #expect(item.value(forKey: "self") as? Item === item)
  }

  @Test("values of scalars and structures cast to their types, as on macOS, and to no others")
  func casts() {
    let plot = Plot()
    func value(_ key: String) -> Any? { plot.value(forKey: key) }
    #expect(value("height") as? CGFloat == 1.5)
    #expect(value("count") as? CGFloat == 3)
    #expect(value("heights") as? [CGFloat] == [1, 2.5])
    #expect(value("origin") as? CGPoint == CGPoint(x: 1, y: 2))
    #expect(value("size") as? CGSize == CGSize(width: 2, height: 3))
    #expect(value("frame") as? CGRect == CGRect(x: 1, y: 2, width: 3, height: 4))
    #expect(value("range") as? NSRange == NSRange(location: 1, length: 2))
    #expect(value("frames") as? [CGRect] == [.zero])
    #expect(value("origin") as? CGSize == nil)
    #expect(value("frame") as? CGFloat == nil)
    #expect(value("height") as? CGPoint == nil)
    #expect((NSNumber(value: Int64.max) as Any) as? CGFloat == nil)
    #expect((CGSize.zero as Any) as? NSValue == NSValue(size: .zero))
    #expect((CGFloat(2.5) as Any) as? NSNumber == 2.5)
  }

  @Test("a changed structure is cast in a change's dictionary")
  func castsOfChanges() {
    let plot = Plot()
    let reader = FrameReader()
    plot.addObserver(reader, forKeyPath: "frame", options: [.old, .new], context: nil)
    plot.frame.size.width = 9
    plot.removeObserver(reader, forKeyPath: "frame")
    #expect(reader.widths == [3, 9])
  }

  @Test("a model object can be formatted with %@")
  func formatting() {
    #expect(String(format: "%@ %d", item, 3) == "\(item.description) 3")
    #expect(item.description.contains("Item"))
  }

  @Test("setting by key accepts the values that Cocoa accepts")
  func setting() {
    item.setValue(NSNumber(value: 4), forKey: "count")
    item.setValue(5, forKey: "price")
    item.setValue(false, forKey: "isSold")
    item.setValue(2, forKey: "grade")
    item.setValue(NSValue(range: NSRange(location: 7, length: 1)), forKey: "range")
    item.setValue("x" as NSString, forKey: "note")
    item.setValue(NSArray(array: [Item()]), forKey: "parts")
    item.setValue(NSSet(array: ["a"]), forKey: "labels")
    item.setValue([1, 2], forKey: "prices")
    #expect(item.prices == [1, 2])
    item.setValue(NSArray(array: [1, 2.5]), forKey: "prices")
    #expect(item.prices == [1, 2.5])
    item.setValue(nil, forKey: "count")
    item.setValue(1, forKey: "nowhere")
    #expect(item.count == 0)
    #expect(item.price == 5)
    #expect(!item.isSold)
    #expect(item.grade == .high)
    #expect(item.range.location == 7)
    #expect(item.note == "x")
    #expect(item.parts.count == 1)
    #expect(item.labels == ["a"])
    #expect(item.asked == ["nil for count", "nowhere=1"])
    #expect(item.value(forKey: "xyz") as? String == "undefined xyz")
  }

  @Test("key paths and operators pass through objects, collections and dictionaries")
  func paths() {
    let (first, second) = (Item(), Item())
    (first.price, second.price) = (2, 4)
    item.parts = [first, second]
    item.next = first
    item.setValue("n", forKeyPath: "next.name")
    #expect(first.name == "n")
    #expect(item.value(forKeyPath: "next.name") as? String == "n")
    #expect(item.value(forKeyPath: "next.next.name") == nil)
    #expect(item.value(forKeyPath: "parts.price") as? [Double] == [2, 4])
    #expect(item.value(forKeyPath: "parts.@sum.price") as? Double == 6)
    #expect(item.value(forKeyPath: "parts.@count") as? Int == 2)
    #expect(item.value(forKeyPath: "parts.note") as? NSArray == [NSNull(), NSNull()])
    let array = NSArray(array: [first, second])
    #expect(array.value(forKey: "price") as? [Double] == [2, 4])
    #expect(array.value(forKeyPath: "@avg.price") as? Double == 3)
    #expect(array.value(forKey: "@count") as? Int == 2)
    array.setValue("all", forKey: "name")
    #expect(NSSet(array: [first, second]).value(forKey: "name") as? Set<String> == ["all"])
    #expect(NSOrderedSet(array: [first]).value(forKeyPath: "@max.price") as? Double == 2)
    let dictionary = NSMutableDictionary()
    dictionary.setValue(first, forKey: "item")
    dictionary.setValue("deep", forKeyPath: "item.name")
    #expect(dictionary.value(forKeyPath: "item.name") as? String == "deep")
    dictionary.setValue(nil, forKey: "item")
    #expect(dictionary.count == 0)
    let values = item.dictionaryWithValues(forKeys: ["count", "note"])
    #expect(values["note"] is NSNull)
    item.setValuesForKeys(["name": "set", "note": NSNull()])
    #expect(item.name == "set")
    #expect(item.note == nil)
  }

  @Test("behind an @ a path ends in a collection's own key, if no operator has that name")
  func keysOfCollections() async {
    let (first, second) = (Item(), Item())
    item.parts = [first, second]
    item.labels = ["a"]
    #expect(item.value(forKeyPath: "parts.@firstObject") as? Item === first)
    #expect(item.value(forKeyPath: "parts.@lastObject") as? Item === second)
    #expect(first.value(forKeyPath: "parts.@lastObject") == nil)
    #expect(item.value(forKeyPath: "parts.@self") as? NSArray == [first, second])
    #expect(item.value(forKeyPath: "parts.@hash") is NSNumber)
    #expect(item.value(forKeyPath: "labels.@anyObject") as? String == "a")
    #expect(item.value(forKeyPath: "labels.@allObjects") as? [String] == ["a"])
    #expect(item.value(forKeyPath: "labels.@description") as? String == "\(NSSet(array: ["a"]))")
    let array = NSArray(array: ["x", "y"])
    #expect(array.value(forKey: "@lastObject") as? String == "y")
    #expect(array.value(forKeyPath: "@firstObject") as? String == "x")
    #expect(NSSet(array: [1]).value(forKey: "@anyObject") as? Int == 1)
    let order = NSOrderedSet(array: ["x", "y"])
    #expect(order.value(forKey: "@firstObject") as? String == "x")
    #expect(order.value(forKeyPath: "@lastObject") as? String == "y")
    #expect(order.value(forKey: "@array") as? [String] == ["x", "y"])
    #expect(order.value(forKey: "@set") as? Set<String> == ["x", "y"])
    #expect(NSPredicate(format: "@lastObject == 'y'").evaluate(with: array))
    await #expect(processExitsWith: .failure) { _ = Item().value(forKeyPath: "parts.@anyObject") }
    await #expect(processExitsWith: .failure) {
      _ = Item().value(forKeyPath: "parts.@lastObject.name")
    }
    await #expect(processExitsWith: .failure) {
      Item().addObserver(Witness(), forKeyPath: "parts.@lastObject", context: nil)
    }
  }

  @Test("operators add decimal numbers exactly")
  func decimals() throws {
    let bill = Bill()
    let amounts = ["0.1", "0.2"]
    bill.decimals = amounts.compactMap { Decimal(string: $0) }
    bill.numbers = amounts.map { NSDecimalNumber(string: $0) }
    bill.parts = amounts.map { amount in
      let part = Bill()
      part.amount = NSDecimalNumber(string: amount)
      return part
    }
    let sum = try #require(Decimal(string: "0.3"))
    for path in ["decimals.@sum.self", "numbers.@sum.self", "parts.@sum.amount"] {
      #expect(bill.value(forKeyPath: path) as? Decimal == sum, "\(path)")
    }
    #expect(bill.value(forKeyPath: "parts.@max.amount") as? Decimal == Decimal(string: "0.2"))
    var sums: [Any?] = []
    let token = try bill.observe("parts.@sum.amount", options: .new) { _, change in
      sums.append(change.newValue as Any?)
    }
    bill.parts[0].amount = 0.5
    #expect(sums.count == 1)
    #expect(bill.value(forKeyPath: "parts.@sum.amount") as? Decimal == Decimal(string: "0.7"))
    token.invalidate()
  }

  @Test("setting by key reaches the objects in Foundation's collections and dictionaries")
  func elements() {
    let (row, inner) = (NSMutableDictionary(), Item())
    row.setValue(NSSet(array: [inner]), forKey: "set")
    row.setValue("of the set", forKeyPath: "set.name")
    #expect(inner.name == "of the set")
    row.setValue(NSOrderedSet(array: [inner]), forKey: "order")
    row.setValue("of the order", forKeyPath: "order.name")
    #expect(inner.name == "of the order")
    #expect((row.value(forKeyPath: "order.name") as? NSOrderedSet)?.count == 1)
    row.setValue(NSMutableDictionary(), forKey: "inner")
    row.setValue(3, forKeyPath: "inner.count")
    #expect(row.value(forKeyPath: "inner.count") as? Int == 3)
    NSSet(array: [inner]).setValue("next", forKeyPath: "next.name")
    inner.next = item
    NSSet(array: [inner]).setValue("next", forKeyPath: "next.name")
    NSOrderedSet(array: [inner]).setValue(4, forKeyPath: "next.count")
    #expect(item.name == "next")
    #expect(item.count == 4)
    row.setValue("nothing", forKeyPath: "missing.name")
    #expect(row.value(forKey: "missing") == nil)
  }

  @Test("an element without keys to set is an exception")
  func elementsWithoutKeys() async {
    await #expect(processExitsWith: .failure) {
      NSArray(array: [NSDictionary()]).setValue(1, forKey: "name")
    }
    await #expect(processExitsWith: .failure) {
      NSMutableDictionary(dictionary: ["text": "x"]).setValue(1, forKeyPath: "text.length")
    }
  }

  @Test("an enumeration's key takes what its raw number takes, and no number without a case")
  func enumerations() async {
    for (value, expected) in [
      ("2", .high), (1.7, .low), (NSNumber(value: 2.9), .high), ("1 of 2", .low),
    ] as [(Any, Grade)] {
      item.setValue(value, forKey: "grade")
      #expect(item.grade == expected)
    }
    item.setValue(nil, forKey: "grade")
    #expect(item.grade == .low && item.asked == ["nil for grade"])
    await #expect(processExitsWith: .failure) { Item().setValue("3", forKey: "grade") }
    await #expect(processExitsWith: .failure) { Item().setValue(Date(), forKey: "grade") }
  }

  @Test("where Cocoa raises, the violation handler receives the exception's name and reason")
  func exceptions() async {
    await #expect(processExitsWith: .failure) {
      _ = NSObject().value(forKey: "nothing")
    }
    await #expect(processExitsWith: .failure) {
      let item = NSObject()
      item.removeObserver(item, forKeyPath: "self", context: nil)
    }
    await #expect(processExitsWith: .failure) {
      Bare().setValue(nil, forKey: "count")
    }
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        guard violation.kind == .exception,
          violation.description.hasPrefix("NSUnknownKeyException: [<Bare 0x"),
          violation.description.hasSuffix(
            "valueForUndefinedKey:]: this class is not key value coding-compliant for the key nothing."
          )
        else { return }
        exit(0)
      }
      _ = Bare().value(forKey: "nothing")
      exit(1)
    }
  }
}

/// The page that each exception's text names.
@Suite("FoundationKVO: an exception's text")
struct ExceptionTextTests {
  @Test("L1 an exception that ends the program names the page and its section")
  func page() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Bare().value(forKey: "nothing")
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let reference = try #require(
      output.firstMatch(of: /The section (.+) of the page (.+) \((.+)\) says what raises here\./),
      "\(output)")
    #expect(output.contains("Fatal error: NSUnknownKeyException: [<Bare 0x"))
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    let page = try String(
      contentsOf: root.appending(path: String(reference.3)), encoding: .utf8)
    #expect(page.hasPrefix("# \(reference.2)\n"))
    let section = try #require(
      page.split(separator: "\n## ").first { $0.hasPrefix(reference.1 + "\n") })
    #expect(section.contains("`NSUnknownKeyException`"))
  }
}

@KeyValueObservable
private final class Bare: NSObject {
  dynamic var count = 0
}
