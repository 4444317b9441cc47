import Synchronization

/// One component of a typed path.
///
/// A component spelled in a literal is one object for the whole run, so what it names is found once and
/// remembered.
// Checked by hand: immutable, and so are key paths.
final class PathStep: @unchecked Sendable {
  /// What a component is, seen from the type that it is a member of.
  enum Kind {
    /// A key of an observable class.
    case key(Property)
    /// A member of an observable class that is not one of its keys.
    case unknown(KeyValueSchema)
    /// A member of a value, or of a class that cannot be observed.
    case value
  }

  let kind: Kind
  let name: String
  private let keyPath: AnyKeyPath

  private init<Base, Value>(_ keyPath: KeyPath<Base, Value>) {
    self.keyPath = keyPath
    guard let type = Base.self as? any KeyValueObservable.Type else {
      kind = .value
      name = memberName(keyPath)
      return
    }
    let schema = KeyValueSchema.schema(of: type)
    if let property = schema.property(keyPath) {
      kind = .key(property)
      name = property.key
    } else {
      kind = .unknown(schema)
      name = "_"
    }
  }

  // MARK: Remembering

  private static let known = Mutex<[ObjectIdentifier: PathStep]>([:])
  /// More components than a program spells; only key paths made at run time get here.
  private static let limit = 4096

  static func step<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> PathStep {
    // A step holds its key path, so the address cannot become another's.
    let identifier = ObjectIdentifier(keyPath)
    if let step = known.withLock({ $0[identifier] }) { return step }
    let step = PathStep(keyPath)
    if case .key = step.kind {
      known.withLock { known in
        if known.count >= limit { known.removeAll() }
        known[identifier] = step
      }
    }
    return step
  }

  /// Reads the component: by the schema's getter where there is one, which is several times faster
  /// than by key path.
  func reader<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> (Base) -> Value {
    if case .key(let property) = kind, let read = property.reader(of: Value.self) {
      return { read($0 as AnyObject) }
    }
    return { $0[keyPath: keyPath] }
  }
}

extension PathStep: Hashable {
  static func == (left: PathStep, right: PathStep) -> Bool {
    switch (left.kind, right.kind) {
    case (.key(let left), .key(let right)): left === right
    default: left.keyPath == right.keyPath
    }
  }

  func hash(into hasher: inout Hasher) {
    switch kind {
    case .key(let property): hasher.combine(property.key)
    case .unknown, .value: hasher.combine(keyPath)
    }
  }
}
