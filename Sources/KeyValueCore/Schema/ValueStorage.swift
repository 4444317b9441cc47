/// How a stored property is read, and stored past its setter, whatever its class and type.
///
/// A setter's announcement works with it, so the setter takes no closures. Those would be two functions
/// more for each property of a client's module.
// Checked by hand: closures over nothing but other closures of the class's own.
@usableFromInline
class ValueStorage: @unchecked Sendable {}

/// The typed half of a property's storage.
@usableFromInline
final class TypedValueStorage<Value>: ValueStorage, @unchecked Sendable {
  @usableFromInline let access: ValueAccess<AnyObject, Value>

  /// - Parameter access: The object that is handed to it is always of its class.
  init<Root: AnyObject>(_ access: ValueAccess<Root, Value>) {
    // The closures take a reference to the object, which looks the same whatever its class. Other
    // closures around them, which cast it, would be called at each set.
    self.access = unsafeBitCast(access, to: ValueAccess<AnyObject, Value>.self)
  }
}

/// The closures that the macro writes into a class's schema for one stored property.
@usableFromInline
struct ValueAccess<Root: AnyObject, Value> {
  @usableFromInline let get: (Root) -> Value
  @usableFromInline let store: (Root, Value) -> Void
}

/// A property's storage without a retain: the property's schema keeps it for ever.
@usableFromInline
struct BorrowedStorage<Value> {
  @usableFromInline let storage: Unmanaged<TypedValueStorage<Value>>

  /// - Parameter storage: Of the property whose type is `Value`: the setter that asks, and the line of the
  ///   schema that made it, speak of one property of one class.
  @inlinable
  @inline(__always)
  init(_ storage: Unmanaged<ValueStorage>) {
    self.storage = .fromOpaque(storage.toOpaque())
  }

  @inlinable
  @inline(__always)
  func get(_ object: AnyObject) -> Value {
    storage._withUnsafeGuaranteedRef { $0.access.get(object) }
  }

  @inlinable
  @inline(__always)
  func store(_ newValue: Value, in object: AnyObject) {
    storage._withUnsafeGuaranteedRef { $0.access.store(object, newValue) }
  }
}
