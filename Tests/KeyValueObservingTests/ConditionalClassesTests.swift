import KeyValueObserving
import Testing

/// Classes with properties and customisation points under `#if`.
///
/// That they compile is half the test.
private enum Conditional {
  @KeyValueObservable
  class Inactive {
    #if NEVER_DEFINED
      var missing: DoesNotExist = 1
      class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { ["missing"] }
      class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
      func value(forUndefinedKey key: String) throws -> Any? { 1 }
      func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
      func setNilValue(forKey key: String) throws {}
    #endif
  }

  @KeyValueObservable
  class Active {
    @KeyValueIgnored var asked: [String] = []
    #if !NEVER_DEFINED
      var value = 1
      var twice: Int { value * 2 }
      class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "twice" ? ["value"] : []
      }
      class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "value" }
      func value(forUndefinedKey key: String) throws -> Any? { key }
      func setValue(_ value: Any?, forUndefinedKey key: String) throws { asked.append(key) }
      func setNilValue(forKey key: String) throws { asked.append("nil \(key)") }
    #endif
  }

  /// Both branches declare the customisation point.
  @KeyValueObservable
  final class Either {
    #if NEVER_DEFINED
      var value: DoesNotExist
      func setNilValue(forKey key: String) throws {}
    #elseif ALSO_NEVER_DEFINED
      var value = ""
    #else
      var value = 1
      func setNilValue(forKey key: String) throws { value = 0 }
    #endif
    var last = 2
  }

  @KeyValueObservable
  final class Below: Inactive {
    #if NEVER_DEFINED
      var more: DoesNotExist
    #endif
  }

  @KeyValueObservable
  final class FurtherBelow: Active {
    #if !NEVER_DEFINED
      var more = 3
    #endif
  }

  @KeyValueObservable
  final class Packed<each Element> {
    var first = 1
    #if NEVER_DEFINED
      var missing: DoesNotExist
    #else
      var second = 2
    #endif
    var third = 3
  }
}

/// Deprecated classes: an extension of one causes a warning unless it's deprecated, too.
@available(*, deprecated)
private enum Deprecated {
  @available(*, deprecated, message: "Use Conditional.")
  @KeyValueObservable
  class Old {
    var value = 1
  }

  @KeyValueObservable(tracking: true)
  final class Tracked {
    var value = 1
  }
}

@Suite("Classes with members under #if")
struct ConditionalClassesTests {
  @Test("If no condition holds, there are no keys, and the defaults apply")
  func inactive() {
    for object in [Conditional.Inactive(), Conditional.Below()] {
      #expect(type(of: object).keyValueKeys == [])
      #expect(object._$kvoStoredCount == 0)
      #expect(type(of: object).keyPathsForValuesAffectingValue(forKey: "a") == [])
      #expect(type(of: object).automaticallyNotifiesObservers(forKey: "a"))
      #expect(throws: KeyValueCodingError.self) { try object.value(forKey: "a") }
      #expect(throws: KeyValueCodingError.self) { try object.setValue(1, forKey: "a") }
      #expect(throws: KeyValueCodingError.self) { try object.setNilValue(forKey: "a") }
    }
  }

  @Test("If the conditions hold, the class's own members apply")
  func active() throws {
    let object = Conditional.FurtherBelow()
    #expect(Conditional.Active.keyValueKeys == ["value", "twice"])
    #expect(Conditional.FurtherBelow.keyValueKeys == ["value", "twice", "more"])
    #expect(object._$kvoStoredCount == 2)
    var log: [String] = []
    let tokens = try ["value", "twice", "more"].map { key in
      try object.observe(key, options: [.old, .new]) { log.append("\(key): \($1)") }
    }
    object.value = 2
    object.more = 4
    object.withChange(of: "value") { object.value = 3 }
    #expect(
      log == [
        "more: setting, old: 3, new: 4", "value: setting, old: 2, new: 3",
        "twice: setting, old: 4, new: 6",
      ])
    try object.setValue(nil, forKey: "value")
    try object.setValue(1, forKey: "unknown")
    #expect(try object.value(forKey: "unknown") as? String == "unknown")
    #expect(object.asked == ["nil value", "unknown"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Of several branches, the compiled one applies")
  func either() throws {
    let object = Conditional.Either()
    var log: [String] = []
    let tokens = try ["value", "last"].map { key in
      try object.observe(key, options: [.old, .new]) { log.append("\(key): \($1)") }
    }
    try object.setValue(nil, forKey: "value")
    object.last = 5
    #expect(log == ["value: setting, old: 1, new: 0", "last: setting, old: 2, new: 5"])
    #expect(object._$kvoStoredCount == 2)
    withExtendedLifetime(tokens) {}
  }

  @Test("A class with a parameter pack counts its conditional keys")
  func packed() {
    #expect(Conditional.Packed<Int, String>()._$kvoStoredCount == 3)
  }

  @available(*, deprecated)
  @Test("A deprecated class is observed like any other, and its expansion has no warnings")
  func deprecated() {
    let (old, tracked) = (Deprecated.Old(), Deprecated.Tracked())
    var log: [String] = []
    let tokens = [
      old.observe(\.value, options: [.old, .new]) { log.append("old: \($1)") },
      tracked.observe(\.value, options: [.old, .new]) { log.append("tracked: \($1)") },
    ]
    old.value = 2
    tracked.value = 3
    #expect(log == ["old: setting, old: 1, new: 2", "tracked: setting, old: 1, new: 3"])
    withExtendedLifetime(tokens) {}
  }
}
