// Checked by hand: every stored property is a `let` of immutable or guarded state.
/// The keys of one class, built once, when the class is first observed or accessed by key.
public final class KeyValueSchema: @unchecked Sendable {
  package let type: any KeyValueObservable.Type
  private let identifier: ObjectIdentifier
  /// Whether the class has Cocoa's names, which the audit's advice then uses.
  let usesCocoaNaming: Bool
  package let properties: [Property]
  /// The stored properties' value storage, by id.
  private let valueStorages: ContiguousArray<Unmanaged<ValueStorage>?>
  private let keys: KeyTable
  /// The keys that strings reach: all except private ones.
  private let openKeys: KeyTable
  private let declarations: SchemaDeclarations
  /// The class's own coding; nil if it uses the library's.
  let ownCoding: OwnCoding?
  /// Makes an object of the class; nil if that takes arguments, or if it isn't known.
  let initializer: (() -> any KeyValueObservable)?
  /// Whether the class is known to have no subclasses.
  let isFinal: Bool
  /// Whether the class declares that its objects may answer keys that it doesn't declare.
  let answersUndefinedKeys: Bool
  /// Whether each class, from the objects' up to the first with keys, declares keys.
  private let allClassesDeclareKeys: Bool
  /// Finds the living object that a registrar belongs to; nil if the registrars are in the objects.
  let registrarOwner: RegistrarOwner?
  /// The keys that they have answered.
  let answered = LockedValue(AnsweredProperties())
  /// The object itself as a property, which never changes; its observers are notified of the object's
  /// death.
  let identity: Property
  /// The start of all paths that begin at the class.
  let startOfPaths = PublishedReference<AnyObject>()
  let strings = RememberedStrings()

  private init(_ type: any KeyValueObservable.Type) {
    let builder = KeyValueSchemaBuilder(type)
    type._$kvoDefineKeys(in: builder)
    builder.finish()
    self.type = type
    identifier = ObjectIdentifier(type)
    usesCocoaNaming = type is any CocoaNaming.Type
    properties = builder.properties
    valueStorages = ContiguousArray(
      builder.properties.sorted { $0.id < $1.id }.map { property in
        property.valueStorage.map { Unmanaged.passUnretained($0) }
      })
    keys = KeyTable(builder.properties, indexes: builder.indexByKey)
    let open = builder.indexByKey.filter { builder.properties[$0.value].restrictedAccess == nil }
    openKeys =
      open.count == builder.indexByKey.count
      ? keys : KeyTable(builder.properties, indexes: open)
    declarations = builder.declarations
    ownCoding = builder.ownCoding
    initializer = builder.initializer
    isFinal = builder.isFinal
    answersUndefinedKeys =
      builder.answersUndefinedKeys || builder.ownCoding?.value != nil
      || !builder.declarations.namedKeys.isEmpty || builder.declarations.namesAnyKey
    allClassesDeclareKeys = builder.declarations.allClassesDeclareKeys(from: type)
    registrarOwner = builder.registrarOwner
    identity = IdentityProperty(of: type, id: builder.properties.count)
    // An override's accessors must run.
    for property in properties where property.lendsStorage && hasNoOverride(of: property) {
      property.classChangedInStorage = type
    }
  }

  // MARK: One schema a class

  private static let schemas = LockedValue<[ObjectIdentifier: KeyValueSchema]>([:])

  package static func schema(of type: any KeyValueObservable.Type) -> KeyValueSchema {
    let slot = SchemaCache.slot(for: type)
    if let schema = slot.schema, schema.identifier == ObjectIdentifier(type) { return schema }
    let schema = known(type)
    slot.schema = schema
    return schema
  }

  /// Lends a class's schema without retaining it.
  @inline(__always)
  static func withSchema<Result>(
    of type: any KeyValueObservable.Type, _ body: (KeyValueSchema) -> Result
  ) -> Result {
    if let schema = SchemaCache.slot(for: type).unretainedSchema,
      schema._withUnsafeGuaranteedRef({ $0.identifier == ObjectIdentifier(type) })
    {
      return schema._withUnsafeGuaranteedRef(body)
    }
    return body(schema(of: type))
  }

  private static func known(_ type: any KeyValueObservable.Type) -> KeyValueSchema {
    let identifier = ObjectIdentifier(type)
    if let schema = schemas.withLock({ $0[identifier] }) { return schema }
    EnvironmentTrace.begin()
    // Without the lock: this runs the macro's code, and possibly the class's own.
    let built = KeyValueSchema(type)
    let schema: KeyValueSchema = schemas.withLock { schemas in
      if let schema = schemas[identifier] { return schema }
      schemas[identifier] = built
      return built
    }
    schema.reportHiddenKeys()
    return schema
  }

  /// Reports keys that a class and its superclass have by the same name, each for itself: paths, dependencies and
  /// announcements are resolved by name, so those of the superclass reach the class's key.
  private func reportHiddenKeys() {
    for hidden in declarations.hiddenKeys {
      ReportOnce.tolerated("hidden", of: hidden.type, hidden.key) {
        let (type, owner) = (
          KeyValueCore.name(of: hidden.type), KeyValueCore.name(of: hidden.owner)
        )
        return
          "\(type) and its superclass \(owner) each have a key '\(hidden.key)', because \(type) does not see that of "
          + "\(owner). On objects of \(type), what \(owner) observes, depends on or announces as '\(hidden.key)' is "
          + "the key of \(type). Rename one of the two."
      }
    }
  }

  // MARK: Keys

  package var name: String { KeyValueCore.name(of: type) }

  /// The keys in declaration order, without those that only a plain method implements.
  var listedKeys: [String] {
    declarations.order.filter { key in
      guard let methods = (keys[key] as? AccessorProperty)?.methods else { return true }
      return methods.isCounted || methods.mutatesSet
    }
  }

  /// The keys that strings reach, in the same order.
  var openKeysListed: [String] {
    listedKeys.filter { keys[$0]?.restrictedAccess == nil }
  }

  package func property(_ key: String) -> Property? {
    keys[key]
  }

  /// The property of a key; nil for a private one, unless private keys are meant too.
  func property(_ key: String, privately: Bool) -> Property? {
    privately ? keys[key] : openKeys[key]
  }

  /// A key's property in an object, if its getter provides the value and nothing else is asked first; nil for
  /// a private key, unless private keys are meant too.
  ///
  /// Schemas and their properties are never freed, so the caller needn't retain it.
  @inline(__always)
  static func plainProperty(
    _ key: String, hash: Int, of object: any KeyValueObservable, privately: Bool = false
  ) -> Unmanaged<Property>? {
    withSchema(of: Swift.type(of: object)) { schema in
      guard schema.ownCoding == nil,
        let property = privately
          ? schema.keys.unretained(key, hash: hash) : schema.openKeys.unretained(key, hash: hash)
      else { return nil }
      return property._withUnsafeGuaranteedRef {
        if case .accessors = $0.origin { nil } else { property }
      }
    }
  }

  /// The property that a key path's component observes: a key, or the object itself.
  func observedProperty(_ component: PathComponent) -> Property? {
    property(component.name) ?? (component.isIdentity ? identity : nil)
  }

  /// The property `is<Key>`, which stands in for `<key>`: Cocoa looks for a method of that name.
  func propertyNamedIs(_ key: String, privately: Bool = false) -> Property? {
    key.isEmpty ? nil : property("is" + capitalized(key), privately: privately)
  }

  /// The property whose getter answers `value(forKey:)`; nil if something else may answer: the class's
  /// own coding, accessor methods, or the undefined-key hook.
  func readableProperty(_ key: String, privately: Bool) -> Property? {
    guard ownCoding?.value == nil,
      let property = property(key, privately: privately)
        ?? propertyNamedIs(key, privately: privately)
    else { return nil }
    if case .accessors = property.origin { return nil }
    return property
  }

  /// Whether the class has this very property, not another one with the same key.
  func has(_ property: Property) -> Bool {
    let id = property.id
    return id >= 0 && id < properties.count && properties[id] === property
  }

  package func property(id: Int) -> Property? {
    if id < properties.count, properties[id].id == id { return properties[id] }
    if id == identity.id { return identity }
    return properties.first { $0.id == id } ?? answered.withLock { $0[id - identity.id - 1] }
  }

  /// A stored property's value storage, which the property, and so the schema, keeps alive.
  @inline(__always)
  func valueStorage(id: Int) -> Unmanaged<ValueStorage>? {
    valueStorages.withUnsafeBufferPointer { id < $0.count ? $0[id] : nil }
  }

  /// The key path of a property, from the class that declares it last.
  package func keyPath(_ key: String) -> AnyKeyPath? {
    declarations.identities.last { properties[$0.index].key == key }?.keyPath
  }

  /// The key that a key path of one component names.
  package func key(_ keyPath: AnyKeyPath) -> String? { property(keyPath)?.key }

  /// The property that a single-component key path names.
  func property(_ keyPath: AnyKeyPath) -> Property? {
    declarations.identities.first { $0.names(keyPath) }.map { properties[$0.index] }
  }

  /// Whether a subclass of the class that declares the property has accessors of its own.
  func isOverridden(_ property: Property) -> Bool {
    declarations.identities.count { properties[$0.index] === property } > 1
  }

  /// Whether this class or superclass has keys of its own.
  func declaresKeys(_ type: AnyClass) -> Bool {
    declarations.declaringClasses.contains(ObjectIdentifier(type))
  }

  /// Whether the class announces a key, or states what affects it, without having the key itself.
  func names(_ key: String) -> Bool {
    namesVisibly(key) || declarations.namesAnyKey && key.isKeyName
  }

  /// Whether the class's body shows such a key.
  func namesVisibly(_ key: String) -> Bool { declarations.namedKeys.contains(key) }

  /// The access level of a setter that's less visible than its getter.
  func restrictedSetter(_ key: String) -> String? { property(key)?.restrictedSetter }
  /// Whether a key has methods that insert, and methods that remove elements by index.
  package func mutatesArray(_ key: String) -> Bool { accessors(key)?.mutatesArray == true }
  /// Whether a key has methods that add, and methods that remove elements.
  package func mutatesSet(_ key: String) -> Bool { accessors(key)?.mutatesSet == true }
  func accessors(_ key: String) -> CollectionAccessors? { declarations.accessors[key] }
  /// The declared type of the elements of a key with accessors; nil if no method has one of them.
  func accessorElement(_ key: String) -> Any.Type? { declarations.accessorElements[key] }
  func validator(_ key: String) -> Validator? { declarations.validators[key] }

  // MARK: Dependencies

  /// Whether the class declares with `@DependsOn()` that the key has no unknown dependencies.
  func hasCompleteDependencies(_ key: String) -> Bool { declarations.completeKeys.contains(key) }

  /// Whether the class says, or its code shows, that the key's value is made of others; it may be announced by hand.
  func isMadeOfOthers(_ key: String) -> Bool {
    declarations.dependencies[key]?.isEmpty == false
  }

  #if DEBUG || KVO_AUDIT
    /// The key paths that the macro inferred from the key's getter.
    func inferredDependencies(of key: String) -> [DependencyPath] {
      (declarations.dependencies[key] ?? []).filter { $0.origin == .inferred }
    }

    /// Whether the class states dependencies of the key, besides those that the macro inferred.
    func statesDependencies(of key: String) -> Bool {
      hasDependencyFunction(key)
        || (declarations.dependencies[key] ?? []).contains { $0.origin != .inferred }
    }

    /// Whether the class has `keyPathsForValuesAffecting<Key>()`.
    func hasDependencyFunction(_ key: String) -> Bool {
      declarations.dependencyFunctions[key] != nil
    }
    /// Whether the class has `automaticallyNotifiesObserversOf<Key>()`.
    func hasAutomaticFunction(_ key: String) -> Bool {
      declarations.automaticFunctions[key] != nil
    }
  #endif

  /// The key's dependencies by inference, attribute and the methods named after it.
  private func ownDependencies(of key: String) -> [DependencyPath] {
    let paths = declarations.dependencies[key] ?? []
    // The class announces a key whose automatic switch is off, so nothing is inferred.
    let mayInfer =
      paths.contains { $0.origin == .inferred } && type.automaticallyNotifiesObservers(forKey: key)
    let declared = paths.compactMap { path -> DependencyPath? in
      guard path.origin == .inferred else { return path }
      return mayInfer ? inferred(path.components) : nil
    }
    let methods = (declarations.dependencyFunctions[key] ?? []).flatMap { $0(type) }.sorted()
    return declared + methods.map { DependencyPath($0, .declared) }
  }

  /// The class's answers about a property, computed once.
  func traits(of property: Property) -> KeyTraits {
    if let known = property.traits.load() { return known }
    let key = property.key
    let answered = type.keyPathsForValuesAffectingValue(forKey: key).sorted()
    return property.traits.storeIfNil(
      KeyTraits(
        own: ownDependencies(of: key), answered: answered.map { DependencyPath($0, .declared) },
        isAutomatic: KeyValueSchema.automaticallyNotifiesObservers(
          forKey: key, of: type, and: type.automaticallyNotifiesObservers(forKey: key)),
        isConstant: leadsToConstants))
  }

  /// Whether nothing that the class shows announces a change of the property.
  func isConstant(_ property: Property) -> Bool {
    guard case .constant = property.origin, property.ownership != .weak,
      !hasCompleteDependencies(property.key)
    else { return false }
    let traits = traits(of: property)
    return traits.isAutomatic && traits.dependencies.isEmpty
  }

  /// Whether a path leads only to constants.
  private func leadsToConstants(_ path: DependencyPath) -> Bool {
    var schema: KeyValueSchema? = self
    return path.components.allSatisfy { component in
      guard let current = schema, let property = current.property(component.name) else {
        return false
      }
      schema = observedClass(in: property.valueType).map { KeyValueSchema.schema(of: $0) }
      return current.isConstant(property)
    }
  }

  /// An inferred path, up to the first component that isn't a key or that belongs to a value type;
  /// nil if nothing remains.
  private func inferred(_ path: [PathComponent]) -> DependencyPath? {
    var schema: KeyValueSchema? = self
    let kept = path.prefix { component in
      guard let property = schema?.property(component.name) else { return false }
      schema = observedClass(in: property.valueType).map { KeyValueSchema.schema(of: $0) }
      return true
    }
    return kept.isEmpty ? nil : DependencyPath(kept.string, .inferred)
  }

  /// The effective set for a class that doesn't declare the method.
  public static func keyPathsForValuesAffectingValue(
    forKey key: String, of type: any KeyValueObservable.Type
  ) -> Set<String> {
    Set(schema(of: type).ownDependencies(of: key).map(\.string))
  }

  /// The effective set for a class that declares the method.
  public static func keyPathsForValuesAffectingValue(
    forKey key: String, of type: any KeyValueObservable.Type, adding own: Set<String>
  ) -> Set<String> {
    own.union(keyPathsForValuesAffectingValue(forKey: key, of: type))
  }

  // MARK: Automatic notification

  /// The effective switch for a class that doesn't declare the method.
  public static func automaticallyNotifiesObservers(
    forKey key: String, of type: any KeyValueObservable.Type
  ) -> Bool {
    let declarations = schema(of: type).declarations
    return !declarations.manualKeys.contains(key)
      && declarations.automaticFunctions[key]?(type) ?? true
  }

  /// The effective switch for a class that declares the method.
  public static func automaticallyNotifiesObservers(
    forKey key: String, of type: any KeyValueObservable.Type, and own: Bool
  ) -> Bool {
    own && automaticallyNotifiesObservers(forKey: key, of: type)
  }
}

extension KeyValueSchema {
  /// Whether the property's setter stores what it's given: no class overrides it, and it has no property observers.
  func storesWhatIsSet(_ property: Property) -> Bool {
    guard let storage = property.valueStorage, !storage.hasPropertyObservers else { return false }
    return hasNoOverride(of: property)
  }

  /// Whether no class, from the one that declares the property to the objects', overrides its accessors.
  private func hasNoOverride(of property: Property) -> Bool {
    // An override that only adds a `didSet` shows in the key paths.
    if property.isOverridden || isOverridden(property) { return false }
    if declarations.ignoredOverrides.contains(property.key) { return false }
    if allClassesDeclareKeys { return true }
    // A class nested in the one that declares it may override a private property.
    return property.valueStorage?.mayBeOverridden == false && property.restrictedAccess != "private"
  }

  /// Whether the property's getter may return something other than what is stored: a class overrides it, or the
  /// objects' class hasn't the macro and may.
  func mayDisguise(_ property: Property) -> Bool {
    guard property.valueStorage?.mayBeOverridden == true else { return false }
    return property.isOverridden || declarations.ignoredOverrides.contains(property.key)
      || !allClassesDeclareKeys
  }

  /// Whether objects of the class may answer keys that it doesn't declare; a class without the macro declares
  /// nothing.
  var mayAnswerUndefinedKeys: Bool { answersUndefinedKeys || !allClassesDeclareKeys }
}

extension KeyValueSchema: CustomStringConvertible {
  /// The class, its keys and their dependencies: `Person: firstName, fullName (firstName, …)`.
  public var description: String {
    let keys = listedKeys.map { key -> String in
      let paths = property(key).map { traits(of: $0).dependencies.map(\.string) } ?? []
      return paths.isEmpty ? key : "\(key) (\(paths.joined(separator: ", ")))"
    }
    return "\(name): " + keys.joined(separator: ", ")
  }
}

/// A key as it's spelled in method names.
func capitalized(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }

/// The observable class that a property of this type refers to, through optionals and collections.
func observedClass(in type: Any.Type) -> (any KeyValueObservable.Type)? {
  let type = unwrapped(type)
  if let collection = type as? any ToMany.Type { return observedClass(in: collection.elementType) }
  return type as? any KeyValueObservable.Type
}
