import FoundationKVO
import Testing

@KeyValueObservable
private final class Meter: NSObject {
  dynamic private(set) var readings: [Int] = []
  dynamic private(set) var total = 0
  private(set) var silent = 1
  dynamic private var secret = 1
  dynamic fileprivate var draft = "a"

  func add(_ reading: Int) {
    mutableArrayValue(forKey: "readings").add(reading)
    total += reading
  }
}

@Suite("FoundationKVO: setters with restricted access")
struct RestrictedSetterTests {
  @Test("key-value coding sets a dynamic property despite its restricted setter, as in Cocoa")
  func dynamicProperties() {
    let (meter, witness) = (Meter(), Witness())
    meter.watch(["readings", "total"], witness)
    meter.add(3)
    meter.setValue(7, forKey: "total")
    #expect(
      witness.take() == [
        "readings: insertion, at 0, new (3)", "total: setting, old 0, new 3",
        "total: setting, old 3, new 7",
      ])
    meter.unwatch(["readings", "total"], witness)
  }

  @Test("private dynamic properties are read, set and observed by key, as in Cocoa")
  func privateProperties() {
    let (meter, witness) = (Meter(), Witness())
    meter.watch(["secret", "draft"], witness)
    meter.setValue(2, forKey: "secret")
    meter.setValue("b", forKeyPath: "draft")
    #expect(
      witness.take() == ["secret: setting, old 1, new 2", "draft: setting, old a, new b"])
    #expect(meter.value(forKey: "secret") as? Int == 2)
    #expect(meter.value(forKeyPath: "draft") as? String == "b")
    meter.unwatch(["secret", "draft"], witness)
  }
}
