// Accessor methods found by name. The element and set types are erased here: the coding layer has
// already converted or refused a value of another type.
extension KeyValueSchemaBuilder {
  /// Adds `get<Key>()`.
  public func accessor<Root: AnyObject, Value>(_ key: String, get: @escaping (Root) -> Value) {
    updateAccessors(key) { $0.get = reader(get) }
  }

  /// Adds `<key>()`.
  public func accessor<Root: AnyObject, Value>(
    _ key: String, key method: @escaping (Root) -> Value
  ) {
    updateAccessors(key) { $0.key = reader(method) }
  }

  /// Adds `is<Key>()`.
  public func accessor<Root: AnyObject, Value>(_ key: String, is method: @escaping (Root) -> Value)
  {
    updateAccessors(key) { $0.isGetter = reader(method) }
  }

  /// Adds `countOf<Key>()`.
  public func accessor<Root: AnyObject>(_ key: String, count: @escaping (Root) -> Int) {
    updateAccessors(key) { $0.count = { count(root($0)) } }
  }

  /// Adds `objectIn<Key>(at:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, objectAt: @escaping (Root, Int) -> Element
  ) {
    updateAccessors(key, of: Element.self) { $0.objectAt = { objectAt(root($0), $1) } }
  }

  /// Adds `<key>(at:)`, which reads several elements at once.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, objectsAt: @escaping (Root, RangeSet<Int>) -> [Element]
  ) {
    updateAccessors(key, of: Element.self) { $0.objectsAt = { objectsAt(root($0), $1) } }
  }

  /// Adds `insertObject(_:in<Key>At:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, insertAt: @escaping (Root, Element, Int) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.insertAt = { insertAt(root($0), typedElement($1), $2) }
    }
  }

  /// Adds `removeObject(from<Key>At:)`.
  public func accessor<Root: AnyObject>(_ key: String, removeAt: @escaping (Root, Int) -> Void) {
    updateAccessors(key) { $0.removeAt = { removeAt(root($0), $1) } }
  }

  /// Adds `replaceObject(in<Key>At:with:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, replaceAt: @escaping (Root, Int, Element) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.replaceAt = { replaceAt(root($0), $1, typedElement($2)) }
    }
  }

  /// Adds `insert<Key>(_:at:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, insertAtIndexes: @escaping (Root, [Element], RangeSet<Int>) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.insertAtIndexes = { insertAtIndexes(root($0), $1.map { typedElement($0) }, $2) }
    }
  }

  /// Adds `remove<Key>(at:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, removeAtIndexes: @escaping (Root, RangeSet<Int>) -> Void
  ) {
    updateAccessors(key) { $0.removeAtIndexes = { removeAtIndexes(root($0), $1) } }
  }

  /// Adds `replace<Key>(at:with:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, replaceAtIndexes: @escaping (Root, RangeSet<Int>, [Element]) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.replaceAtIndexes = { replaceAtIndexes(root($0), $1, $2.map { typedElement($0) }) }
    }
  }

  /// Adds `add<Key>Object(_:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, addObject: @escaping (Root, Element) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.addObject = { addObject(root($0), typedElement($1)) }
    }
  }

  /// Adds `remove<Key>Object(_:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, removeObject: @escaping (Root, Element) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.removeObject = { removeObject(root($0), typedElement($1)) }
    }
  }

  /// Adds `add<Key>(_:)`.
  public func accessor<Root: AnyObject, Element: Hashable>(
    _ key: String, addSet: @escaping (Root, Set<Element>) -> Void
  ) {
    updateAccessors(key, taking: Element.self) { $0.addSet = { addSet(root($0), typedSet($1)) } }
  }

  /// Adds `remove<Key>(_:)`.
  public func accessor<Root: AnyObject, Element: Hashable>(
    _ key: String, removeSet: @escaping (Root, Set<Element>) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.removeSet = { removeSet(root($0), typedSet($1)) }
    }
  }

  /// Adds `intersect<Key>(_:)`.
  public func accessor<Root: AnyObject, Element: Hashable>(
    _ key: String, intersectSet: @escaping (Root, Set<Element>) -> Void
  ) {
    updateAccessors(key, taking: Element.self) {
      $0.intersectSet = { intersectSet(root($0), typedSet($1)) }
    }
  }

  /// Adds `set<Key>(_:)`.
  public func accessor<Root: AnyObject, Element: Hashable>(
    _ key: String, setSet: @escaping (Root, Set<Element>) -> Void
  ) {
    updateAccessors(key, taking: Element.self) { $0.setSet = { setSet(root($0), typedSet($1)) } }
  }

  /// `element` is the type of the elements that the added method takes.
  private func updateAccessors(
    _ key: String, taking element: Any.Type, _ body: (inout CollectionAccessors) -> Void
  ) {
    updateAccessors(key, of: element) { accessors in
      body(&accessors)
      accessors.take(element)
    }
  }
}

private func root<Root: AnyObject>(_ object: AnyObject) -> Root {
  unsafeDowncast(object, to: Root.self)
}

private func reader<Root: AnyObject, Value>(
  _ method: @escaping (Root) -> Value
) -> (AnyObject) -> Any? {
  { flattened(method(unsafeDowncast($0, to: Root.self))) }
}

private func typedSet<Element: Hashable>(_ set: Set<AnyHashable>) -> Set<Element> {
  Set(set.map { typedElement($0.base) })
}
