/// One component of a typed path.
@usableFromInline
struct PathStep: Hashable {
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
  private let keyPath: AnyKeyPath

  init<Base, Value>(_ keyPath: KeyPath<Base, Value>) {
    self.keyPath = keyPath
    if let type = Base.self as? any KeyValueObservable.Type {
      let schema = KeyValueSchema.schema(of: type)
      kind = schema.property(keyPath).map { .key($0) } ?? .unknown(schema)
    } else {
      kind = .value
    }
  }

  /// Reads the component: by the schema's getter where there is one, which is several times faster
  /// than by key path.
  func reader<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> (Base) -> Value {
    if case .key(let property) = kind, let read = property.reader(of: Value.self) {
      return { read($0 as AnyObject) }
    }
    return { $0[keyPath: keyPath] }
  }

  /// The component's name; one that is no key has none at run time on most platforms.
  var name: String {
    switch kind {
    case .key(let property): property.key
    case .unknown, .value: "_"
    }
  }

  @usableFromInline
  static func == (left: PathStep, right: PathStep) -> Bool {
    switch (left.kind, right.kind) {
    case (.key(let left), .key(let right)): left === right
    default: left.keyPath == right.keyPath
    }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    switch kind {
    case .key(let property): hasher.combine(property.key)
    case .unknown, .value: hasher.combine(keyPath)
    }
  }
}
