/// A key of plain data: a number, a string, or anything `Codable`.
final class PlainLoggedKey<Value: Codable>: LoggedKey, @unchecked Sendable {
  private let coding = LogValueCoding<Value>()
  /// Whether a value is small enough to be written when it changes.
  private let isScalar = unwrapped(Value.self) is any ScalarLogValue.Type
  private let withoutObjects = LogValueEncoder { _ in nil }
  private let withoutInstances = LogValueDecoder {
    throw KeyValueLogError.unknownObject(.init(object: $0))
  }
  /// The elements' type, if the value is an array of elements that are decoded without a container.
  private let plainElement: (any PlainLogValue.Type)? = {
    let type = unwrapped(Value.self)
    guard type is any PlainLogValue.Type, let many = type as? any ToMany.Type else { return nil }
    return many.elementType as? any PlainLogValue.Type
  }()

  override func keep(at address: UnsafeRawPointer, isPart: Bool) -> KeptLogValue {
    // The usual types are read without run-time metadata; each check proves that the types are equal.
    if Value.self == Int.self {
      return .data(.integer(address.assumingMemoryBound(to: Int.self).pointee))
    }
    if Value.self == String.self {
      return .data(.string(address.assumingMemoryBound(to: String.self).pointee))
    }
    let value = address.assumingMemoryBound(to: Value.self).pointee
    // Whole collections are written only if that's said shorter than what differs.
    if isScalar || isPart && plainElement != nil,
      let data = try? coding.encode(value, withoutObjects)
    {
      return .data(data)
    }
    return .boxed(ValueBox(value))
  }

  override func data(at address: UnsafeRawPointer, _ graph: LogGraph) throws -> KeyValueLogValue {
    let value = address.assumingMemoryBound(to: Value.self).pointee
    return try encoding { try coding.encode(value, isScalar ? withoutObjects : graph.encoder) }
  }

  override func objectInside(
    at address: UnsafeRawPointer, besides isKnown: @escaping (AnyObject) -> Bool
  ) -> AnyObject? {
    InnerObjectSearch.firstObject(
      in: address.assumingMemoryBound(to: Value.self).pointee, besides: isKnown)
  }

  override func value(of data: KeyValueLogValue, _ graph: LogGraph) throws -> any CapturedValue {
    ValueBox(try decode(data, graph))
  }

  private func decode(_ data: KeyValueLogValue, _ graph: LogGraph) throws -> Value {
    try decoding(Value.self, from: data) {
      try coding.decode(data, isScalar ? withoutInstances : graph.decoder)
    }
  }

  override func elements(of data: [KeyValueLogValue], _ graph: LogGraph) throws -> [Any] {
    func plain<Element: PlainLogValue>(_ type: Element.Type) -> [Any]? {
      var elements: [Any] = []
      elements.reserveCapacity(data.count)
      for data in data {
        guard let element = type.plain(from: data) else { return nil }
        elements.append(element)
      }
      return elements
    }
    if let plainElement, let elements = plain(plainElement) { return elements }
    let elements = (flattened(try decode(.array(data), graph)) as? any ToMany)?.anyElements ?? []
    return elements.map { $0 ?? Optional<Any>.none as Any }
  }
}
