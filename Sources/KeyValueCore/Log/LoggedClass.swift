/// The stored keys of a class, as a log writes them.
final class LoggedClass {
  let schema: KeyValueSchema
  /// The class's name in records.
  let name: String
  /// In declaration order, superclasses' first.
  let keys: [LoggedKey]
  let followed: [LoggedKey]
  let weak: [LoggedKey]
  /// Those whose values may have objects inside that they aren't references to.
  let opaque: [LoggedKey]
  /// Those whose values may be what can't be written, although their types are fit.
  let untyped: [LoggedKey]
  /// Whether no key's value refers to objects, or may have some inside.
  let isPlain: Bool
  /// Constants of plain data, which each object that `init()` makes may have of its own.
  private let plainConstants: [LoggedKey]
  /// The constants that `init(from:)` may make otherwise than `init()`; none if the class isn't `Decodable`.
  let decodedConstants: [LoggedKey]
  /// Whether making an object of the class may make others.
  let hasConstantRelations: Bool
  private let byID: [LoggedKey?]
  private let byName: [String: LoggedKey]
  private let names: [String]
  /// The classes that objects of this class have been seen to lead to.
  ///
  /// The graph keeps all of them; classes that lead to each other would keep each other.
  private var targets: [Target] = []

  /// The last of them that was seen.
  @exclusivity(unchecked) private var lastTarget: ObjectIdentifier?

  private struct Target {
    let identity: ObjectIdentifier
    unowned let type: LoggedClass
  }

  /// Why the class can't be logged, if this stands for one: its objects have ids, and none of their keys is logged.
  let problem: KeyValueLogError?
  /// The class and its superclasses.
  private(set) lazy var lineage = StoredField.superclasses(of: schema.type).map {
    ObjectIdentifier($0)
  }

  convenience init(_ schema: KeyValueSchema) throws {
    let stored = schema.properties.filter { $0.isStored || $0.origin == .constant }
    var names: Set<String> = []
    // A subclass may have a name that's private in its superclass.
    if let repeated = stored.first(where: { !names.insert($0.key).inserted }) {
      throw KeyValueLogError.notLoggable(
        .init(
          type: schema.name, key: repeated.key,
          reason: "a superclass has a private property of that name, and a record can't tell them "
            + "apart. Rename one of them, or mark it @KeyValueIgnored"))
    }
    self.init(
      schema, recordedName(of: schema.type), try stored.map { try LoggedKey.make($0, in: schema) })
  }

  /// Stands for a class that can't be logged.
  convenience init(unlogged schema: KeyValueSchema, as name: String, _ problem: KeyValueLogError) {
    self.init(schema, name, [], problem)
  }

  private init(
    _ schema: KeyValueSchema, _ name: String, _ keys: [LoggedKey],
    _ problem: KeyValueLogError? = nil
  ) {
    self.schema = schema
    self.name = name
    self.keys = keys
    self.problem = problem
    followed = keys.filter(\.isFollowed)
    weak = keys.filter(\.isWeak)
    opaque = keys.filter(\.mayHaveObjectsInside)
    isPlain = followed.isEmpty && weak.isEmpty && opaque.isEmpty
    untyped = keys.filter(\.mayBeUnwritable)
    plainConstants = keys.filter { $0.isConstant && $0.relation == .nothing }
    let isDecodable = schema.type is any Decodable.Type
    decodedConstants = isDecodable ? keys.filter(\.isConstant) : []
    hasConstantRelations = keys.contains { $0.isConstant && $0.relation != .nothing }
    var byID = [LoggedKey?](repeating: nil, count: schema.properties.count)
    for key in keys where byID.indices.contains(key.property.id) { byID[key.property.id] = key }
    self.byID = byID
    byName = Dictionary(uniqueKeysWithValues: keys.map { ($0.property.key, $0) })
    names = keys.map(\.property.key)
  }

  subscript(id: Int) -> LoggedKey? { byID.indices.contains(id) ? byID[id] : nil }

  subscript(name: String) -> LoggedKey? {
    // Hashing a name takes longer than comparing it with a few.
    guard names.count <= 8 else { return byName[name] }
    return names.firstIndex(of: name).map { keys[$0] }
  }

  /// - Throws: `KeyValueLogError.unknownKey`, with the nearest names.
  func key(_ name: String) throws -> LoggedKey {
    if let key = self[name] { return key }
    throw KeyValueLogError.unknownKey(
      .init(key: name, suggestions: nearest(to: name, among: keys.map(\.property.key))))
  }

  /// The values of all keys.
  func values(
    _ value: (LoggedKey) throws -> KeyValueLogValue
  ) throws -> [String: KeyValueLogValue] {
    // The result has the names in the same places, so nothing is hashed.
    if let values = try? byName.mapValues(value) { return values }
    // The first key's error, in the order of declaration.
    for key in keys { _ = try value(key) }
    return try byName.mapValues(value)
  }

  /// An object of the class as an observable one.
  func observable(_ object: AnyObject) -> any KeyValueObservable {
    func typed<Object: KeyValueObservable>(_ type: Object.Type) -> any KeyValueObservable {
      unsafeDowncast(object, to: type)
    }
    return typed(schema.type)
  }

  /// What tells an object from others of the class, however it's changed: its constants of plain data.
  func mark(_ value: (LoggedKey) -> KeyValueLogValue?) -> KeyValueLogValue {
    var constants: [String: KeyValueLogValue] = [:]
    for key in plainConstants { constants[key.property.key] = value(key) }
    return .array([.string(name), .dictionary(constants)])
  }

  /// Calls the body with each reference of an object's followed keys.
  func forEachFollowed(
    in object: KeyValueSnapshot.Object, _ body: (KeyValueObjectID) -> Void
  ) {
    for key in followed { object.values[key.property.key]?.forEachReference(body) }
  }

  /// Records that objects of this class lead to objects of another.
  func leads(to target: LoggedClass) {
    let identity = ObjectIdentifier(target)
    if lastTarget == identity { return }
    lastTarget = identity
    if targets.contains(where: { $0.identity == identity }) { return }
    targets.append(Target(identity: identity, type: target))
  }

  /// Whether objects of the class have been seen to lead to objects of the class.
  var isInCycle: Bool {
    var seen: [LoggedClass] = []
    var work = targets
    while let next = work.popLast()?.type {
      if next === self { return true }
      if seen.contains(where: { $0 === next }) { continue }
      seen.append(next)
      work += next.targets
    }
    return false
  }
}

/// The name of a class in records: with its module and the types around it, without what differs between
/// builds.
func recordedName(of type: any KeyValueObservable.Type) -> String {
  var name = _typeName(type, qualified: true)
  // A private type's name has its file's address: `Bank.(unknown context at $10f2c).Account`.
  guard name.utf8.contains(UInt8(ascii: "$")) else { return name }
  while let start = name.firstRange(of: "(unknown context at ")?.lowerBound,
    let end = name[start...].firstRange(of: ").")?.upperBound
  {
    name.removeSubrange(start..<end)
  }
  return name
}

/// Whether a name in a record means a class that was called so; a name without a module fits any.
func isRecordedName(_ name: String, _ former: String) -> Bool {
  name == former || !former.contains(".") && name.hasSuffix(".\(former)")
}
