import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("L. Classes with conditional compilation")
struct ClassConditionTests {
  private let log = ChangeLog()

  #if compiler(>=6.3)
    @Test("L3 a mark counts where its clause of #if is compiled, and nowhere else")
    func marks() throws {
      #expect(
        Conditional.keyValueKeys == ["plain", "manual", "silent", "available", "late", "sum"])
      #expect(Conditional.keyPathsForValuesAffectingValue(forKey: "sum") == ["plain", "late"])
      let object = Conditional()
      let tokens = try Conditional.keyValueKeys.map {
        try object.observe($0, options: [.old, .new], changeHandler: log.handler($0))
      }
      object.plain = 2
      object.manual = 2
      object.silent = 2
      object.available = 2
      object.ignored = 2
      object.late = 2
      #expect(
        log.take() == [
          "plain: setting, old: 1, new: 2", "sum: setting, old: 2, new: 3",
          "manual: setting, old: 1, new: 2", "available: setting, old: 1, new: 2",
          "late: setting, old: 1, new: 2", "sum: setting, old: 3, new: 4",
        ])
      for token in tokens { token.invalidate() }
    }
  #endif

  @Test("L3 CodingKeys under #if are followed where they're compiled, and written elsewhere")
  func codingKeys() throws {
    let renamed = try JSONDecoder().decode(RenamedKeys.self, from: Data(#"{"b": 2}"#.utf8))
    #expect(renamed.a == 2)
    #expect(try JSONEncoder().encode(renamed) == Data(#"{"b":2}"#.utf8))
    let plain = try JSONDecoder().decode(PlainKeys.self, from: Data(#"{"a": 3}"#.utf8))
    #expect(plain.a == 3)
    #expect(try JSONEncoder().encode(plain) == Data(#"{"a":3}"#.utf8))
  }
}

#if compiler(>=6.3)
  @KeyValueObservable
  private final class Conditional {
    #if NEVER
      @KeyValueIgnored
    #endif
    var plain = 1
    #if NEVER
      @NotifiesManually
    #endif
    var manual = 1
    #if !NEVER
      @NotifiesManually
    #endif
    var silent = 1
    #if NEVER
      @available(*, unavailable)
    #endif
    var available = 1
    #if NEVER
      @NotifiesManually
    #else
      @KeyValueIgnored
    #endif
    var ignored = 1
    #if NEVER
      lazy var late = 0
    #else
      #if NEVER
        @Missing
      #endif
      var late = 1
    #endif
    #if NEVER
      @DependsOn("manual")
    #endif
    var sum: Int {
      #if NEVER
        return missing
      #else
        return plain + late
      #endif
    }
  }
#endif

@KeyValueObservable
private final class RenamedKeys: Codable {
  var a = 1
  #if canImport(Missing)
    enum CodingKeys: CodingKey { case a }
  #elseif canImport(KeyValueObserving)
    enum CodingKeys: String, CodingKey { case a = "b" }
  #endif
}

@KeyValueObservable
private final class PlainKeys: Codable {
  var a = 1
  #if canImport(Missing)
    enum CodingKeys: String, CodingKey { case a = "b" }
  #endif
}
