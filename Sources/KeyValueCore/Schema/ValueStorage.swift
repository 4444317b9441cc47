/// How a stored property is read, and stored without its setter, whatever its class and type.
///
/// A setter announces its change through this class, so it takes no closures. Closures would add two
/// functions for each property to a client's module.
// Checked by hand: the closures capture nothing but the class's own closures.
@usableFromInline
class ValueStorage: @unchecked Sendable {
  /// Whether a `TrivialValue` has room for the value.
  let isTrivial: Bool
  /// Whether the property's value may differ from what was assigned, because of `willSet`, `didSet` or an
  /// override; set before the schema is used.
  @exclusivity(unchecked) @usableFromInline final var mayAdjust = false
  /// Whether the class declares `willSet` or `didSet` of the property; set before the schema is used.
  @exclusivity(unchecked) final var hasPropertyObservers = false
  /// Runs a store that bypasses the property's accessors, and notifies Observation of it; nil if the accessors don't
  /// notify Observation either.
  ///
  /// It's set before the schema is used.
  @exclusivity(unchecked) final var tracking: ((AnyObject, () -> Void) -> Void)?
  /// Whether an override may change what the property's getter returns.
  var mayBeOverridden: Bool { false }

  init(isTrivial: Bool) {
    self.isTrivial = isTrivial
  }

  // An in-place modification reads the value without knowing its type.

  /// Copies the value; called only if `isTrivial` is true.
  func read(_ object: AnyObject, into destination: UnsafeMutablePointer<TrivialValue>) {}

  /// A copy of the value in a box.
  func box(_ object: AnyObject) -> AnyObject? { nil }

  /// Lends the value that `box(_:)` copied.
  func withValue(in box: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}

  /// Lends the value.
  func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}

  // MARK: The stored value itself, which an override can't change

  /// A copy of what is stored.
  func captureStored(_ object: AnyObject) -> any CapturedValue { ValueBox<Any?>(nil) }

  /// Stores a value that `captureStored(_:)` copied, without the accessors.
  ///
  /// A setter stores through `BorrowedStorage`, and has notified Observation itself. Where it's notified later,
  /// `isTracked` is false.
  func store(_ value: any CapturedValue, in object: AnyObject, isTracked: Bool = true) {}

  /// A copy of what is stored, as these edits leave it.
  func captureStored(_ object: AnyObject, after edits: [Edit]) -> any CapturedValue {
    ValueBox<Any?>(nil)
  }
}

/// Room for a copy of a trivial value, which needs no destruction and so no box.
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
  /// Reads what is stored; nil if the property's getter always does.
  private let load: ((AnyObject) -> Value)?

  /// Only objects of the class of `access` are passed to it.
  init<Root: AnyObject>(_ access: ValueAccess<Root, Value>, load: ((Root) -> Value)? = nil) {
    // The closures take a reference to the object, which has the same layout whatever its class. Wrapping
    // them in closures that cast the object would add a call to each set.
    self.access = unsafeBitCast(access, to: ValueAccess<AnyObject, Value>.self)
    self.load = unsafeBitCast(load, to: ((AnyObject) -> Value)?.self)
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

  override var mayBeOverridden: Bool { load != nil }

  override func captureStored(_ object: AnyObject) -> any CapturedValue {
    ValueBox(load?(object) ?? access.get(object))
  }

  override func captureStored(
    _ object: AnyObject, after edits: [Edit]
  ) -> any CapturedValue {
    var value = load?(object) ?? access.get(object)
    withUnsafeMutablePointer(to: &value) { value in
      for edit in edits { edit.apply(at: value, type: Value.self) }
    }
    return ValueBox(value)
  }

  override func store(_ value: any CapturedValue, in object: AnyObject, isTracked: Bool = true) {
    guard let box = value as? ValueBox<Value> else { return }
    guard isTracked, let tracking else { return access.store(object, box.value) }
    tracking(object) { access.store(object, box.value) }
  }
}

/// The closures that the macro writes into a class's schema for one stored property.
@usableFromInline
struct ValueAccess<Root: AnyObject, Value> {
  @usableFromInline let get: (Root) -> Value
  @usableFromInline let store: (Root, Value) -> Void
}

/// An unretained reference to a property's storage, which the schema never releases.
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
  var mayAdjust: Bool { storage._withUnsafeGuaranteedRef { $0.mayAdjust } }

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

extension Property {
  /// What is stored, which an override of the property can't change.
  func captureStored(from object: AnyObject) -> any CapturedValue {
    valueStorage?.captureStored(object) ?? capture(from: object)
  }
}
