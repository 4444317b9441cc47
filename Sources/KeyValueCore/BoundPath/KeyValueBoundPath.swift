/// An object and a path that begins at it: `person.kvo.account.balance`.
///
/// Observing, binding, asynchronous sequences and mutable proxies are its methods.
///
/// ```swift
/// let observation = person.kvo.account.balance.observe(options: .new) { person, change in
///   print(change)               // setting, new: 120.0
/// }
/// person.account?.balance = 120
/// ```
///
/// - A path through optionals has a single optional value, and is written without `?`.
/// - Members of a value may follow the last key: `person.kvo.frame.origin.x`. They are read again
///   when that key changes.
/// - `person.kvo.employees[sum: \.salary]`, `average`, `minimum`, `maximum`, `each` and `.count` go
///   through collections and are kept up to date.
/// - A key with the name of a member of this type (`observe`, `bind`, `values` …) goes in brackets:
///   `person.kvo[\.values]`.
/// - `try person.kvo("employees.@sum.salary")` takes a string.
///
/// A bound path holds its object strongly; the observations, bindings and sequences made from it
/// don't.
///
/// Threading: creating a path reads nothing from the object, unless the path is a string.
///
/// - Complexity: One look-up, without a lock, for each component that was used before. The runtime
///   creates the key path in `[sum: \.salary]` and the like anew each time, so keep a
///   ``KeyValuePath`` if you use such a path often.
@dynamicMemberLookup
public struct KeyValueBoundPath<Root: KeyValueObservable, Value> {
  // Underscored, so that they don't hide a client's keys.
  /// The object that the path begins at, for KeyValueGTK.
  public let _object: Root
  @usableFromInline let _path: KeyValuePath<Root, Value>

  @inlinable
  init(_ object: Root, _ path: KeyValuePath<Root, Value>) {
    _object = object
    _path = path
  }
}

extension KeyValueObservable {
  /// The start of every path of this object: `person.kvo.account.balance`.
  @inlinable
  public var kvo: KeyValueBoundPath<Self, Self> {
    KeyValueBoundPath(self, .start(of: Self.self))
  }

  /// A path that's written as a string, possibly with operators.
  ///
  /// ```swift
  /// let total = try company.kvo("employees.@sum.salary").observe { company, change in … }
  /// ```
  ///
  /// This walks the objects that are on the path now to find what isn't observable. It registers
  /// nothing.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component that isn't observable.
  public func kvo(_ keyPath: String) throws -> KeyValueBoundPath<Self, Any?> {
    try kvo(keyPath, as: Any?.self)
  }

  /// A path that's written as a string, with typed values.
  ///
  /// ```swift
  /// let balance = try person.kvo("account.balance", as: Double?.self)
  /// let observation = balance.observe(options: .new) { _, change in
  ///   print(change.newValue ?? nil)   // Optional(120.0)
  /// }
  /// ```
  ///
  /// A later value of another type is converted as in `setValue(_:forKey:)`; one that can't be
  /// converted goes to the violation handler.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component that isn't observable; `typeMismatch` if
  ///   the last key is known to hold another type, or the path can be nil and the type can't.
  public func kvo<Value>(
    _ keyPath: String, as type: Value.Type
  ) throws -> KeyValueBoundPath<Self, Value> {
    KeyValueBoundPath(self, try KeyValuePath(keyPath, of: self, as: type))
  }
}

// MARK: Spelling

extension KeyValueBoundPath {
  /// Extends the path by a property.
  @inlinable
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value, Next>
  ) -> KeyValueBoundPath<Root, Next> {
    KeyValueBoundPath<Root, Next>(_object, _path.step(keyPath))
  }

  // Disfavoured: if two overloads have equal rank, the compiler doesn't report a misspelt member
  // behind an optional.
  /// Extends the path through an optional; the result is optional.
  @inlinable
  @_disfavoredOverload
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next>
  ) -> KeyValueBoundPath<Root, Next?> where Value == Wrapped? {
    KeyValueBoundPath<Root, Next?>(_object, _path.stepThrough(keyPath))
  }

  /// Extends the path through an optional by an optional property; the result is optional once.
  @inlinable
  public subscript<Wrapped, Next>(
    dynamicMember keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValueBoundPath<Root, Next?> where Value == Wrapped? {
    KeyValueBoundPath<Root, Next?>(_object, _path.stepFlattening(keyPath))
  }

  /// Extends the path by a key that has the name of a member of this type: `kvo[\.values]`.
  ///
  /// It also takes a plain key path from a variable, if that names a property; a longer one goes to
  /// the violation handler.
  @inlinable
  public subscript<Next>(_ keyPath: KeyPath<Value, Next>) -> KeyValueBoundPath<Root, Next> {
    KeyValueBoundPath<Root, Next>(_object, _path.step(keyPath))
  }

  /// Extends the path through an optional by a key that has the name of a member of this type.
  @inlinable
  public subscript<Wrapped, Next>(
    _ keyPath: KeyPath<Wrapped, Next>
  ) -> KeyValueBoundPath<Root, Next?> where Value == Wrapped? {
    KeyValueBoundPath<Root, Next?>(_object, _path.stepThrough(keyPath))
  }

  /// Extends the path through an optional by an optional key that has the name of a member of this
  /// type.
  @inlinable
  public subscript<Wrapped, Next>(
    _ keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValueBoundPath<Root, Next?> where Value == Wrapped? {
    KeyValueBoundPath<Root, Next?>(_object, _path.stepFlattening(keyPath))
  }
}

extension KeyValueBoundPath where Root == Value {
  /// This object's path for a stored typed path.
  @inlinable
  public subscript<Next>(_ path: KeyValuePath<Root, Next>) -> KeyValueBoundPath<Root, Next> {
    KeyValueBoundPath<Root, Next>(_object, path)
  }
}

extension KeyValueBoundPath {
  /// The object and the path.
  package var _unbound: (Root, KeyValuePath<Root, Value>) { (_object, _path) }

  /// The path as a string, the same for each spelling of it by keys.
  package var _meaning: String { _path.observed.meaning }

  /// What the path consists of, if its string doesn't identify it.
  package var _components: AnyHashable? {
    _path.observed.isNamedByKeys ? nil : AnyHashable(_path.steps)
  }
}

extension KeyValuePath where Root: KeyValueObservable {
  /// Creates the path without its object, to keep it or to bind it to other objects.
  public init(_ path: KeyValueBoundPath<Root, Value>) {
    self = path._path
  }
}

// Neither Hashable nor CustomStringConvertible: `hash` and `description` may be keys.
extension KeyValueBoundPath: CustomDebugStringConvertible {
  /// The class and the path: `Person.account.balance`.
  public var debugDescription: String {
    let path = _path.observed.string
    return path.isEmpty ? _object.schema.name : "\(_object.schema.name).\(path)"
  }
}
