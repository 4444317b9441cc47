import FoundationKVO
import Testing

@KeyValueObservable
private final class Form: NSObject {
  dynamic var title = "a"
  dynamic var buffer = NSMutableString(string: "")
  dynamic var lines = ["b"]
  dynamic var tags: Set<String> = ["c"]
  dynamic var info = ["d": 1]
  dynamic var data = Data([1])
  dynamic var count = 5
  dynamic var width: CGFloat = 1
  dynamic var widths: [CGFloat] = []
  dynamic var rate: Float = 1
  dynamic var small: Int16 = 1
  dynamic var unsigned: UInt8 = 1
  dynamic var size: Int32 = 1
  dynamic var isOn = false
  dynamic var numbers = [1]
  @KeyValueIgnored var asked: [String] = []

  override func setNilValueForKey(_ key: String) {
    asked.append(key)
    setValue(0, forKey: key)
  }
}

@KeyValueObservable
private final class Named: NSObject {
  override var description: String { "a name" }
  override var hash: Int { 7 }
}

@Suite("FoundationKVO: habits of key-value coding")
struct CodingHabitsTests {
  private let form = Form()
  private let witness = Witness()

  @Test(
    "nil empties a string or a collection, as bridging does in Cocoa, and asks only for a scalar")
  func nilForObjects() {
    let keys = ["title", "lines", "tags", "info", "count"]
    form.watch(keys, witness)
    for key in keys { form.setValue(nil, forKey: key) }
    form.setValuesForKeys(["title": NSNull(), "data": NSNull()])
    form.setValue(nil, forKeyPath: "self.title")
    form.unwatch(keys, witness)
    #expect(
      witness.take() == [
        "title: setting, old a, new ", "lines: setting, old (b), new ()",
        "tags: setting, old {c}, new {}", "info: setting, old {\n    d = 1;\n}, new {\n}",
        "count: setting, old 5, new 0", "title: setting, old , new ", "title: setting, old , new ",
      ])
    #expect(form.data.isEmpty)
    #expect(form.asked == ["count"])
  }

  @Test("a mutable string sets a key of its class, and a key of strings takes its text")
  func mutableStrings() {
    let text = NSMutableString(string: "abc")
    form.setValue(text, forKey: "buffer")
    form.setValue(text, forKeyPath: "self.title")
    let copy = Form()
    copy.setValuesForKeys(form.dictionaryWithValues(forKeys: ["buffer", "title"]))
    text.append("d")
    #expect(copy.buffer === text && "\(copy.buffer)" == "abcd" && copy.title == "abc")
    let tags = form.mutableSetValue(forKey: "tags")
    tags.add(text)
    #expect(form.tags == ["abcd", "c"] && tags.contains(text))
    form.mutableArrayValue(forKey: "lines").add(text)
    #expect(form.lines == ["b", "abcd"])
  }

  @Test("a number's object sets a floating-point key of every type")
  func floatingPoint() {
    form.setValue(NSNumber(value: 2.5), forKey: "width")
    form.setValue(NSNumber(value: 2.5), forKey: "rate")
    form.setValue(NSArray(array: [1, 2.5]), forKey: "widths")
    #expect(form.width == 2.5 && form.rate == 2.5 && form.widths == [1, 2.5])
    form.setValue(NSNumber(value: Double.nan), forKey: "width")
    #expect(form.width.isNaN)
    form.setValue(NSNumber(value: 3), forKey: "width")
    #expect(form.width == 3)
  }

  @Test("a scalar takes every number, and most take a string, as in Cocoa")
  func scalars() async {
    form.watch(["count"], witness)
    form.setValue(3.7, forKey: "count")
    form.setValue(NSNumber(value: -2.5), forKey: "count")
    form.setValue("42", forKey: "count")
    form.setValue("7 apples" as NSString, forKeyPath: "self.count")
    form.setValuesForKeys(["count": "none"])
    form.unwatch(["count"], witness)
    #expect(
      witness.take() == [
        "count: setting, old 5, new 3", "count: setting, old 3, new -2",
        "count: setting, old -2, new 42", "count: setting, old 42, new 7",
        "count: setting, old 7, new 0",
      ])
    form.setValue(0.1, forKey: "rate")
    form.setValue("2.5", forKey: "width")
    form.setValue(70_000, forKey: "small")
    form.setValue(-1, forKey: "unsigned")
    form.setValue("-9", forKey: "size")
    #expect(form.rate == 0.1 && form.width == 2.5)
    #expect(form.small == 4464 && form.unsigned == 255 && form.size == -9)
    for (value, expected) in [
      (2, true), (0, false), ("YES", true), ("0", false), (0.5, true), ("no", false),
    ] as [(Any, Bool)] {
      form.setValue(value, forKey: "isOn")
      #expect(form.isOn == expected)
    }
  }

  @Test("what Cocoa can't set raises, and changes nothing")
  func refused() async {
    await #expect(processExitsWith: .failure) { Form().setValue(5, forKey: "title") }
    await #expect(processExitsWith: .failure) { Form().setValue("5", forKey: "small") }
    await #expect(processExitsWith: .failure) { Form().setValue(Double.nan, forKey: "count") }
    await #expect(processExitsWith: .failure) { Form().setValue(["5"], forKey: "numbers") }
    await #expect(processExitsWith: .failure) { Form().setValue(Date(), forKey: "count") }
  }

  @Test("a dictionary and the user's defaults are read and set by several keys")
  func several() throws {
    let dictionary = NSMutableDictionary(dictionary: ["a": 1, "b": 2])
    dictionary.setValuesForKeys(["a": NSNull(), "c": 3])
    #expect(dictionary == ["b": 2, "c": 3])
    #expect(
      dictionary.dictionaryWithValues(forKeys: ["b", "x"]) as NSDictionary
        == ["b": 2, "x": NSNull()])
    let defaults = try #require(UserDefaults(suiteName: "FoundationKVO.CodingHabitsTests"))
    for key in ["a", "b"] { defaults.removeObject(forKey: key) }
    defaults.addObserver(witness, forKeyPath: "b", options: .new, context: nil)
    defaults.setValuesForKeys(["a": ["x": [1, 2]], "b": 2])
    #expect(defaults.value(forKeyPath: "a.x.@sum.self") as? Int == 3)
    #expect(defaults.value(forKeyPath: "b") as? Int == 2)
    // No name of an option, because defaults have the program's arguments: `-c release` is the value of `c`.
    #expect(defaults.value(forKeyPath: "unset.x") == nil)
    defaults.setValuesForKeys(["b": NSNull()])
    #expect(defaults.dictionaryWithValues(forKeys: ["b"]) as NSDictionary == ["b": NSNull()])
    #expect(witness.take() == ["b: setting, new 2", "b: setting, new <null>"])
    defaults.removeObserver(witness, forKeyPath: "b")
    defaults.removeObject(forKey: "a")
  }

  @Test("an object's description and hash are keys")
  func rootKeys() {
    let named = [Named(), Named()] as NSArray
    #expect(named.value(forKey: "description") as? [String] == ["a name", "a name"])
    #expect(named.value(forKeyPath: "@max.hash") as? Int == 7)
    #expect(form.value(forKey: "description") as? String == form.description)
    #expect(form.value(forKey: "debugDescription") as? String == form.debugDescription)
    #expect(form.value(forKey: "hash") as? Int == form.hash)
  }
}
