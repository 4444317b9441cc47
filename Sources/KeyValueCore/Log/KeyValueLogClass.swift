/// A class whose objects a log may have to make.
///
/// A log makes an object by a closure, by the class's `init()` if the macro finds one, or by `init(from:)` if
/// the class is `Decodable` and has no `init()`, or one that makes a constant with another object or value. It gives
/// `init(from:)` the values under the keys' names. Name a class here if none of these will do, if it was renamed, or if
/// it can't be found when a graph is restored that has objects of it. A log finds the classes that stored properties'
/// types mention, and their subclasses, unless these are private, local or generic:
///
/// ```swift
/// let classes = [
///   KeyValueLogClass(Employee.self) { Employee(badge: try $0.value("badge")) },
///   KeyValueLogClass(Person.self, formerly: "Human"),
/// ]
/// ```
///
/// A former name without a module fits any module.
///
/// A log that applies a record stores values without running `willSet` and `didSet`. A class asks for them here, also
/// for its subclasses:
///
/// ```swift
/// KeyValueLogClass(Window.self, runsPropertyObservers: true)
/// ```
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueLogClass {
  let type: any KeyValueObservable.Type
  let formerNames: [String]
  fileprivate(set) var runsPropertyObservers: Bool
  let make: ((KeyValueLogValues) throws -> any KeyValueObservable)?

  /// Names a class whose objects are made by `init()` or `init(from:)`.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - names: The names that it has in older records and snapshots.
  ///   - runsPropertyObservers: Whether the `willSet` and `didSet` of its objects run where a log applies a record.
  ///     What they change is another change, which every program that applies the record makes.
  public init<Object: KeyValueObservable>(
    _ type: Object.Type, formerly names: String..., runsPropertyObservers: Bool = false
  ) {
    self.type = type
    self.runsPropertyObservers = runsPropertyObservers
    formerNames = names
    make = nil
  }

  /// Names a class and how its objects are made.
  ///
  /// The closure makes an object with its constants; the log then stores the other values.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - names: The names that it has in older records and snapshots.
  ///   - runsPropertyObservers: Whether the `willSet` and `didSet` of its objects run where a log applies a record.
  ///   - make: Makes an object with these values.
  public init<Object: KeyValueObservable>(
    _ type: Object.Type, formerly names: String..., runsPropertyObservers: Bool = false,
    make: @escaping (KeyValueLogValues) throws -> Object
  ) {
    self.type = type
    self.runsPropertyObservers = runsPropertyObservers
    formerNames = names
    self.make = make
  }
}

/// The values with which an object is made.
public struct KeyValueLogValues {
  let type: String
  let values: [String: KeyValueLogValue]
  let decoder: LogValueDecoder

  /// The value of a stored key.
  ///
  /// ```swift
  /// KeyValueLogClass(Employee.self) { Employee(badge: try $0.value("badge")) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The value's type.
  /// - Returns: The value.
  /// - Throws: `KeyValueLogError.unknownKey` or `typeMismatch`.
  public func value<Value: Decodable>(
    _ key: String, as type: Value.Type = Value.self
  ) throws -> Value {
    let data = try data(of: key)
    do {
      return try decoder.decode(type, from: data)
    } catch let error as KeyValueLogError {
      throw error
    } catch {
      throw mismatch(key, type, data)
    }
  }

  /// The object that a stored key refers to; it's made first, if it doesn't exist yet.
  ///
  /// ```swift
  /// KeyValueLogClass(Line.self) { Line(try $0.value("product")) }
  /// ```
  ///
  /// - Throws: `KeyValueLogError.unknownKey` or `typeMismatch`; `invalidEdit` if the two objects would have to be made
  ///   with each other.
  @_disfavoredOverload
  public func value<Object: KeyValueObservable>(
    _ key: String, as type: Object.Type = Object.self
  ) throws -> Object {
    let data = try data(of: key)
    guard case .reference(let id) = data, let object = try decoder.object(id) as? Object else {
      throw mismatch(key, type, data)
    }
    return object
  }

  /// The object that a stored key refers to, or nil if the recorded value is null.
  ///
  /// ```swift
  /// KeyValueLogClass(Line.self) { Line(product: try $0.value("product")) }   // let product: Product?
  /// ```
  ///
  /// - Throws: As for an object that isn't optional.
  @_disfavoredOverload
  public func value<Object: KeyValueObservable>(
    _ key: String, as type: Object?.Type = Object?.self
  ) throws -> Object? {
    if case .null = try data(of: key) { return nil }
    return try value(key, as: Object.self) as Object
  }

  private func data(of key: String) throws -> KeyValueLogValue {
    if let data = values[key] { return data }
    throw KeyValueLogError.unknownKey(
      .init(
        type: type, key: key, suggestions: nearest(to: key, among: values.keys.sorted()),
        reason: "it isn't among the recorded values"))
  }

  private func mismatch(
    _ key: String, _ wanted: Any.Type, _ data: KeyValueLogValue
  ) -> KeyValueLogError {
    .typeMismatch(
      .init(type: type, key: key, reason: "it takes \(name(of: wanted)), not \(data)"))
  }
}

/// Finds classes by their names in records, and makes their objects.
struct LogClasses {
  private var named: [KeyValueLogClass]
  private var known = KnownClasses()
  private let found = FoundClasses()
  /// Whether objects are ever made; if not, every class will do.
  let makesObjects: Bool

  init(_ named: [KeyValueLogClass], makesObjects: Bool = true) {
    self.named = named
    self.makesObjects = makesObjects
    for named in named { note(named.type) }
  }

  /// The classes that ask for `willSet` and `didSet` where a record is applied, for their subclasses, too.
  var observing: Set<ObjectIdentifier> {
    Set(named.lazy.filter(\.runsPropertyObservers).map { ObjectIdentifier($0.type) })
  }

  /// The same classes, of which none runs its `willSet` and `didSet` where a record is applied.
  var withoutPropertyObservers: LogClasses {
    var classes = self
    for index in classes.named.indices { classes.named[index].runsPropertyObservers = false }
    return classes
  }

  /// These classes and others.
  func adding(_ others: [KeyValueLogClass]) -> LogClasses {
    var classes = self
    classes.named = others + named
    for other in others { classes.note(other.type) }
    return classes
  }

  /// Notes a class and those that its stored keys may refer to.
  mutating func note(_ type: any KeyValueObservable.Type) { known.note(type) }

  /// Notes a class that can't be logged.
  ///
  /// - Returns: The name that its objects have in records; another class may have its own one.
  mutating func noteUnlogged(_ type: any KeyValueObservable.Type) -> String {
    var name = recordedName(of: type)
    while let other = known[name], other != type { name += "'" }
    known[name] = type
    return name
  }

  /// What a log of a root with these classes finds when it's restored.
  func restoring(_ root: any KeyValueObservable.Type) -> LogClasses {
    var classes = LogClasses(named)
    classes.note(root)
    return classes
  }

  /// - Throws: `KeyValueLogError.unknownClass`, if objects of the class can't be made, or if another class has
  ///   its name in records.
  mutating func admit(_ type: LoggedClass) throws {
    let isNamedTwice = known[type.name].map { $0 != type.schema.type } ?? false
    if isNamedTwice {
      throw KeyValueLogError.unknownClass(
        .init(type: type.name, reason: "two classes of the graph have this name; rename one"))
    }
    note(type.schema.type)
    guard makesObjects, !canMake(type.schema.type) else { return }
    throw KeyValueLogError.unknownClass(
      .init(type: type.name, reason: unmakeable(type.schema)))
  }

  /// Why objects of a class can't be made, and what to write.
  private func unmakeable(_ schema: KeyValueSchema) -> String {
    let name = schema.name
    let superclasses = StoredField.superclasses(of: schema.type).dropFirst()
    let known = superclasses.lazy.compactMap { $0 as? any KeyValueObservable.Type }
      .first { KeyValueSchema.schema(of: $0).initializer != nil }
    // Only a `required` one is certain to be there in a subclass.
    if let known {
      return
        "its objects can't be made, because it may not inherit the init() of "
        + "\(KeyValueCore.name(of: known)). Declare that as `required init()`, or name \(name) in `classes` with a closure: "
        + "KeyValueLogClass(\(name).self) { _ in \(name)() }"
    }
    let declaration = superclasses.isEmpty ? "init() {}" : "override init() { super.init() }"
    return
      "its objects can't be made, because the macro sees no init() without parameters in its "
      + "declaration. Write one there, such as `\(declaration)`, or name \(name) in `classes` with a closure: "
      + "KeyValueLogClass(\(name).self) { … }"
  }

  private func canMake(_ type: any KeyValueObservable.Type) -> Bool {
    named.contains { $0.type == type && $0.make != nil }
      || KeyValueSchema.schema(of: type).initializer != nil || type is any Decodable.Type
  }

  /// Whether objects of a class are made by its `init()`, with what their constants refer to.
  func isMadeByInit(_ schema: KeyValueSchema) -> Bool {
    schema.initializer != nil && named.first(where: { $0.type == schema.type })?.make == nil
  }

  /// The class of a name in a record.
  func type(_ name: String) throws -> any KeyValueObservable.Type {
    if let type = known[name] ?? found.known[name] { return type }
    let renamed = named.first { $0.formerNames.contains { isRecordedName(name, $0) } }
    if let renamed { return renamed.type }
    if let subclass = found.subclass(name, of: known) { return subclass }
    throw KeyValueLogError.unknownClass(
      .init(
        type: name, suggestions: nearest(to: name, among: known.names),
        reason: "name it in `classes`, with its former name if it was renamed"))
  }

  /// The present name of a recorded class.
  func presentName(_ name: String) throws -> String {
    known[name] == nil ? recordedName(of: try type(name)) : name
  }

  /// Checks that a snapshot's root has a class that it can be restored as.
  ///
  /// - Throws: `KeyValueLogError.unknownClass`.
  func checkRoot<Root: KeyValueObservable>(
    of snapshot: KeyValueSnapshot, as type: Root.Type
  ) throws {
    guard let recorded = snapshot.objects[snapshot.root]?.class else { return }
    if let present = try? self.type(recorded), present is Root.Type { return }
    let wanted = name(of: type)
    throw KeyValueLogError.unknownClass(
      .init(
        object: snapshot.root, type: recorded,
        reason:
          "it's the class of the snapshot's root, and isn't \(wanted). Restore the snapshot as the class that it "
          + "was made of, or, if \(wanted) was renamed, name it in `classes`: "
          + "KeyValueLogClass(\(wanted).self, formerly: \"\(recorded)\")"))
  }

  /// Makes an object with these values; `fits` tells whether the one that `init()` has made has their constants.
  func make(
    _ schema: KeyValueSchema, _ name: String, _ values: [String: KeyValueLogValue],
    _ graph: LogGraph, fits: (any KeyValueObservable) -> Bool
  ) throws -> any KeyValueObservable {
    let type = schema.type
    if let make = named.first(where: { $0.type == type })?.make {
      return try make(KeyValueLogValues(type: schema.name, values: values, decoder: graph.decoder))
    }
    if let initializer = schema.initializer {
      let object = initializer()
      if fits(object) { return object }
      return (try? decoded(type, values, graph)) ?? object
    }
    do {
      if let object = try decoded(type, values, graph) { return object }
    } catch let error as KeyValueLogError {
      throw error
    } catch DecodingError.keyNotFound(let key, let context)
      where context.codingPath.isEmpty && !hasStored(key.stringValue, schema)
    {
      throw KeyValueLogError.unknownClass(
        .init(
          type: name,
          reason:
            "its objects can't be made, because its init(from:) asks for \(quoted(key.stringValue)), which is "
            + "no stored key's name. Name it in `classes` with a closure: "
            + "KeyValueLogClass(\(schema.name).self) { … }"))
    } catch {
      throw KeyValueLogError.typeMismatch(.init(type: schema.name, reason: "\(error)"))
    }
    throw KeyValueLogError.unknownClass(
      .init(type: name, reason: unmakeable(schema)))
  }

  /// Whether records have a key of the class.
  private func hasStored(_ name: String, _ schema: KeyValueSchema) -> Bool {
    schema.properties.contains { $0.key == name && ($0.isStored || $0.origin == .constant) }
  }

  /// An object that `init(from:)` makes; nil if the class has none.
  private func decoded(
    _ type: any KeyValueObservable.Type, _ values: [String: KeyValueLogValue], _ graph: LogGraph
  ) throws -> (any KeyValueObservable)? {
    func decode<Object: Decodable>(_ type: Object.Type) throws -> Any {
      try graph.decoder.decode(type, from: .dictionary(values))
    }
    guard let type = type as? any Decodable.Type else { return nil }
    return try decode(type) as? any KeyValueObservable
  }
}
