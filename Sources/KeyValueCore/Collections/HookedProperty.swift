/// A to-many key whose property doesn't have a collection's type: the class's own methods or
/// customisation points implement it, or the property's type is `Any` or the like.
///
/// A proxy of such a key reads and sets the whole collection.
final class HookedProperty: Property, @unchecked Sendable {
  /// The class's property of that name, whose observers get values in its type.
  private let underlying: Property?
  /// Whether the class's own methods set the key.
  private let isCoded: Bool

  /// Creates the property from the class's key of that name, if any, and the current value.
  init(_ key: String, _ property: Property?, value: Any?, isCoded: Bool) {
    underlying = property
    self.isCoded = isCoded
    // A key that only the class's own code knows has no type.
    let declared = property is AnsweredProperty ? nil : property?.valueType
    let held = value.flatMap { $0 is any ToMany ? type(of: $0) : nil }
    let valueType =
      if let declared, unwrapped(declared) is any ToMany.Type { declared } else {
        held ?? declared ?? [Any].self
      }
    super.init(key: key, origin: .accessors, ownership: .strong, valueType: valueType)
    // A key that isn't observable has an id that no property has.
    id = property?.id ?? Int(Int32.max)
    if !isCoded { restrictedSetter = property?.restrictedSetter }
  }

  override var hasSetter: Bool { isCoded || underlying?.hasSetter == true }

  override func anyValue(of object: AnyObject) -> Any? {
    if !isCoded, let underlying { return underlying.anyValue(of: object) }
    guard let object = object as? any KeyValueObservable else { return nil }
    do {
      return try object.value(forKey: key, privately: true)
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

  override func set(_ value: any CapturedValue, of object: AnyObject) {
    guard let object = object as? any KeyValueObservable else { return }
    var stored: Any?
    value.withAddress { stored = anyValue(at: $0) }
    do {
      try setKey(of: object, to: stored)
    } catch {
      KeyValueViolation.report(.tolerated, "\(error) Its earlier value was not put back.")
    }
  }

  private func setKey(of object: any KeyValueObservable, to value: Any?) throws {
    guard isCoded else {
      return try object.setDeclared(value, key, object.schema, privately: true)
    }
    try object.setValue(value, forKey: key, privately: true)
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
    guard let object = object as? any KeyValueObservable else { return }
    guard let value = present else {
      KeyValueViolation.fatal(
        .wrongElement,
        "\(object.schema.name).\(key) held a collection when its proxy was made, but holds none now."
      )
    }
    do {
      try setKey(of: object, to: edited(value))
    } catch {
      KeyValueViolation.fatal(.wrongElement, "\(error)")
    }
  }
}
