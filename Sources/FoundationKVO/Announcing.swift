import KeyValueCore

/// An announced change that hasn't ended; the replacement of a `dynamic` member creates it.
public struct _KeyValueAnnouncement {
  private let did: () -> Void

  fileprivate init(_ did: @escaping () -> Void) {
    self.did = did
  }

  /// Announces that the change has happened.
  public func end() { did() }
}

// The macro's replacements of `dynamic` members call these; nil for a key without automatic notification,
// or without the accessor's counterpart.
extension NSObject {
  /// Announces a set of a computed property.
  public final func _$kvoAnnounce(_ key: String) -> _KeyValueAnnouncement? {
    guard isAutomatic(key) else { return nil }
    let object = self as any KeyValueObservable
    object.willChangeValue(forKey: key)
    return _KeyValueAnnouncement { object.didChangeValue(forKey: key) }
  }

  /// Announces a change of one element.
  public final func _$kvoAnnounce(
    _ kind: NSKeyValueChange, at index: Int, _ key: String
  ) -> _KeyValueAnnouncement? {
    // No range ends behind `NSNotFound`, and a collection lacks the index before it just as well.
    let place = min(index, Int.max - 1)
    return _$kvoAnnounce(kind, at: RangeSet(place..<place + 1), key)
  }

  /// Announces a change of elements.
  public final func _$kvoAnnounce(
    _ kind: NSKeyValueChange, at indexes: IndexSet, _ key: String
  ) -> _KeyValueAnnouncement? {
    _$kvoAnnounce(kind, at: indexes.rangeSet, key)
  }

  /// Announces a change of elements.
  public final func _$kvoAnnounce(
    _ kind: NSKeyValueChange, at indexes: RangeSet<Int>, _ key: String
  ) -> _KeyValueAnnouncement? {
    // Without their counterpart, Cocoa doesn't replace a class's methods.
    guard isAutomatic(key), KeyValueSchema.schema(of: type(of: self)).mutatesArray(key) else {
      return nil
    }
    let object = self as any KeyValueObservable
    object.willChange(kind, valuesAt: indexes, forKey: key)
    return _KeyValueAnnouncement { object.didChange(kind, valuesAt: indexes, forKey: key) }
  }

  /// Announces a change of one element of a set.
  public final func _$kvoAnnounce<Element: Hashable>(
    _ kind: NSKeyValueSetMutationKind, object: Element, _ key: String
  ) -> _KeyValueAnnouncement? {
    _$kvoAnnounce(kind, [object], key)
  }

  /// Announces a change of one element of a set; its type doesn't say that it's `Hashable`.
  @_disfavoredOverload
  public final func _$kvoAnnounce(
    _ kind: NSKeyValueSetMutationKind, object: Any, _ key: String
  ) -> _KeyValueAnnouncement? {
    _$kvoAnnounce(kind, NSSet(object: object), key)
  }

  /// Announces a change of a set.
  public final func _$kvoAnnounce(
    _ kind: NSKeyValueSetMutationKind, _ elements: NSSet, _ key: String
  ) -> _KeyValueAnnouncement? {
    _$kvoAnnounce(kind, Bridging.hashables(elements.allObjects), key)
  }

  /// Announces a change of a set.
  public final func _$kvoAnnounce<Element>(
    _ kind: NSKeyValueSetMutationKind, _ elements: Set<Element>, _ key: String
  ) -> _KeyValueAnnouncement? {
    guard isAutomatic(key), KeyValueSchema.schema(of: type(of: self)).mutatesSet(key) else {
      return nil
    }
    let object = self as any KeyValueObservable
    object.willChangeValue(forKey: key, withSetMutation: kind, using: elements)
    return _KeyValueAnnouncement {
      object.didChangeValue(forKey: key, withSetMutation: kind, using: elements)
    }
  }

  private func isAutomatic(_ key: String) -> Bool {
    type(of: self).automaticallyNotifiesObservers(forKey: key)
  }
}

extension KeyValueSchemaBuilder {
  /// Adds `validate<Key>(_:)` with a pointer.
  public func pointerValidator<Root: AnyObject>(
    _ key: String,
    _ validate: @escaping (Root, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
  ) {
    validator(key) { (root: Root, value: inout Any?) in
      let given = Bridging.object(value).map { $0 as AnyObject }
      var object = given
      try validate(root, &object)
      // A value that the validator accepts stays the one that was given.
      if object !== given { value = Bridging.swift(object) }
    }
  }

  /// Adds `enumeratorOf<Key>()`.
  public func accessor<Root: AnyObject>(
    _ key: String, enumerator: @escaping (Root) -> NSEnumerator
  ) {
    accessor(
      key,
      get: { (root: Root) in Set(enumerator(root).allObjects.compactMap { $0 as? AnyHashable }) })
  }

  /// Adds `<key>(at:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, objectsAt: @escaping (Root, IndexSet) -> [Element]
  ) {
    accessor(
      key, objectsAt: { (root: Root, indexes: RangeSet<Int>) in objectsAt(root, IndexSet(indexes)) }
    )
  }

  /// Adds `insert<Key>(_:at:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, insertAtIndexes: @escaping (Root, [Element], IndexSet) -> Void
  ) {
    accessor(
      key,
      insertAtIndexes: { (root: Root, elements: [Element], indexes: RangeSet<Int>) in
        insertAtIndexes(root, elements, IndexSet(indexes))
      })
  }

  /// Adds `remove<Key>(at:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, removeAtIndexes: @escaping (Root, IndexSet) -> Void
  ) {
    accessor(
      key,
      removeAtIndexes: { (root: Root, indexes: RangeSet<Int>) in
        removeAtIndexes(root, IndexSet(indexes))
      })
  }

  /// Adds `replace<Key>(at:with:)`.
  public func accessor<Root: AnyObject, Element>(
    _ key: String, replaceAtIndexes: @escaping (Root, IndexSet, [Element]) -> Void
  ) {
    accessor(
      key,
      replaceAtIndexes: { (root: Root, indexes: RangeSet<Int>, elements: [Element]) in
        replaceAtIndexes(root, IndexSet(indexes), elements)
      })
  }

  /// Adds `insert<Key>(_:at:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, insertAtIndexes: @escaping (Root, NSArray, IndexSet) -> Void
  ) {
    accessor(
      key,
      insertAtIndexes: { (root: Root, elements: [Any], indexes: IndexSet) in
        insertAtIndexes(root, foundationArray(elements), indexes)
      })
  }

  /// Adds `replace<Key>(at:with:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, replaceAtIndexes: @escaping (Root, IndexSet, NSArray) -> Void
  ) {
    accessor(
      key,
      replaceAtIndexes: { (root: Root, indexes: IndexSet, elements: [Any]) in
        replaceAtIndexes(root, indexes, foundationArray(elements))
      })
  }

  /// Adds `add<Key>(_:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, addSet: @escaping (Root, NSSet) -> Void
  ) {
    accessor(key, addSet: { (root: Root, elements) in addSet(root, foundationSet(elements)) })
  }

  /// Adds `remove<Key>(_:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, removeSet: @escaping (Root, NSSet) -> Void
  ) {
    accessor(key, removeSet: { (root: Root, elements) in removeSet(root, foundationSet(elements)) })
  }

  /// Adds `intersect<Key>(_:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, intersectSet: @escaping (Root, NSSet) -> Void
  ) {
    accessor(
      key, intersectSet: { (root: Root, elements) in intersectSet(root, foundationSet(elements)) })
  }

  /// Adds `set<Key>(_:)`.
  public func accessor<Root: AnyObject>(
    _ key: String, setSet: @escaping (Root, NSSet) -> Void
  ) {
    accessor(key, setSet: { (root: Root, elements) in setSet(root, foundationSet(elements)) })
  }
}

private func foundationArray(_ elements: [Any]) -> NSArray {
  NSArray(array: elements.map { Bridging.present($0) })
}

private func foundationSet(_ elements: Set<AnyHashable>) -> NSSet {
  NSSet(array: Bridging.members(elements.lazy.map(\.base)))
}
