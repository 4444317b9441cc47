// Stored properties with accessors that announce changes: setting one by key announces as they do.
extension KeyValueSchemaBuilder {
  /// Adds a stored property with accessors that announce its changes.
  ///
  /// `load` and `store` bypass the accessors, and announce nothing. Without `load`, no class overrides
  /// the property. Without `set`, setting by key announces and stores as the accessor does. For a to-many
  /// property, `modify` bypasses the accessors and lends the stored value itself, so that proxies can change it in
  /// place.
  public func stored<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, ownership: KeyValueOwnership = .strong,
    declared: [String] = [], checked: [String] = [], get: @escaping (Root) -> Value,
    set: ((Root, Value) -> Void)? = nil, load: ((Root) -> Value)? = nil,
    store: ((Root, Value) -> Void)? = nil, modify: ((Root, (inout Value) -> Void) -> Void)? = nil
  ) {
    addStored(key, keyPath, ownership, get, set, load, store, modify)
    depend(key, inferred: [], declared: declared, checked: checked)
  }

  /// Adds a stored array with accessors that announce its changes.
  ///
  /// Inlinable, so that proxies are specialised for the element type.
  @inlinable
  public func stored<Root: AnyObject, Element>(
    _ key: String, _ keyPath: KeyPath<Root, [Element]>, ownership: KeyValueOwnership = .strong,
    declared: [String] = [], checked: [String] = [], get: @escaping (Root) -> [Element],
    set: ((Root, [Element]) -> Void)? = nil, load: ((Root) -> [Element])? = nil,
    store: ((Root, [Element]) -> Void)? = nil,
    modify: ((Root, (inout [Element]) -> Void) -> Void)? = nil
  ) {
    addArray(key, keyPath, ownership, get, set, load, store, modify) { ArrayStorage($0) }
    depend(key, inferred: [], declared: declared, checked: checked)
  }

  // Only what most properties need: each line of a class's schema is code in its module.

  /// Adds a stored property without ownership or dependencies.
  public func stored<Root: AnyObject, Value>(
    _ key: String, _ keyPath: consuming KeyPath<Root, Value>, get: @escaping (Root) -> Value,
    store: @escaping (Root, Value) -> Void
  ) {
    addStored(key, keyPath, .strong, get, nil, nil, store, nil)
  }

  /// Adds a stored array without ownership or dependencies.
  @inlinable
  public func stored<Root: AnyObject, Element>(
    _ key: String, _ keyPath: consuming KeyPath<Root, [Element]>,
    get: @escaping (Root) -> [Element],
    store: @escaping (Root, [Element]) -> Void,
    modify: @escaping (Root, (inout [Element]) -> Void) -> Void
  ) {
    addArray(key, keyPath, get, store, modify) { ArrayStorage($0) }
  }

  @usableFromInline
  func addArray<Root: AnyObject, Element>(
    _ key: String, _ keyPath: consuming KeyPath<Root, [Element]>,
    _ get: @escaping (Root) -> [Element], _ store: @escaping (Root, [Element]) -> Void,
    _ modify: @escaping (Root, (inout [Element]) -> Void) -> Void,
    storage: (ArrayAccess<Element>) -> ToManyStorage
  ) {
    addArray(key, keyPath, .strong, get, nil, nil, store, modify, storage: storage)
  }

  @usableFromInline
  func addArray<Root: AnyObject, Element>(
    _ key: String, _ keyPath: KeyPath<Root, [Element]>, _ ownership: KeyValueOwnership,
    _ get: @escaping (Root) -> [Element], _ set: ((Root, [Element]) -> Void)?,
    _ load: ((Root) -> [Element])?, _ store: ((Root, [Element]) -> Void)?,
    _ modify: ((Root, (inout [Element]) -> Void) -> Void)?,
    storage: (ArrayAccess<Element>) -> ToManyStorage
  ) {
    let property = addStored(key, keyPath, ownership, get, set, load, store, modify)
    if let modify { property.elements = storage(ArrayAccess(get: get, modify: modify)) }
  }

  @discardableResult
  private func addStored<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, _ ownership: KeyValueOwnership,
    _ get: @escaping (Root) -> Value, _ set: ((Root, Value) -> Void)?,
    _ load: ((Root) -> Value)?, _ store: ((Root, Value) -> Void)?,
    _ modify: ((Root, (inout Value) -> Void) -> Void)?
  ) -> Property {
    let id = storedCount
    let property = TypedProperty(
      key: key, origin: .stored, ownership: ownership, get: get,
      set: set ?? store.map { announcing($0, id) }, modify: modify)
    property.id = id
    property.valueStorage = store.map {
      TypedValueStorage(ValueAccess(get: get, store: $0), load: load)
    }
    // A class passes the setter if an override may change what it does, and what the getter returns.
    property.valueStorage?.mayAdjust = set != nil
    storedCount += 1
    add(property, keyPath)
    return property
  }

  /// What the property's setter does, if no override can do anything else.
  private func announcing<Root: AnyObject, Value>(
    _ store: @escaping (Root, Value) -> Void, _ id: Int
  ) -> (Root, Value) -> Void {
    let type = type
    return { object, value in
      let registrar = type.registrar(of: object)
      if registrar.pointee.storesDirectly {
        store(object, value)
      } else {
        registrar.pointee.assign(value, to: id, of: object)
      }
    }
  }
}

extension KeyValueObservable {
  /// The registrar of an object that is known to be an instance of this class or a subclass.
  fileprivate static func registrar(of object: AnyObject) -> UnsafePointer<KeyValueRegistrar> {
    unsafeDowncast(object, to: Self.self)._$kvoWithRegistrar { $0.address() }
  }
}
