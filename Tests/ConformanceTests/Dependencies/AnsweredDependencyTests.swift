import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Dependencies on keys that a class answers itself")
struct AnsweredDependencyTests {
  private let log = ChangeLog()

  @Test("D5 a key may depend on one that only value(forUndefinedKey:) answers")
  func undefinedKey() throws {
    let sack = Sack()
    let token = sack.observe(
      \.double, options: [.old, .new], changeHandler: log.handler("double"))
    try sack.setValue(5, forKey: "size")
    #expect(log.take() == ["double: setting, old: 2, new: 10"])
    token.invalidate()
    #expect(isIdle(sack))
  }

  @Test("D5 a key may depend on one that only the class's own value(forKey:) answers")
  func ownCoding() throws {
    let shelf = Shelf()
    let token = shelf.observe(
      \.double, options: [.old, .new], changeHandler: log.handler("double"))
    try shelf.setValue(5, forKey: "size")
    #expect(log.take() == ["double: setting, old: 2, new: 10"])
    token.invalidate()
    #expect(isIdle(shelf))
  }

  @Test("D5 a key that the class doesn't answer is found when the dependent key is observed")
  func unanswered() {
    #expect(throws: KeyValueCodingError.self) {
      _ = try Sack().observe("broken") { _, _ in }
    }
  }
}

@KeyValueObservable
private final class Sack {
  @KeyValueIgnored var contents: [String: Int] = ["size": 1]
  @DependsOn("size") var double: Int { (contents["size"] ?? 0) * 2 }
  @DependsOn("colour") var broken: Int { contents["colour"] ?? 0 }

  func value(forUndefinedKey key: String) throws -> Any? {
    guard let value = contents[key] else { throw KeyValueCodingError.undefinedKey(key, of: self) }
    return value
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws { contents[key] = value as? Int }
}

/// Reads with its own coding, and sets through the hook for undefined keys.
@KeyValueObservable
private final class Shelf {
  @KeyValueIgnored var size = 1
  @DependsOn("size") var double: Int { size * 2 }

  func value(forKey key: String) throws -> Any? {
    if key == "size" { return size }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    guard key == "size", let size = value as? Int else {
      throw KeyValueCodingError.readOnly(key, of: self)
    }
    self.size = size
  }
}
