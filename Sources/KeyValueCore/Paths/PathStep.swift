/// One component of a typed path.
///
/// A component in a literal is one object for the whole run, so what it names is looked up once and
/// remembered.
// Checked by hand: immutable, and so are key paths.
@usableFromInline
final class PathStep: @unchecked Sendable {
  /// A component's kind, seen from the type that it's a member of.
  enum Kind {
    /// A key of an observable class.
    case key(Property)
    /// A member of an observable class that isn't one of its keys, with a closure that reads it.
    ///
    /// It may be a requirement of a protocol, or an override, that is a key.
    case unknown(KeyValueSchema, (Any) -> Any?)
    /// A member of a value, or of a class that isn't observable, with a closure that reads it.
    case value((Any) -> Any?)
    /// The number of elements of a collection.
    case count
    /// An operator, with a closure that reads its right-hand path.
    case operation(CollectionOperator, (AnyObject) -> Any?)
  }

  let kind: Kind
  let component: PathComponent
  let keyPath: AnyKeyPath
  /// The number of steps in an operator's right-hand path, which follow it; 0 for other components.
  let pathLength: Int
  /// Whether the component is set in an object that it's a member of, which keeps its identity.
  private let isReferenceWritable: Bool

  private init<Base, Value>(_ keyPath: KeyPath<Base, Value>) {
    self.keyPath = keyPath
    pathLength = 0
    isReferenceWritable = keyPath is ReferenceWritableKeyPath<Base, Value>
    let read = { (base: Any) in (base as? Base).flatMap { flattened($0[keyPath: keyPath]) } }
    guard let type = Base.self as? any KeyValueObservable.Type else {
      if let collection = Base.self as? any ToMany.Type, collection.countKeyPath == keyPath {
        kind = .count
        component = PathComponent(.count)
      } else {
        kind = .value(read)
        component = .member(memberName(keyPath))
      }
      return
    }
    let schema = KeyValueSchema.schema(of: type)
    if let property = schema.property(keyPath) {
      kind = .key(property)
      component = .key(property.key)
    } else {
      kind = .unknown(schema, read)
      component = .member(memberName(keyPath))
    }
  }

  /// An operator over the elements of a collection, whose right-hand path has so many steps.
  init<Element: AnyObject, Value>(
    _ operation: CollectionOperator, identity: AnyKeyPath, pathLength: Int,
    read: @escaping (Element) -> Value
  ) {
    keyPath = identity
    self.pathLength = pathLength
    isReferenceWritable = false
    kind = .operation(operation) { flattened(read(unsafeDowncast($0, to: Element.self))) }
    component = PathComponent(operation)
  }

  // MARK: Remembering

  private static let known = LockedValue<[ObjectIdentifier: PathStep]>([:])
  /// More components than a program spells.
  ///
  /// Only key paths made at run time exceed it; those are looked up each time.
  private static let limit = 4096

  @usableFromInline
  static func step<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> PathStep {
    // A step holds its key path, so the address isn't reused.
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

  /// Reads the component with the schema's getter if there is one: several times faster than a key
  /// path.
  @usableFromInline
  func reader<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> (Base) -> Value {
    if case .key(let property) = kind, let read = property.reader(of: Value.self) {
      // The object's class is observable; a cast would look for a bridge first, every time.
      return { read(unsafeBitCast($0, to: AnyObject.self)) }
    }
    return { $0[keyPath: keyPath] }
  }
}

extension PathStep {
  /// Whether the component belongs, or may belong, to an object or a collection's elements.
  var concernsObjects: Bool {
    switch kind {
    case .key, .unknown, .operation: true
    case .value: rootType is AnyClass || isExistential(rootType)
    case .count: false
    }
  }

  /// Whether the key path tells that the member is neither a key nor a protocol's requirement.
  ///
  /// The keys of a class with the macro include its overrides. In a `final` class without it, an override
  /// can't be told apart from a member of an extension; the audit of debug builds compares its reads.
  var isPlainMember: Bool {
    switch MemberKind(keyPath) {
    case .overridable, .member: break
    case .requirement, .unknown: return false
    }
    guard let type = rootType as? any KeyValueObservable.Type else { return true }
    return KeyValueSchema.schema(of: type).declaresKeys(type)
  }

  var isKey: Bool { if case .key = kind { true } else { false } }

  /// Whether the component is a member of an observable class, and so a key in a path that can be observed.
  var isOfObservable: Bool {
    switch kind {
    case .key, .unknown: true
    case .value, .count, .operation: false
    }
  }

  /// Whether setting the component changes an object, observable or not, and no value that has the component.
  var isSetInObject: Bool { isOfObservable || concernsObjects && isReferenceWritable }

  /// The type that the component is a member of.
  var rootType: Any.Type { type(of: keyPath).rootType }
  var valueType: Any.Type { type(of: keyPath).valueType }

  /// Whether the component is a member of the previous component's value.
  func continues(_ previous: PathStep) -> Bool {
    unwrapped(previous.valueType) == rootType
  }
}

extension PathStep: Hashable {
  @usableFromInline
  static func == (left: PathStep, right: PathStep) -> Bool {
    switch (left.kind, right.kind) {
    case (.key(let left), .key(let right)): left === right
    // The steps of the right-hand path follow, and are compared as well.
    case (.operation(let operation, _), .operation(let other, _)):
      operation == other && left.pathLength == right.pathLength
    default: left.keyPath == right.keyPath
    }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    switch kind {
    case .key(let property): hasher.combine(property.key)
    case .operation(let operation, _): hasher.combine(operation)
    case .unknown, .value, .count: hasher.combine(keyPath)
    }
  }
}
