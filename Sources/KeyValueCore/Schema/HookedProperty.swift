/// A to-many key that the class's own methods or customisation points implement.
///
/// A proxy of such a key reads and sets the whole collection.
final class HookedProperty: Property, @unchecked Sendable {
  /// The class's property of that name, whose observers get values in its type.
  private let underlying: Property?

  /// Creates the property from the class's key of that name, if any, and the current value.
  init(_ key: String, _ property: Property?, value: Any?) {
    underlying = property
    super.init(
      key: key, origin: .accessors, ownership: .strong,
      valueType: property?.valueType ?? value.map { type(of: $0) } ?? [Any].self)
    // A key that isn't observable has an id that no property has.
    id = property?.id ?? Int(Int32.max)
  }

  override var hasSetter: Bool { true }

  override func anyValue(of object: AnyObject) -> Any? {
    guard let object = object as? any KeyValueObservable else { return nil }
    do {
      return try object.value(forKey: key)
    } catch {
      KeyValueViolation.fatal(.undefinedKey, "\(error)")
    }
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    guard let underlying else { return address.assumingMemoryBound(to: Any?.self).pointee }
    return underlying.anyValue(at: address)
  }

  /// The value that the class's own coding returns, in the property's type; observers aren't told of a
  /// value that the type can't hold.
  override func capture(from object: AnyObject) -> any CapturedValue {
    let value = anyValue(of: object)
    guard let underlying else { return ValueBox<Any?>(value) }
    return underlying.captured(value) ?? underlying.capture(from: object)
  }

  override func mutate(_ object: AnyObject, _ edit: Edit) {
    func edited<Value: ToMany>(_ value: Value) -> Any {
      var value = value
      withUnsafeMutablePointer(to: &value) { edit.apply(at: $0, type: Value.self) }
      return value
    }
    // A missing collection is created, as behind a setter.
    let empty: (any ToMany)? = (unwrapped(valueType) as? any ToMany.Type)?.empty
    let present = anyValue(of: object).map { $0 as? any ToMany } ?? empty
    guard let object = object as? any KeyValueObservable, let value = present else { return }
    do {
      try object.setValue(edited(value), forKey: key)
    } catch {
      KeyValueViolation.fatal(.wrongElement, "\(error)")
    }
  }
}
