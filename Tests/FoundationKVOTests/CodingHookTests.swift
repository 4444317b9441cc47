import FoundationKVO
import Testing

@KeyValueObservable
private class Item: NSObject {
  dynamic var name = ""
  dynamic var next: Item?

  override func value(forUndefinedKey key: String) -> Any? {
    key.hasPrefix("x") ? "undefined \(key)" : super.value(forUndefinedKey: key)
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

@Suite("FoundationKVO: a class's own key-value coding")
struct CodingHookTests {
  private let item = Item()

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
}
