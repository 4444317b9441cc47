/// A property with its root and value types.
final class TypedProperty<Root: AnyObject, Value>: Property, @unchecked Sendable {
  let get: (Root) -> Value
  /// The builder may add one before the schema is published.
  @exclusivity(unchecked) private var setter: ((Root, Value) -> Void)?
  private let modify: ((Root, (inout Value) -> Void) -> Void)?
  private let optional: (any AnyOptional.Type)?
  /// Whether the type isn't optional and may hold nil all the same: `Any` may.
  private let mayHoldNil: Bool
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
    mayHoldNil = isExistential(Value.self) && nilValue(of: Value.self) != nil
    readObject = TypedProperty.objectReader(get)
    super.init(key: key, origin: origin, ownership: ownership, valueType: Value.self)
  }

  override var hasSetter: Bool { setter != nil }

  override func addSetter<Override: AnyObject, Wanted>(
    _ set: @escaping (Override, Wanted) -> Void
  ) {
    guard let typed = self as? TypedProperty<Root, Wanted> else { return }
    // Only the schema of the override's class, which its subclasses' objects have too, calls it.
    typed.setter = { set(unsafeDowncast($0, to: Override.self), $1) }
    restrictedSetter = nil
  }

  override func anyValue(of object: AnyObject) -> Any? {
    let value = get(unsafeDowncast(object, to: Root.self))
    guard let optional else { return mayHoldNil ? flattened(value) : value }
    return withUnsafePointer(to: value) { optional.flattened(at: UnsafeRawPointer($0)) }
  }

  override func number(of object: AnyObject) -> Number? {
    guard Value.self == Int.self || Value.self == Double.self else { return nil }
    let value = get(unsafeDowncast(object, to: Root.self))
    // The types have just been checked to be equal.
    return Value.self == Int.self
      ? .integer(Int128(unsafeBitCast(value, to: Int.self)))
      : .floating(unsafeBitCast(value, to: Double.self))
  }

  override func integer(of object: AnyObject) -> Int? {
    guard Value.self == Int.self else { return nil }
    // The types have just been checked to be equal.
    return unsafeBitCast(get(unsafeDowncast(object, to: Root.self)), to: Int.self)
  }

  override func reference(of object: AnyObject) -> AnyObject? {
    // `readObject` exists only for a class, optional or not: the value is one reference, or nil.
    guard readObject != nil else { return nil }
    return unsafeBitCast(get(unsafeDowncast(object, to: Root.self)), to: AnyObject?.self)
  }

  override func reference(at address: UnsafeRawPointer) -> AnyObject?? {
    // As above: the address holds one reference, or nil.
    guard readObject != nil else { return nil }
    return .some(address.assumingMemoryBound(to: AnyObject?.self).pointee)
  }

  override func values(of objects: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> any ToMany {
    // The usual types are read without run-time metadata; each check proves that the types are equal.
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
    // As in `Array.boxed`, an empty array isn't created from uninitialised memory.
    if objects.isEmpty { return [] }
    return [Value](unsafeUninitializedCapacity: objects.count) { values, count in
      for object in objects {
        object._withUnsafeGuaranteedRef {
          values.initializeElement(at: count, to: get(unsafeDowncast($0, to: Root.self)))
        }
        count += 1
      }
    }
  }

  /// Reads an observable class, optional or not, without the casts that an arbitrary type would need.
  private static func objectReader(
    _ get: @escaping (Root) -> Value
  ) -> ((Root) -> (any KeyValueObservable)?)? {
    func reader<Object: KeyValueObservable>(
      _ type: Object.Type
    ) -> ((Root) -> (any KeyValueObservable)?)? {
      // The casts succeed only if the types are the same, so the value is passed on without a copy.
      if let get = get as Any as? (Root) -> Object? { return { get($0) } }
      return (get as Any as? (Root) -> Object).map { get in { get($0) } }
    }
    return (unwrapped(Value.self) as? any KeyValueObservable.Type).flatMap { reader($0) }
  }

  override func observedObject(of object: AnyObject) -> (any KeyValueObservable)?? {
    guard let readObject else { return nil }
    return .some(readObject(unsafeDowncast(object, to: Root.self)))
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    if let optional { return optional.flattened(at: address) }
    let value = address.assumingMemoryBound(to: Value.self).pointee
    return mayHoldNil ? flattened(value) : value
  }

  override func traced(at address: UnsafeRawPointer) -> KeyValueTrace.Value {
    if isRedacted { return .redacted }
    return KeyValueTrace.Value(at: address.assumingMemoryBound(to: Value.self))
  }

  override func setAny(_ value: Any, of object: AnyObject) {
    func set<Given>(_ value: Given) {
      guard Given.self == Value.self else { return setCast(value, of: object) }
      setter?(unsafeDowncast(object, to: Root.self), unsafeBitCast(value, to: Value.self))
    }
    _openExistential(value, do: set)
  }

  /// A separate function, because the cast makes it look up `Optional<Value>` on entry.
  @inline(never)
  private func setCast(_ value: Any, of object: AnyObject) {
    guard let value = value as? Value else { return }
    setter?(unsafeDowncast(object, to: Root.self), value)
  }

  override var acceptsNil: Bool { optional != nil || mayHoldNil }

  override func setNil(of object: AnyObject) {
    guard let setter, let none = nilValue(of: Value.self) else { return }
    setter(unsafeDowncast(object, to: Root.self), none)
  }

  override var lendsStorage: Bool { modify != nil }

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

  override func captured(_ value: Any?) -> (any CapturedValue)? {
    guard let value else { return nilValue(of: Value.self).map { ValueBox($0) } }
    return ValueConversion.converted(value, to: Value.self).map { ValueBox($0) }
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
