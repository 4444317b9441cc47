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

  func validateName(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let name = ioValue.pointee as? String, !name.isEmpty else {
      throw CocoaError(.keyValueValidation)
    }
    ioValue.pointee = name.capitalized as NSString
  }

  /// Validates a key of the customisation points, which no property has.
  func validateLabel(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    throw CocoaError(.keyValueValidation)
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

/// An object whose end observes a dictionary.
private final class ObservingAtEnd {
  deinit { observeDictionary(of: nil) }
}

/// Observes dictionaries on two threads; false if that takes too long.
private func observeDyingDictionaries() -> Bool {
  let done = DispatchSemaphore(value: 0)
  for _ in 0..<2 {
    Thread.detachNewThread {
      for _ in 0..<5000 { observeDictionary(of: ObservingAtEnd()) }
      done.signal()
    }
  }
  return (0..<2).allSatisfy { _ in done.wait(timeout: .now() + 60) == .success }
}

/// Observes a dictionary with a value, both of which then end.
private func observeDictionary(of value: ObservingAtEnd?) {
  let (dictionary, witness) = (NSMutableDictionary(), Witness())
  dictionary["value"] = value
  dictionary.addObserver(witness, forKeyPath: "key", context: nil)
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

@KeyValueObservable
private class Cabinet: NSObject {
  dynamic var drawers = NSMutableDictionary()
  dynamic var labels = NSDictionary()
}

/// Overrides key-value coding to return values in capitals.
@KeyValueObservable
private final class Loud: Item {
  override func value(forKey key: String) -> Any? {
    let value = super.value(forKey: key)
    return (value as? String)?.uppercased() ?? value
  }

  override func setValue(_ value: Any?, forKey key: String) {
    super.setValue((value as? String)?.trimmingCharacters(in: .whitespaces) ?? value, forKey: key)
  }
}

/// Takes a key for one that every object has, and that can only be read.
@KeyValueObservable
private final class Product: NSObject {
  dynamic var summary = ""

  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    guard key == "description" else { return super.setValue(value, forUndefinedKey: key) }
    summary = value as? String ?? ""
  }
}

/// Notes which keys its own coding sets, and has one that only that knows.
@KeyValueObservable
private final class Watched: NSObject {
  dynamic var list: [String] = []
  dynamic var old = NSArray()
  dynamic var labels: Set<String> = []
  private var extras: [String] = []
  dynamic var count = 0
  private(set) var sets: [String] = []
  private(set) var reads: [String] = []

  override func value(forKey key: String) -> Any? {
    reads.append(key)
    return key == "extra" ? extras : super.value(forKey: key == "first" ? "list" : key)
  }

  override func setValue(_ value: Any?, forKey key: String) {
    sets.append(key)
    if key == "extra" {
      extras = value as? [String] ?? []
    } else {
      super.setValue(value, forKey: key)
    }
  }
}

/// Keeps its numbers at most at 10, one by itself, and reads twice what it computes.
@KeyValueObservable
private final class Capped: NSObject {
  dynamic var given = 0
  dynamic var stored = 0
  dynamic var reads = 0
  var computed: Int {
    if reads == 0 { reads = 1 }
    return 4
  }

  override func value(forKey key: String) -> Any? {
    let value = super.value(forKey: key)
    return key == "computed" ? (value as? Int).map { $0 * 2 } : value
  }

  override func setValue(_ value: Any?, forKey key: String) {
    let number = min(value as? Int ?? 0, 10)
    if key == "stored" { stored = number } else { super.setValue(number, forKey: key) }
  }
}

@KeyValueObservable
private final class Holder: NSObject {
  dynamic var box = Capped()
}

/// Notes what its validator is given, and accepts it.
@KeyValueObservable
private final class Accepting: NSObject {
  dynamic var text = ""
  dynamic var other = ""
  @KeyValueIgnored var given: AnyObject?

  func validateText(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    given = ioValue.pointee
  }
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

  @Test("a key that can only be read goes to the hook for undefined keys, which refuses it")
  func readOnlyKeys() async {
    let (product, witness) = (Product(), Witness())
    product.watch(["summary"], witness)
    product.setValuesForKeys(["description": "oak", "summary": "pine"])
    product.setValue("ash", forKeyPath: "description")
    product.setValue(nil, forKey: "description")
    #expect(
      witness.take() == [
        "summary: setting, old , new oak", "summary: setting, old oak, new pine",
        "summary: setting, old pine, new ash", "summary: setting, old ash, new ",
      ])
    product.unwatch(["summary"], witness)
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let text = violation.description
        exit(
          text.hasPrefix("NSUnknownKeyException: [<Product 0x")
            && text.hasSuffix("Product.hash can be read but not set.") ? 0 : 1)
      }
      Product().setValue(1, forKey: "hash")
      exit(2)
    }
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

  @Test("a mutable dictionary is changed in place by key path, an immutable one is replaced")
  func dictionaries() {
    let (cabinet, witness) = (Cabinet(), Witness())
    let paths = ["drawers", "drawers.top", "labels.top", "drawers.item.name"]
    cabinet.watch(paths, witness)
    let before = cabinet.drawers
    cabinet.setValue("socks", forKeyPath: "drawers.top")
    cabinet.setValue("Socks", forKeyPath: "labels.top")
    cabinet.setValue(item, forKeyPath: "drawers.item")
    cabinet.setValue("chair", forKeyPath: "drawers.item.name")
    cabinet.setValue(NSMutableDictionary(), forKeyPath: "drawers.inner")
    cabinet.setValue(7, forKeyPath: "drawers.inner.count")
    cabinet.setValue(nil, forKeyPath: "drawers.top")
    #expect(
      witness.take() == [
        "drawers.top: setting, old <null>, new socks",
        "labels.top: setting, old <null>, new Socks",
        "drawers.item.name: setting, old <null>, new ",
        "drawers.item.name: setting, old , new chair",
        "drawers.top: setting, old socks, new <null>",
      ])
    #expect(item.name == "chair")
    #expect(cabinet.value(forKeyPath: "drawers.inner.count") as? Int == 7)
    #expect(cabinet.drawers.value(forKey: "top") == nil)
    #expect(before === cabinet.drawers)
    cabinet.unwatch(paths, witness)
  }

  @Test("a mutable dictionary that's changed in place notifies the observers of its keys")
  func dictionariesInPlace() {
    let (cabinet, witness, other) = (Cabinet(), Witness(), Witness())
    cabinet.drawers["k"] = 0
    cabinet.watch(["drawers.k", "drawers.item.name"], witness)
    cabinet.watch(["drawers"], other, options: [])
    cabinet.drawers["k"] = 1
    cabinet.drawers.setObject(2, forKey: "k" as NSString)
    cabinet.drawers.setValue(3, forKey: "k")
    cabinet.drawers["other"] = 4
    cabinet.drawers.removeObject(forKey: "k")
    cabinet.drawers.addEntries(from: ["k": 5])
    cabinet.drawers["item"] = item
    item.name = "chair"
    cabinet.drawers.setDictionary(["k": 6])
    item.name = "table"
    cabinet.drawers.removeObjects(forKeys: ["k"])
    #expect(cabinet.drawers as? [String: Int] == [:])
    let old = cabinet.drawers
    cabinet.drawers = NSMutableDictionary(dictionary: ["k": 7])
    old["k"] = 8
    cabinet.drawers.removeAllObjects()
    #expect(
      witness.take() == [
        "drawers.k: setting, old 0, new 1", "drawers.k: setting, old 1, new 2",
        "drawers.k: setting, old 2, new 3", "drawers.k: setting, old 3, new <null>",
        "drawers.k: setting, old <null>, new 5", "drawers.item.name: setting, old <null>, new ",
        "drawers.item.name: setting, old , new chair",
        "drawers.item.name: setting, old chair, new <null>",
        "drawers.k: setting, old 5, new <null>", "drawers.k: setting, old <null>, new 6",
        "drawers.k: setting, old 6, new <null>", "drawers.k: setting, old <null>, new 7",
        "drawers.item.name: setting, old <null>, new <null>",
        "drawers.k: setting, old 7, new <null>",
      ])
    #expect(other.take() == ["drawers: setting"])
    cabinet.unwatch(["drawers.k", "drawers.item.name"], witness)
    cabinet.unwatch(["drawers"], other)
    old["k"] = 9
    cabinet.drawers["k"] = 9
    #expect(witness.take() == [])
  }

  @Test("a mutable dictionary itself is observed, by a path or a context")
  func observedDictionary() {
    let (dictionary, witness) = (NSMutableDictionary(), Witness())
    var context = 0
    dictionary.setValue(item, forKey: "item")
    dictionary.addObserver(witness, forKeyPath: "k", options: [.old, .new], context: nil)
    dictionary.addObserver(witness, forKeyPath: "item.count", options: [.new], context: &context)
    dictionary["k"] = 1
    item.count = 4
    dictionary.removeObserver(witness, forKeyPath: "k")
    dictionary.removeObserver(witness, forKeyPath: "item.count", context: &context)
    dictionary["k"] = 2
    item.count = 5
    #expect(
      witness.take() == ["k: setting, old <null>, new 1", "item.count: setting, new 4"])
  }

  @Test("R5 a mutable dictionary that has died notifies no observer, and its tokens are invalid")
  func deadDictionary() throws {
    let witness = Witness()
    KeyValueTransaction.perform {
      let settings = NSMutableDictionary()
      settings.setValue(item, forKey: "item")
      settings.addObserver(witness, forKeyPath: "theme", options: .new, context: nil)
      settings.addObserver(witness, forKeyPath: "item.count", options: .new, context: nil)
      settings["theme"] = "dark"
      item.count = 6
    }
    #expect(witness.take() == [])
    for keyPath in ["theme", "item.count"] {
      var settings: NSMutableDictionary? = NSMutableDictionary()
      settings?.setValue(item, forKey: "item")
      let token = try #require(try settings?.observe(keyPath) { _, _ in })
      #expect(token.isValid)
      #expect(token.object === settings)
      settings = nil
      #expect(!token.isValid)
      #expect(token.object == nil)
    }
  }

  @Test("dictionaries that die on one thread while another's are observed may observe others")
  func dyingDictionaries() async {
    // A deadlock ends with the process.
    await #expect(processExitsWith: .success) { if !observeDyingDictionaries() { exit(1) } }
  }

  @Test("removing an observer that a mutable dictionary doesn't have raises")
  func unobservedDictionary() async {
    await #expect(processExitsWith: .failure) {
      NSMutableDictionary().removeObserver(Witness(), forKeyPath: "k")
    }
  }

  @Test("a mutable dictionary's values set by key, by several keys and by key path notify")
  func dictionariesByKey() {
    let (cabinet, witness) = (Cabinet(), Witness())
    let paths = ["drawers.k", "drawers.inner.count", "drawers.item.name"]
    cabinet.drawers.setValuesForKeys(["k": 1, "item": item, "inner": NSMutableDictionary()])
    cabinet.watch(paths, witness)
    cabinet.drawers.setValuesForKeys(["k": 2, "l": 3])
    cabinet.drawers.setValuesForKeys(["k": NSNull()])
    cabinet.drawers.setValue(4, forKeyPath: "k")
    cabinet.drawers.setValue(5, forKeyPath: "inner.count")
    cabinet.drawers.setValue("chair", forKeyPath: "item.name")
    cabinet.unwatch(paths, witness)
    #expect(
      witness.take() == [
        "drawers.k: setting, old 1, new 2", "drawers.k: setting, old 2, new <null>",
        "drawers.k: setting, old <null>, new 4",
        "drawers.inner.count: setting, old <null>, new 5",
        "drawers.item.name: setting, old , new chair",
      ])
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

  @Test("overridden coding is called by key paths, dictionaries and operators")
  func overridden() {
    let loud = Loud()
    item.next = loud
    item.setValue(" soft ", forKeyPath: "next.name")
    #expect(loud.name == "soft")
    #expect(item.value(forKeyPath: "next.name") as? String == "SOFT")
    #expect(loud.dictionaryWithValues(forKeys: ["name"])["name"] as? String == "SOFT")
    #expect(NSArray(array: [loud]).value(forKey: "name") as? [String] == ["SOFT"])
  }

  @Test(
    "C4 proxies don't call an overridden setValue(_:forKey:), except for a key that only it knows")
  func proxiesPastCoding() throws {
    let watched = Watched()
    var kinds: [String] = []
    let tokens = try ["list", "old", "labels", "extra"].map { key in
      try watched.observe(key) { _, change in kinds.append("\(key): \(change.kind)") }
    }
    watched.mutableArrayValue(forKey: "list").add("a")
    watched.mutableArrayValue(forKeyPath: "self.old").add("b")
    watched.mutableSetValue(forKey: "labels").add("c")
    watched.mutableOrderedSetValue(forKey: "list").add("d")
    #expect(watched.list == ["a", "d"] && watched.old == ["b"] && watched.labels == ["c"])
    #expect(watched.sets == [])
    watched.mutableArrayValue(forKey: "extra").add("e")
    #expect(watched.sets == ["extra"] && watched.value(forKey: "extra") as? [String] == ["e"])
    watched.setValue(["f"], forKeyPath: "self.list")
    #expect(watched.sets == ["extra", "list"])
    #expect(
      kinds == [
        "list: insertion", "old: insertion", "labels: insertion", "list: insertion",
        "extra: insertion", "list: setting",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("K1 K2 overridden coding is called once, also for the key that it passes to super")
  func overriddenOnce() {
    let watched = Watched()
    watched.setValue(["a"], forKey: "list")
    watched.setValue(2, forKey: "count")
    watched.setValue(nil, forKey: "list")
    watched.setValuesForKeys(["list": ["b"]])
    watched.setValue(["c"], forKeyPath: "self.list")
    #expect(watched.sets == ["list", "count", "list", "list", "list"])
    #expect(watched.value(forKey: "list") as? [String] == ["c"])
    #expect(watched.value(forKey: "first") as? [String] == ["c"])
    #expect(watched.value(forKeyPath: "self.first") as? [String] == ["c"])
    #expect(watched.dictionaryWithValues(forKeys: ["count"])["count"] as? Int == 2)
    #expect(watched.reads == ["list", "first", "first", "count"])
  }

  @Test("K1 K2 overridden coding is called for a key that an observer sets or reads once more")
  func overriddenInside() throws {
    let holder = Holder()
    for key in ["given", "stored"] {
      var isFirst = true
      let token = try holder.observe("box.\(key)") { holder, _ in
        guard isFirst else { return }
        isFirst = false
        holder.setValue(50, forKeyPath: "box.\(key)")
      }
      holder.setValue(5, forKeyPath: "box.\(key)")
      token.invalidate()
    }
    #expect(holder.box.given == 10)
    #expect(holder.box.stored == 10)
    var values: [Int?] = []
    let token = try holder.observe("box.reads") { holder, _ in
      values.append(holder.value(forKeyPath: "box.computed") as? Int)
    }
    let value = holder.value(forKeyPath: "box.computed") as? Int
    #expect(values + [value] == [8, 8])
    token.invalidate()
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

  @Test("a value that nothing validates, or that its validator accepts, stays the same object")
  func acceptedValues() throws {
    let accepting = Accepting()
    for object in [
      NSString(string: "a"), NSMutableArray(array: [1]), NSNumber(value: 2),
    ] as [AnyObject] {
      var value: AnyObject? = object
      try accepting.validateValue(&value, forKey: "text")
      #expect(accepting.given === object)
      #expect(value === object)
      try accepting.validateValue(&value, forKey: "other")
      #expect(value === object)
    }
    var null: AnyObject? = NSNull()
    try accepting.validateValue(&null, forKey: "other")
    #expect(null is NSNull)
  }

  @Test("a validator gets a pointer, and may replace the value or throw")
  func validation() throws {
    var value: AnyObject? = "desk" as NSString
    try item.validateValue(&value, forKey: "name")
    #expect(value as? String == "Desk")
    value = "" as NSString
    #expect(throws: CocoaError.self) { try item.validateValue(&value, forKey: "name") }
    item.next = Item()
    value = "lamp" as NSString
    try item.validateValue(&value, forKeyPath: "next.name")
    #expect(value as? String == "Lamp")
    value = "lamp" as NSString
    #expect(throws: CocoaError.self) { try item.validateValue(&value, forKey: "label") }
    // As in Cocoa, every value is valid if there is no validator.
    try item.validateValue(&value, forKey: "nowhere")
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
