/// An object and a path that begins at it: `person.kvo.account.balance`.
///
/// Everything that concerns the value of a path hangs here: observing, binding, asynchronous sequences
/// and mutable proxies.
///
/// ```swift
/// let observation = person.kvo.account.balance.observe(options: .new) { person, change in
///   print(change)               // setting, new: 120.0
/// }
/// person.account?.balance = 120
/// ```
///
/// - A path through an optional has an optional value, however many optionals there are, and is written
///   without `?`.
/// - Members of a value may follow the last key: `person.kvo.frame.origin.x`. They are read again when
///   that key changes.
/// - `person.kvo.employees[sum: \.salary]`, `average`, `minimum`, `maximum`, `each` and `.count` go
///   through collections and are kept up to date.
/// - A key that has the name of a member of this type (`observe`, `bind`, `values` …) is written in
///   brackets: `person.kvo[\.values]`.
/// - `try person.kvo("employees.@sum.salary")` takes a string.
///
/// A bound path holds its object strongly while it exists; what is made from it does not.
///
/// Cost: each component is looked up once it has been spelled before, without a lock. `[sum: \.salary]` and
/// the like contain a key path literal that the runtime makes anew each time; keep a ``KeyValuePath``
/// where such a path is spelled often.
///
/// Threading: making a path reads nothing of the object, except for a string.
@dynamicMemberLookup
public struct KeyValueBoundPath<Root: KeyValueObservable, Value> {
  // Underscored names hide no key of a client's.
  @usableFromInline let _object: Root
  @usableFromInline let _path: KeyValuePath<Root, Value>

  @inlinable
  init(_ object: Root, _ path: KeyValuePath<Root, Value>) {
    _object = object
    _path = path
  }
}

extension KeyValueObservable {
  /// The beginning of every path of this object: `person.kvo.account.balance`.
  @inlinable
  public var kvo: KeyValueBoundPath<Self, Self> {
    KeyValueBoundPath(self, .start(of: Self.self))
  }

  /// A path that is written as a string, with operators if you like.
  ///
  /// ```swift
  /// let total = try company.kvo("employees.@sum.salary").observe { company, change in … }
  /// ```
  ///
  /// The objects that are on the path now are walked to find what cannot be observed; nothing is
  /// registered.
  ///
  /// - Throws: `KeyValueCodingError`, naming the component that cannot be observed.
  public func kvo(_ keyPath: String) throws -> KeyValueBoundPath<Self, Any?> {
    try kvo(keyPath, as: Any?.self)
  }

  /// A path that is written as a string, and whose values arrive typed.
  ///
  /// ```swift
  /// let balance = try person.kvo("account.balance", as: Double?.self)
  /// let observation = balance.observe(options: .new) { _, change in
  ///   print(change.newValue ?? nil)   // Optional(120.0)
  /// }
  /// ```
  ///
  /// A value of another type that comes later is converted as `setValue(_:forKey:)` converts it; one
  /// that cannot be goes to the violation handler.
  ///
  /// - Throws: `KeyValueCodingError`: naming the component that cannot be observed, or `typeMismatch`
  ///   where the last key is known to hold another type, or the path can be nil and the type cannot.
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

  // Disfavoured: with two of equal rank the compiler has no word for a misspelt member behind an optional.
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
  /// Also by the property that a plain key path names which is held in a value; a longer one goes to
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

  /// Extends the path through an optional by an optional key that has the name of a member of this type.
  @inlinable
  public subscript<Wrapped, Next>(
    _ keyPath: KeyPath<Wrapped, Next?>
  ) -> KeyValueBoundPath<Root, Next?> where Value == Wrapped? {
    KeyValueBoundPath<Root, Next?>(_object, _path.stepFlattening(keyPath))
  }
}

extension KeyValueBoundPath where Root == Value {
  /// A path that is held in a value, from this object on.
  @inlinable
  public subscript<Next>(_ path: KeyValuePath<Root, Next>) -> KeyValueBoundPath<Root, Next> {
    KeyValueBoundPath<Root, Next>(_object, path)
  }
}

extension KeyValueBoundPath {
  /// The object and the path.
  package var _unbound: (Root, KeyValuePath<Root, Value>) { (_object, _path) }
}

extension KeyValuePath where Root: KeyValueObservable {
  /// The path without its object, to be kept and bound to others.
  public init(_ path: KeyValueBoundPath<Root, Value>) {
    self = path._path
  }
}

// Neither Hashable nor CustomStringConvertible: keys are called `hash` and `description`.
extension KeyValueBoundPath: CustomDebugStringConvertible {
  /// The class and the path: `Person.account.balance`.
  public var debugDescription: String {
    let path = _path.observed.string
    return path.isEmpty ? _object.schema.name : "\(_object.schema.name).\(path)"
  }
}
