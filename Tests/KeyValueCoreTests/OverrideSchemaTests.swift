import KeyValueObserving
import Testing

@testable import KeyValueCore

@Suite("Overrides in a schema")
struct OverrideSchemaTests {
  @Test("An override that narrows the type is redacted if what it overrides is")
  func redaction() throws {
    let schema = KeyValueSchema.schema(of: NarrowPass.self)
    let redacted = try #require(schema.property("passNumber"))
    #expect(redacted.valueType == Int.self && redacted.isRedacted)
    let plain = try #require(schema.property("passOwner"))
    #expect(plain.valueType == String.self && !plain.isRedacted)
  }
}

@KeyValueObservable
private class Pass {
  @KeyValueRedacted var passNumber: Int? { nil }
  var passOwner: String? { nil }
}

@KeyValueObservable
private final class NarrowPass: Pass {
  override var passNumber: Int { 1 }
  override var passOwner: String { "Ada" }
}
