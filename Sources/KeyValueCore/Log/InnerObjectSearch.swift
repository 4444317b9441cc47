/// An encoder that keeps nothing: it looks for an observable object inside a value.
///
/// It meets the objects that `LogValueEncoder` would write as references. One instance looks at one value.
final class InnerObjectSearch: Encoder {
  /// The most values that are encoded inside one another, which bounds the stack.
  private static let maximumLevel = 1_000

  private let isKnown: (AnyObject) -> Bool
  /// Kept here, because a value's `encode(to:)` may catch what's thrown at it.
  private var found: AnyObject?
  private var level = 0

  private struct End: Error {}

  private init(_ isKnown: @escaping (AnyObject) -> Bool) { self.isKnown = isKnown }

  /// The first observable object inside a value that isn't known; nil if there is none, or if the value can't be
  /// encoded.
  static func firstObject(
    in value: some Encodable, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    let search = InnerObjectSearch(isKnown)
    try? search.look(at: value)
    return search.found
  }

  /// Whether a value of the type may have an observable object inside, as far as its type says.
  static func mayFind(in type: Any.Type) -> Bool {
    let type = unwrapped(type)
    if type is any PlainLogValue.Type || isTrivial(type) { return false }
    if let many = type as? any ToMany.Type { return mayFind(in: many.elementType) }
    if let keyed = type as? any Keyed.Type {
      return mayFind(in: keyed.anyKeyType) || mayFind(in: keyed.anyValueType)
    }
    let name = _typeName(type, qualified: true)
    // A generic type's arguments may be anything.
    if name.contains("<") { return true }
    return !["Foundation.", "FoundationEssentials.", "Swift."].contains(where: name.hasPrefix)
  }

  /// Whether values of a type retain nothing.
  private static func isTrivial(_ type: Any.Type) -> Bool {
    func check<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: check)
  }

  fileprivate func look<Value: Encodable>(at value: Value) throws {
    if _isPOD(Value.self) || Value.self is any PlainLogValue.Type { return }
    if Value.self is AnyObject.Type {
      let object = value as AnyObject
      if isKnown(object) { return }
      if object is any KeyValueObservable {
        found = found ?? object
        throw End()
      }
    }
    guard level < Self.maximumLevel else { throw End() }
    level += 1
    defer { level -= 1 }
    try value.encode(to: self)
  }

  // MARK: Encoder

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedSearch(search: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedSearch(search: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { UnkeyedSearch(search: self) }

  private struct KeyedSearch<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let search: InnerObjectSearch
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}
    // The standard library has functions of its own for these two, which only throw.
    func encode(_ value: Int128, forKey key: Key) {}
    func encode(_ value: UInt128, forKey key: Key) {}
    func encode(_ value: some ScalarLogValue, forKey key: Key) {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try search.look(at: value)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      search.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      search.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { search }
    func superEncoder(forKey key: Key) -> any Encoder { search }
  }

  /// The container of an array's elements, and of a single value.
  private struct UnkeyedSearch: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let search: InnerObjectSearch
    var count = 0
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { count += 1 }
    mutating func encode(_ value: Int128) { count += 1 }
    mutating func encode(_ value: UInt128) { count += 1 }
    mutating func encode(_ value: some ScalarLogValue) { count += 1 }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      count += 1
      try search.look(at: value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      count += 1
      return search.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      count += 1
      return search.unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
      count += 1
      return search
    }
  }
}
