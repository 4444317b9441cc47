import KeyValueObserving
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

/// Answers every key.
@KeyValueObservable
private final class Oracle {
  var count = 0

  func value(forUndefinedKey key: String) throws -> Any? { key }
}

@Suite("Keys that only an object's own coding answers")
struct AnsweredKeyTests {
  /// If each key were searched among all others, it would take minutes.
  @Test(
    "Each of many keys is found by its name and its number",
    .timeLimit(.minutes(TestVolume.patience)))
  func many() {
    let oracle = Oracle()
    let schema = oracle.schema
    let keys = (0..<TestVolume.either(100_000, few: 10_000)).map { "key\($0)" }
    let properties = keys.compactMap { schema.property($0, answeredBy: oracle) }
    #expect(properties.map(\.key) == keys)
    #expect(keys.compactMap { schema.answeredProperty($0)?.id } == properties.map(\.id))
    #expect(properties.compactMap { schema.property(id: $0.id)?.key } == keys)
    #expect(Set(properties.map(\.id)).count == keys.count)
    let next = (properties.last?.id ?? 0) + 1
    #expect(schema.property(id: next) == nil && !schema.hasAnswered("key"))
    #expect(schema.property(id: schema.identity.id) === schema.identity)
  }
}
