/// How a stored property is read, and stored past its setter, whatever its class and type.
///
/// A setter's announcement works with it, so the setter takes no closures. Those would be two functions
/// more for each property of a client's module.
// Checked by hand: closures over nothing but other closures of the class's own.
@usableFromInline
class ValueStorage: @unchecked Sendable {
  /// Whether a `TrivialValue` has room for the value.
  let isTrivial: Bool

  init(isTrivial: Bool) {
    self.isTrivial = isTrivial
  }

  // An in-place modification reads the value without knowing its type.

  /// Copies the value, where `isTrivial` says that it fits.
  func read(_ object: AnyObject, into destination: UnsafeMutablePointer<TrivialValue>) {}

  /// A copy of the value in a box.
  func box(_ object: AnyObject) -> AnyObject? { nil }

  /// Lends the value that `box(_:)` has copied.
  func withValue(in box: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}

  /// Lends the value.
  func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}
}

/// Room for a copy of a value that needs no destroying, and so no box.
struct TrivialValue {
  private var words: (UInt, UInt, UInt) = (0, 0, 0)

  /// Whether there is room for values of this type.
  static func holds<Value>(_ type: Value.Type) -> Bool {
    _isPOD(type) && MemoryLayout<Value>.size <= MemoryLayout<TrivialValue>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<TrivialValue>.alignment
  }
}

/// The typed half of a property's storage.
// Checked by hand: as its superclass.
@usableFromInline
final class TypedValueStorage<Value>: ValueStorage, @unchecked Sendable {
  @usableFromInline let access: ValueAccess<AnyObject, Value>

  /// - Parameter access: Only objects of its class are passed to it.
  init<Root: AnyObject>(_ access: ValueAccess<Root, Value>) {
    // The closures take a reference to the object, which looks the same whatever its class. Other
    // closures around them, which cast it, would be called at each set.
    self.access = unsafeBitCast(access, to: ValueAccess<AnyObject, Value>.self)
    super.init(isTrivial: TrivialValue.holds(Value.self))
  }

  override func read(
    _ object: AnyObject, into destination: UnsafeMutablePointer<TrivialValue>
  ) {
    UnsafeMutableRawPointer(destination).initializeMemory(as: Value.self, to: access.get(object))
  }

  override func box(_ object: AnyObject) -> AnyObject? { ValueBox(access.get(object)) }

  override func withValue(in box: AnyObject, _ body: (UnsafeRawPointer) -> Void) {
    // The box that this storage made.
    unsafeDowncast(box, to: ValueBox<Value>.self).withAddress(body)
  }

  override func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {
    let value = access.get(object)
    withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
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

  /// - Parameter storage: The storage of a property of type `Value`: the calling setter and the
  ///   schema's line belong to the same property.
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
