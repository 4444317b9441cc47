import Synchronization

/// One component of a typed path.
///
/// A component spelled in a literal is one object for the whole run, so what it names is found once and
/// remembered.
// Checked by hand: immutable, and so are key paths.
@usableFromInline
final class PathStep: @unchecked Sendable {
  /// What a component is, seen from the type that it is a member of.
  enum Kind {
    /// A key of an observable class.
    case key(Property)
    /// A member of an observable class that is not one of its keys.
    ///
    /// The closure reads it: it may be a requirement of a protocol, or an override, that is a key.
    case unknown(KeyValueSchema, (Any) -> Any?)
    /// A member of a value, or of a class that cannot be observed, which the closure reads.
    case value((Any) -> Any?)
    /// The number of elements of a collection.
    case count
    /// An operator, whose right-hand path is read by the closure.
    case operation(CollectionOperator, (AnyObject) -> Any?)
  }

  let kind: Kind
  let name: String
  let keyPath: AnyKeyPath

  private init<Base, Value>(_ keyPath: KeyPath<Base, Value>) {
    self.keyPath = keyPath
    let read = { (base: Any) in (base as? Base).flatMap { flattened($0[keyPath: keyPath]) } }
    guard let type = Base.self as? any KeyValueObservable.Type else {
      if let collection = Base.self as? any ToMany.Type, collection.countKeyPath == keyPath {
        kind = .count
        name = "@count"
      } else {
        kind = .value(read)
        name = memberName(keyPath)
      }
      return
    }
    let schema = KeyValueSchema.schema(of: type)
    if let property = schema.property(keyPath) {
      kind = .key(property)
      name = property.key
    } else {
      kind = .unknown(schema, read)
      name = memberName(keyPath)
    }
  }

  /// An operator over the elements of a collection.
  init<Element: AnyObject, Value>(
    _ operation: CollectionOperator, identity: AnyKeyPath, read: @escaping (Element) -> Value
  ) {
    keyPath = identity
    kind = .operation(operation) { flattened(read(unsafeDowncast($0, to: Element.self))) }
    name = "@" + operation.rawValue
  }

  // MARK: Remembering

  private static let known = LockedValue<[ObjectIdentifier: PathStep]>([:])
  /// More components than a program spells; only key paths made at run time get here, and are found
  /// anew each time.
  private static let limit = 4096

  @usableFromInline
  static func step<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> PathStep {
    // A step holds its key path, so the address cannot become another's.
    let identifier = ObjectIdentifier(keyPath)
    if let step = known.withLock({ $0[identifier] }) { return step }
    let step = PathStep(keyPath)
    guard case .key = step.kind else { return step }
    return known.withLock { known in
      if let step = known[identifier] { return step }
      if known.count < limit {
        known[identifier] = step
      }
      return step
    }
  }

  /// Reads the component: by the schema's getter where there is one, which is several times faster
  /// than by key path.
  @usableFromInline
  func reader<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> (Base) -> Value {
    if case .key(let property) = kind, let read = property.reader(of: Value.self) {
      // An object of an observable class; a cast would look for a bridge first, every time.
      return { read(unsafeBitCast($0, to: AnyObject.self)) }
    }
    return { $0[keyPath: keyPath] }
  }
}

extension PathStep {
  /// Whether the component is asked of an object, or of the elements of a collection, or may be.
  var concernsObjects: Bool {
    switch kind {
    case .key, .unknown, .operation: true
    case .value: rootType is AnyClass || isExistential(rootType)
    case .count: false
    }
  }

  var isKey: Bool { if case .key = kind { true } else { false } }

  /// The type that the component is a member of.
  var rootType: Any.Type { type(of: keyPath).rootType }
  var valueType: Any.Type { type(of: keyPath).valueType }

  /// Whether the component is a member of what the one before it leads to.
  func continues(_ previous: PathStep) -> Bool {
    unwrapped(previous.valueType) == rootType
  }
}

extension PathStep: Hashable {
  @usableFromInline
  static func == (left: PathStep, right: PathStep) -> Bool {
    switch (left.kind, right.kind) {
    case (.key(let left), .key(let right)): left === right
    case (.operation(let left, _), .operation(let right, _)) where left != right: false
    default: left.keyPath == right.keyPath
    }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    switch kind {
    case .key(let property): hasher.combine(property.key)
    case .unknown, .value, .count, .operation: hasher.combine(keyPath)
    }
  }
}
