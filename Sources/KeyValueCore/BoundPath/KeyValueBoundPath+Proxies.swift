// Proxies for the collection that a path leads to.
extension KeyValueBoundPath {
  /// The array that the path leads to, as a proxy; observers get exact indexes.
  ///
  /// ```swift
  /// person.kvo.books.mutableArray().append("Dune")     // insertion, indexes: 2, new: ["Dune"]
  /// ```
  ///
  /// A property without a setter or accessor methods traps with the message of the error that
  /// `mutableArrayValue(forKeyPath:)` throws. Cost and threading are as for
  /// ``KeyValueMutableArray``.
  public func mutableArray<Element>() -> KeyValueMutableArray<Element> where Value == [Element] {
    KeyValueMutableArray(_access(.ordered))
  }

  /// The set that the path leads to, as a proxy with observed changes.
  ///
  /// ```swift
  /// person.kvo.tags.mutableSet().insert("new")         // insertion, new: ["new"]
  /// ```
  ///
  /// Errors, cost and threading are as for `mutableArray()`.
  public func mutableSet<Element>() -> KeyValueMutableSet<Element> where Value == Set<Element> {
    KeyValueMutableSet(_access(.unordered))
  }

  /// The array that the path leads to; nil if an object on the way is nil.
  ///
  /// A nil array reads as empty; the first change creates it.
  ///
  /// ```swift
  /// person.kvo.account.entries.mutableArray()?.append(12)     // account is an Account?
  /// ```
  public func mutableArray<Element>() -> KeyValueMutableArray<Element>? where Value == [Element]? {
    _ownerIsThere ? KeyValueMutableArray(_access(.ordered)) : nil
  }

  /// The set that the path leads to; nil if an object on the way is nil.
  ///
  /// A nil set reads as empty; the first change creates it.
  public func mutableSet<Element>() -> KeyValueMutableSet<Element>? where Value == Set<Element>? {
    _ownerIsThere ? KeyValueMutableSet(_access(.unordered)) : nil
  }

  fileprivate var _ownerIsThere: Bool {
    _path.observed.hasOwner(on: _object)
  }

  func _access(_ kind: ToManyAccess.Kind) -> ToManyAccess {
    _object.checkedAccess(_path.observed, kind)
  }
}

#if OrderedCollections
  import OrderedCollections

  extension KeyValueBoundPath {
    /// The ordered set that the path leads to, as a proxy; observers get exact indexes.
    ///
    /// Errors, cost and threading are as for `mutableArray()`.
    public func mutableOrderedSet<Element>() -> KeyValueMutableOrderedSet<Element>
    where Value == OrderedSet<Element> {
      KeyValueMutableOrderedSet(_access(.distinct))
    }

    /// The ordered set that the path leads to; nil if an object on the way is nil.
    ///
    /// A nil ordered set reads as empty; the first change creates it.
    public func mutableOrderedSet<Element>() -> KeyValueMutableOrderedSet<Element>?
    where Value == OrderedSet<Element>? {
      _ownerIsThere ? KeyValueMutableOrderedSet(_access(.distinct)) : nil
    }
  }
#endif
