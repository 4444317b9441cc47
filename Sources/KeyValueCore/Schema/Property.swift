import Synchronization

/// How a property holds the object it refers to.
public enum KeyValueOwnership: Sendable, Hashable {
  /// The property keeps the object alive.
  case strong
  /// The property becomes nil when the object dies.
  case weak
  /// The property doesn't keep the object alive and must not outlive it.
  case unowned
}

/// One key of a class: how to read, write and announce it.
///
/// Immutable once its schema is built, and the schema outlives every object of the class.
// Checked by hand: every stored property is a `let` except `id`, `valueStorage`, `elements`,
// `restrictedSetter` and `isReflected`, which the builder assigns before the schema is published; the closures run only on behalf
// of the object's own users.
package class Property: @unchecked Sendable {
  package enum Origin: Sendable {
    /// A stored property with accessors that announce changes.
    case stored
    /// A stored property that isn't announced automatically.
    case manual
    case constant
    case computed
    /// A key that only accessor methods implement.
    case accessors
  }

  package let key: String
  package let origin: Origin
  package let ownership: KeyValueOwnership
  package let valueType: Any.Type
  /// Whether no path can lead on from the value.
  let isPlainValue: Bool
  /// Whether the value, if not nil, is a collection.
  let isCollection: Bool
  /// Whether the value is always one object, or nil.
  let refersToOne: Bool
  /// How the value is read, and stored past the setter; nil where no accessor of the macro's announces it.
  @exclusivity(unchecked) var valueStorage: ValueStorage?
  /// Access to the elements in their own type; nil unless it's a stored array.
  @exclusivity(unchecked) var elements: ToManyStorage?
  @exclusivity(unchecked) package var id = -1
  /// The access level of a setter that's less visible than its getter.
  @exclusivity(unchecked) var restrictedSetter: String?
  /// Whether the object's mirror reads it; false if that would compute a lazy value.
  @exclusivity(unchecked) var isReflected = true
  /// The class's answers about the key, once computed.
  let traits = PublishedReference<KeyTraits>()

  init(
    key: String, origin: Origin, ownership: KeyValueOwnership, valueType: Any.Type
  ) {
    self.key = key
    self.origin = origin
    self.ownership = ownership
    self.valueType = valueType
    isPlainValue = KeyValueCore.isPlainValue(valueType)
    isCollection = unwrapped(valueType) is any ToMany.Type
    refersToOne = unwrapped(valueType) is AnyObject.Type
  }

  /// Whether there is a setter, however visible.
  var hasSetter: Bool { false }
  /// Whether the setter is as visible as the getter.
  package var isSettable: Bool { hasSetter && restrictedSetter == nil }
  /// Whether the property's type includes nil.
  var acceptsNil: Bool { false }

  /// Whether the property alone can keep its object alive, so that a change of the property
  /// precedes the object's death.
  var keepsValueAlive: Bool {
    switch origin {
    case .stored, .manual, .constant: ownership != .weak
    case .computed, .accessors: false
    }
  }

  // MARK: Overridden by the typed subclass

  package func anyValue(of object: AnyObject) -> Any? { nil }

  /// The value as a number, without a box; nil unless the type is one of the usual ones.
  ///
  /// Then use `anyValue`.
  func number(of object: AnyObject) -> Number? { nil }

  /// The values of objects of one class, in order: an array of the property's own type.
  func values(of objects: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> any ToMany {
    objects.map { $0._withUnsafeGuaranteedRef { anyValue(of: $0) } }
  }

  /// The object that the property refers to, or nil; `.none` if its type isn't an observable class.
  func observedObject(of object: AnyObject) -> (any KeyValueObservable)?? { nil }

  /// The value at an address that holds this property's type.
  func anyValue(at address: UnsafeRawPointer) -> Any? { nil }

  func setAny(_ value: Any, of object: AnyObject) {}

  /// Sets nil if the property's type includes it.
  func setNil(of object: AnyObject) {}

  /// Sets a value that was captured from this property.
  func set(_ value: any CapturedValue, of object: AnyObject) {}

  /// Whether a to-many value of this object can be changed in its storage, without the accessors.
  func canMutateStorage(of object: AnyObject) -> Bool { false }

  /// Changes a to-many value in its storage if possible, otherwise by getting and setting it.
  func mutate(_ object: AnyObject, _ edit: Edit) {}

  /// Lends the value, in the property's own type, to a body that runs once.
  func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}

  /// A copy of the value from before a mutation.
  func capture(from object: AnyObject) -> any CapturedValue { ValueBox<Any?>(nil) }

  /// A copy of a to-many value's elements at these indexes.
  func capture(from object: AnyObject, at indexes: IndexRanges) -> any CapturedValue {
    elements?.capture(object, indexes) ?? capture(from: object).elements(at: indexes)
  }

  /// The number of a to-many value's elements; nil if it isn't one.
  func elementCount(of object: AnyObject) -> Int? {
    elements?.count(object) ?? (anyValue(of: object) as? any ToMany)?.anyCount
  }

  /// Traps if the property's collection can't hold the edit's elements.
  func check(_ edit: Edit) {
    guard let type = unwrapped(valueType) as? any ToMany.Type else { return }
    switch edit {
    case .insertion(_, let elements), .replacement(_, let elements): type.check(elements)
    case .algebra(_, let elements): type.check(elements.map(\.base))
    case .setting, .removal: break
    }
  }

  /// A reader of the property if its type is exactly `Value`.
  func reader<Value>(of type: Value.Type) -> ((AnyObject) -> Value)? { nil }

  /// A setter of the property if its type is exactly `Value`; a computed one may need announcing.
  func writer<Value>(of type: Value.Type) -> ((AnyObject, Value) -> Void)? { nil }
}

/// A property with its types.
final class TypedProperty<Root: AnyObject, Value>: Property, @unchecked Sendable {
  let get: (Root) -> Value
  private let setter: ((Root, Value) -> Void)?
  private let modify: ((Root, (inout Value) -> Void) -> Void)?
  private let optional: (any AnyOptional.Type)?
  private let readObject: ((Root) -> (any KeyValueObservable)?)?

  init(
    key: String, origin: Origin, ownership: KeyValueOwnership = .strong,
    get: @escaping (Root) -> Value, set: ((Root, Value) -> Void)?,
    modify: ((Root, (inout Value) -> Void) -> Void)? = nil
  ) {
    self.get = get
    self.modify = modify
    setter = set
    optional = Value.self as? any AnyOptional.Type
    readObject = TypedProperty.objectReader(get)
    super.init(key: key, origin: origin, ownership: ownership, valueType: Value.self)
  }

  override var hasSetter: Bool { setter != nil }

  override func anyValue(of object: AnyObject) -> Any? {
    let value = get(unsafeDowncast(object, to: Root.self))
    guard let optional else { return value }
    return withUnsafePointer(to: value) { optional.flattened(at: UnsafeRawPointer($0)) }
  }

  override func number(of object: AnyObject) -> Number? {
    guard Value.self == Int.self || Value.self == Double.self else { return nil }
    let value = get(unsafeDowncast(object, to: Root.self))
    // The types have just been found equal.
    return Value.self == Int.self
      ? .integer(Int128(unsafeBitCast(value, to: Int.self)))
      : .floating(unsafeBitCast(value, to: Double.self))
  }

  override func values(of objects: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> any ToMany {
    // The usual types are read without run-time metadata; the types are the same, as is just found.
    if Value.self == Int.self {
      return unsafeDowncast(self, to: TypedProperty<Root, Int>.self).typedValues(of: objects)
    }
    if Value.self == Double.self {
      return unsafeDowncast(self, to: TypedProperty<Root, Double>.self).typedValues(of: objects)
    }
    if Value.self == String.self {
      return unsafeDowncast(self, to: TypedProperty<Root, String>.self).typedValues(of: objects)
    }
    return typedValues(of: objects)
  }

  @inline(__always)
  private func typedValues(of objects: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> [Value] {
    [Value](unsafeUninitializedCapacity: objects.count) { values, count in
      for object in objects {
        object._withUnsafeGuaranteedRef {
          values.initializeElement(at: count, to: get(unsafeDowncast($0, to: Root.self)))
        }
        count += 1
      }
    }
  }

  /// Reads without the casts that any type would need; for an observable class, optional or not.
  private static func objectReader(
    _ get: @escaping (Root) -> Value
  ) -> ((Root) -> (any KeyValueObservable)?)? {
    func reader<Object: KeyValueObservable>(
      _ type: Object.Type
    ) -> ((Root) -> (any KeyValueObservable)?)? {
      // An optional of an optional looks the same unless it's nil.
      guard Value.self == Object.self || Value.self == Object?.self else { return nil }
      return { unsafeBitCast(get($0), to: Object?.self) }
    }
    return (unwrapped(Value.self) as? any KeyValueObservable.Type).flatMap { reader($0) }
  }

  override func observedObject(of object: AnyObject) -> (any KeyValueObservable)?? {
    guard let readObject else { return nil }
    return .some(readObject(unsafeDowncast(object, to: Root.self)))
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    if let optional { return optional.flattened(at: address) }
    return address.assumingMemoryBound(to: Value.self).pointee
  }

  override func setAny(_ value: Any, of object: AnyObject) {
    func set<Given>(_ value: Given) {
      guard Given.self == Value.self else { return setCast(value, of: object) }
      setter?(unsafeDowncast(object, to: Root.self), unsafeBitCast(value, to: Value.self))
    }
    _openExistential(value, do: set)
  }

  /// A function of its own, because the cast makes it look up `Optional<Value>` before it does anything.
  @inline(never)
  private func setCast(_ value: Any, of object: AnyObject) {
    guard let value = value as? Value else { return }
    setter?(unsafeDowncast(object, to: Root.self), value)
  }

  override var acceptsNil: Bool { optional != nil }

  override func setNil(of object: AnyObject) {
    guard let setter, let none = Optional<Any>.none as? Value else { return }
    setter(unsafeDowncast(object, to: Root.self), none)
  }

  override func canMutateStorage(of object: AnyObject) -> Bool {
    // A subclass may have overridden the property; then its accessors must run.
    modify != nil && type(of: object) == Root.self
  }

  override func mutate(_ object: AnyObject, _ edit: Edit) {
    let root = unsafeDowncast(object, to: Root.self)
    func apply(_ value: inout Value) {
      withUnsafeMutablePointer(to: &value) { edit.apply(at: $0, type: Value.self) }
    }
    if let modify, canMutateStorage(of: object) {
      modify(root, apply)
    } else if let setter {
      var value = get(root)
      apply(&value)
      setter(root, value)
    }
  }

  override func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {
    let value = get(unsafeDowncast(object, to: Root.self))
    withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
  }

  override func capture(from object: AnyObject) -> any CapturedValue {
    ValueBox(get(unsafeDowncast(object, to: Root.self)))
  }

  override func set(_ value: any CapturedValue, of object: AnyObject) {
    guard let setter, let box = value as? ValueBox<Value> else { return }
    setter(unsafeDowncast(object, to: Root.self), box.value)
  }

  override func reader<Wanted>(of type: Wanted.Type) -> ((AnyObject) -> Wanted)? {
    guard let typed = self as? TypedProperty<Root, Wanted> else { return nil }
    let get = typed.get
    return { get(unsafeDowncast($0, to: Root.self)) }
  }

  override func writer<Wanted>(of type: Wanted.Type) -> ((AnyObject, Wanted) -> Void)? {
    guard let set = (self as? TypedProperty<Root, Wanted>)?.setter else { return nil }
    return { set(unsafeDowncast($0, to: Root.self), $1) }
  }
}

/// The object itself, which the component `self` names.
final class IdentityProperty: Property, @unchecked Sendable {
  init(of type: any KeyValueObservable.Type, id: Int) {
    super.init(
      key: ParsedKeyPath.identity, origin: .constant, ownership: .strong, valueType: type)
    self.id = id
  }

  override func anyValue(of object: AnyObject) -> Any? { object }
}
