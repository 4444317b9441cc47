/// A key without a property, which accessor methods implement.
final class AccessorProperty: Property, @unchecked Sendable {
  // Immutable like its superclass.
  let methods: CollectionAccessors

  init(key: String, methods: CollectionAccessors) {
    self.methods = methods
    super.init(key: key, origin: .accessors, ownership: .strong, valueType: Any?.self)
  }

  override func anyValue(of object: AnyObject) -> Any? {
    methods.read(object) ?? nil
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    address.assumingMemoryBound(to: Any?.self).pointee
  }

  override func capture(from object: AnyObject) -> any CapturedValue {
    ValueBox<Any?>(anyValue(of: object))
  }

  override func capture(from object: AnyObject, at indexes: IndexRanges) -> any CapturedValue {
    guard !methods.hasGetter, methods.isCounted, let count = elementCount(of: object)
    else { return super.capture(from: object, at: indexes) }
    return ValueBox<Any?>(methods.elements(of: object, at: indexes.within(count)))
  }

  override func elementCount(of object: AnyObject) -> Int? {
    guard !methods.hasGetter, let count = methods.count else {
      return super.elementCount(of: object)
    }
    return count(object)
  }
}
