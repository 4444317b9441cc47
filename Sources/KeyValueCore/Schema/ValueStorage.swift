/// How a stored property is read, and stored past its setter, whatever its class.
///
/// Its typed half is what a setter's announcement works with: so the setter takes no closures, which would
/// be two functions more for each property of a client's module.
@usableFromInline
class ValueStorage: @unchecked Sendable {
  // Checked by hand: closures over nothing but other closures of the class's own.
  @usableFromInline init() {}
}

@usableFromInline
final class TypedValueStorage<Value>: ValueStorage, @unchecked Sendable {
  @usableFromInline let get: (AnyObject) -> Value
  @usableFromInline let store: (AnyObject, Value) -> Void

  // The downcasts: a registrar hands only the object that it lies in to the storage of a property of
  // that object's schema, and `Root` is the object's class or one that it inherits from.
  init<Root: AnyObject>(
    get: @escaping (Root) -> Value, store: @escaping (Root, Value) -> Void
  ) {
    self.get = { get(unsafeDowncast($0, to: Root.self)) }
    self.store = { store(unsafeDowncast($0, to: Root.self), $1) }
  }

  /// The typed half of a property's storage.
  ///
  /// The setter that asks stands beside the line of the schema that made it, so both name one type.
  @inlinable
  @inline(__always)
  static func at(_ storage: Unmanaged<ValueStorage>?) -> Unmanaged<TypedValueStorage> {
    guard let storage else { preconditionFailure("A stored property has no storage.") }
    return .fromOpaque(storage.toOpaque())
  }
}
