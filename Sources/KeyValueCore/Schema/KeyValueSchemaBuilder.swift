/// Collects a class's keys.
///
/// The macro writes the calls to it. A class without the macro makes the same calls in
/// `_$kvoDefineKeys(in:)`, in declaration order.
public final class KeyValueSchemaBuilder {
  private(set) var properties: [Property] = []
  private(set) var indexByKey: [String: Int] = [:]
  private(set) var declarations = SchemaDeclarations()
  /// Nil if the class uses the library's coding.
  private(set) var ownCoding: OwnCoding?
  private(set) var answersUndefinedKeys = false
  private(set) var registrarOwner: RegistrarOwner?
  /// Makes an object of the class itself; nil if that takes arguments.
  private(set) var initializer: (() -> any KeyValueObservable)?
  /// Whether the class can't have subclasses.
  private(set) var isFinal = false
  /// How many stored keys there are, whose ids come first.
  var storedCount = 0
  /// The class whose keys are collected.
  let type: any KeyValueObservable.Type

  init(_ type: any KeyValueObservable.Type) {
    self.type = type
  }

  /// Adds the `init()` of a class, which makes objects of exactly this class.
  public func initializer<Root: KeyValueObservable>(
    of type: Root.Type, _ make: @escaping () -> Root
  ) {
    if self.type == type { initializer = make }
  }

  /// Adds the `required init()` of a class, which its subclasses have, too.
  public func requiredInitializer<Root: KeyValueObservable>(
    of type: Root.Type, _ make: @escaping (Root.Type) -> Root
  ) {
    guard let actual = self.type as? Root.Type else { return }
    initializer = { make(actual) }
  }

  /// Notes that a class has the macro, which its keys don't show if it has none, and whether it is final.
  public func annotated<Root: AnyObject>(_ type: Root.Type, isFinal: Bool = false) {
    declarations.declaringClasses.insert(ObjectIdentifier(type))
    self.isFinal = isFinal
  }

  /// Adds a stored property without accessors written by the macro, which isn't announced automatically.
  public func manual<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, ownership: KeyValueOwnership = .strong,
    declared: [String] = [], checked: [String] = [], get: @escaping (Root) -> Value,
    set: ((Root, Value) -> Void)? = nil
  ) {
    add(
      TypedProperty(key: key, origin: .manual, ownership: ownership, get: get, set: set), keyPath)
    declarations.manualKeys.insert(key)
    depend(key, inferred: [], declared: declared, checked: checked)
  }

  /// Adds a stored property that only key-value coding, proxies and accessors announce, as in Cocoa.
  public func silent<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, ownership: KeyValueOwnership = .strong,
    declared: [String] = [], checked: [String] = [], get: @escaping (Root) -> Value,
    set: ((Root, Value) -> Void)?
  ) {
    let property = TypedProperty(
      key: key, origin: .manual, ownership: ownership, get: get, set: set)
    property.isAnnouncedByKey = true
    add(property, keyPath)
    depend(key, inferred: [], declared: declared, checked: checked)
  }

  /// The setter of a property with a wrapper, which may be one that can only be read; nil if it is.
  public func setter<Root: AnyObject, Value>(
    of keyPath: KeyPath<Root, Value>
  ) -> ((Root, Value) -> Void)? {
    guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else { return nil }
    return { $0[keyPath: writable] = $1 }
  }

  /// Makes the accessors of a previously added stored key announce nothing.
  public func notifiesManually(_ key: String) {
    declarations.manualKeys.insert(key)
  }

  /// Makes changes of a previously added stored key report what is stored instead of what was assigned,
  /// because the stored property has `willSet` or `didSet`.
  public func mayAdjust(_ key: String) {
    let storage = property(key)?.valueStorage
    storage?.mayAdjust = true
    storage?.hasPropertyObservers = true
  }

  /// Adds what notifies Observation of a store that bypasses the accessors of a previously added stored key.
  ///
  /// The accessors notify Observation themselves. `track` calls its second argument, which stores the value, once.
  public func tracking<Root: AnyObject>(
    of key: String, in type: Root.Type, _ track: @escaping (Root, () -> Void) -> Void
  ) {
    // As a parameter of `stored`, it would be one more argument in each line of classes without tracking.
    property(key)?.valueStorage?.tracking = { track(unsafeDowncast($0, to: Root.self), $1) }
  }

  /// Lets observers be registered for keys that only the class's `value(forUndefinedKey:)` answers.
  public func answerUndefinedKeys() { answersUndefinedKeys = true }

  /// States that the objects' registrars aren't in the objects, and may outlive them.
  ///
  /// - Parameter owner: Finds the living object that a registrar belongs to. It's called without a lock.
  package func keepRegistrarsElsewhere(_ owner: @escaping RegistrarOwner) { registrarOwner = owner }

  /// Lets observers be registered for keys that the class announces, or states dependencies for, without having a
  /// property for them.
  public func named(_ keys: [String]) {
    declarations.namedKeys.formUnion(keys)
    UndefinedKeyQuestion.isNeeded.store(true, ordering: .relaxed)
  }

  /// Lets observers be registered for any key, because the class announces keys by names that its body doesn't
  /// show.
  public func namesAnyKey() {
    declarations.namesAnyKey = true
    UndefinedKeyQuestion.isNeeded.store(true, ordering: .relaxed)
  }

  /// What the setter of a computed key announces of the key itself.
  public enum SetterAnnouncement: Sendable {
    case nothing
    /// Each set, as Cocoa's replaced setters do.
    case eachSet
    /// What the superclass's setter announces when this one calls it.
    case superclass
    /// The same, and changes by hand.
    case superclassAndByHand
  }

  /// Makes key-value coding announce each set of a previously added key that the key's setter doesn't announce.
  public func announceByKey(_ key: String, setter: SetterAnnouncement = .nothing) {
    guard let property = property(key) else { return }
    property.isAnnouncedByKey = true
    switch setter {
    case .nothing: property.setterAnnouncement = nil
    case .eachSet: property.setterAnnouncement = .whole
    case .superclass: if property.setterAnnouncement != nil { property.setterAnnouncement = .one }
    case .superclassAndByHand:
      if property.setterAnnouncement != nil { property.setterAnnouncement = .whole }
    }
  }

  /// Adds a property that is set once, at initialisation.
  public func constant<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, ownership: KeyValueOwnership = .strong,
    declared: [String] = [], checked: [String] = [], get: @escaping (Root) -> Value
  ) {
    add(
      TypedProperty(key: key, origin: .constant, ownership: ownership, get: get, set: nil), keyPath)
    depend(key, inferred: [], declared: declared, checked: checked)
  }

  /// Adds a computed property that isn't an override.
  ///
  /// The class doesn't see a key of the same name that its superclass has. In Cocoa, which has no access levels, the
  /// property overrides that key.
  public func computed<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, inferred: [String] = [],
    declared: [String] = [], checked: [String] = [], notifiesManually: Bool = false,
    get: @escaping (Root) -> Value, set: ((Root, Value) -> Void)? = nil
  ) {
    addComputed(key, keyPath, get, set, overrides: ignoresAccess)
    if notifiesManually { declarations.manualKeys.insert(key) }
    depend(key, inferred: inferred, declared: declared, checked: checked)
  }

  /// Adds an override of a superclass's key.
  ///
  /// The superclass's accessors reach the override. Only a setter that the superclass lacks or restricts is added. If
  /// the override narrows the type, or the superclass has no such key, because it lacks the macro, the class has a
  /// property of its own.
  public func override<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, inferred: [String] = [],
    declared: [String] = [], checked: [String] = [], notifiesManually: Bool = false,
    get: @escaping (Root) -> Value, set: ((Root, Value) -> Void)? = nil
  ) {
    addComputed(key, keyPath, get, set, overrides: true)
    if notifiesManually { declarations.manualKeys.insert(key) }
    depend(key, inferred: inferred, declared: declared, checked: checked)
  }

  /// Adds the key path of this class's override of a superclass's key, if the override adds nothing
  /// else.
  ///
  /// If the superclass lacks the macro, it has no key to add the key path to.
  public func override<Root: AnyObject, Value>(_ key: String, _ keyPath: KeyPath<Root, Value>) {
    declarations.declaringClasses.insert(ObjectIdentifier(Root.self))
    guard let index = indexByKey[key], properties[index].valueType == Value.self else { return }
    noteOverride(of: index, keyPath)
    // Swift lets only a class that sees the setter add observers.
    properties[index].restrictedSetter = nil
  }

  /// Notes an override that is marked `@KeyValueIgnored`: the inherited key's accessors reach it all the same.
  public func ignoredOverride(_ key: String) { declarations.ignoredOverrides.insert(key) }

  /// Adds the `keyPathsForValuesAffecting<Key>()` of a key.
  public func dependencies<Root: AnyObject>(
    of key: String, in type: Root.Type, _ paths: @escaping (Root.Type) -> Set<String>
  ) {
    declarations.dependencyFunctions[key, default: []].append {
      paths(unsafeDowncast(class: $0, to: type))
    }
  }

  /// Marks a key's dependencies as complete, which `@DependsOn()` declares.
  public func completeDependencies(of key: String) {
    declarations.completeKeys.insert(key)
  }

  /// Adds the `automaticallyNotifiesObserversOf<Key>()` of a key.
  public func automaticNotification<Root: AnyObject>(
    of key: String, in type: Root.Type, _ isAutomatic: @escaping (Root.Type) -> Bool
  ) {
    declarations.automaticFunctions[key] = { isAutomatic(unsafeDowncast(class: $0, to: type)) }
  }

  /// Adds the `validate<Key>(_:)` of a key.
  public func validator<Root: AnyObject, Value>(
    _ key: String, _ method: @escaping (Root, inout Value) throws -> Void
  ) {
    declarations.validators[key] = { object, value in
      try validate(&value, key: key, of: unsafeDowncast(object, to: Root.self), method)
    }
  }

  /// Restricts the setter of a previously added property to an access level below the getter's.
  ///
  /// The property then can't be set by key, but a transaction's rollback restores it.
  public func restrictedSetter(_ key: String, to accessLevel: String) {
    property(key)?.restrictedSetter = accessLevel
  }

  /// Hides a previously added property, which is `private` or `fileprivate`, from strings.
  public func restrictedAccess(_ key: String, to accessLevel: String) {
    property(key)?.restrictedAccess = accessLevel
  }

  /// Keeps the values of a previously added property out of traces.
  public func redacted(_ key: String) {
    guard let property = property(key) else { return }
    property.isRedacted = true
    RedactedKeys.insert(key)
  }

  /// A previously added property.
  func property(_ key: String) -> Property? { indexByKey[key].map { properties[$0] } }

  /// `element` is the type of the elements, if the added method has one of them.
  func updateAccessors(
    _ key: String, of element: Any.Type? = nil, _ body: (inout CollectionAccessors) -> Void
  ) {
    noteOrder(key)
    body(&declarations.accessors[key, default: CollectionAccessors()])
    if let element { declarations.accessorElements[key] = element }
  }

  func updateOwnCoding(_ body: (inout OwnCoding) -> Void) {
    var coding = ownCoding ?? OwnCoding()
    body(&coding)
    ownCoding = coding
  }

  /// `overrides` means that the property narrows the type of the superclass's, if that has one of the same name.
  func add<Root: AnyObject, Value>(
    _ property: Property, _ keyPath: KeyPath<Root, Value>, overrides: Bool = false
  ) {
    if let index = indexByKey[property.key] {
      if overrides || ignoresAccess {
        property.isRedacted = properties[index].isRedacted
      } else {
        hide(index, behind: Root.self)
      }
    }
    noteOrder(property.key)
    declarations.declaringClasses.insert(ObjectIdentifier(Root.self))
    declarations.identities.append(PropertyIdentity(keyPath, index: properties.count))
    indexByKey[property.key] = properties.count
    properties.append(property)
  }

  private func addComputed<Root: AnyObject, Value>(
    _ key: String, _ keyPath: KeyPath<Root, Value>, _ get: @escaping (Root) -> Value,
    _ set: ((Root, Value) -> Void)?, overrides: Bool
  ) {
    guard overrides, let index = indexByKey[key], properties[index].valueType == Value.self else {
      let property = TypedProperty(key: key, origin: .computed, get: get, set: set)
      return add(property, keyPath, overrides: overrides)
    }
    declarations.declaringClasses.insert(ObjectIdentifier(Root.self))
    noteOverride(of: index, keyPath)
    properties[index].isOverridden = true
    if let set, !properties[index].isSettable { properties[index].addSetter(set) }
  }

  /// Notes the key path of an override, which may be more visible than what it overrides.
  private func noteOverride<Root: AnyObject, Value>(
    of index: Int, _ keyPath: KeyPath<Root, Value>
  ) {
    declarations.identities.append(PropertyIdentity(keyPath, index: index))
    // If the override's access is restricted, too, the class's own line follows. A private property, which only a
    // nested class overrides, stays as it is: its setter by key doesn't reach the override.
    if properties[index].restrictedAccess != "private" { properties[index].restrictedAccess = nil }
  }

  /// Whether the class has Cocoa's names, where the name alone makes an override.
  private var ignoresAccess: Bool { type is any CocoaNaming.Type }

  /// Makes room for a property of a class that can't see the superclass's of the same name.
  ///
  /// The methods named after the key stay: they are found by name.
  private func hide(_ index: Int, behind type: Any.Type) {
    let key = properties[index].key
    declarations.forget(key)
    guard let identity = declarations.identities.first(where: { $0.index == index }) else { return }
    declarations.hiddenKeys.append(.init(key: key, owner: identity.owner, type: type))
  }

  private func noteOrder(_ key: String) {
    if indexByKey[key] == nil, declarations.accessors[key] == nil { declarations.order.append(key) }
  }

  @usableFromInline
  func depend(_ key: String, inferred: [String], declared: [String], checked: [String]) {
    guard !(inferred.isEmpty && declared.isEmpty && checked.isEmpty) else { return }
    declarations.dependencies[key, default: []] +=
      inferred.map { DependencyPath($0, .inferred) }
      + declared.map { DependencyPath($0, .declared) }
      + checked.map { DependencyPath($0, .checked) }
  }

  /// Gives every key that isn't announced automatically an id after the stored ones, and every key
  /// that only methods implement a property of its own.
  func finish() {
    let accessors = declarations.accessors.sorted { $0.key < $1.key }
    for (key, methods) in accessors where indexByKey[key] == nil {
      indexByKey[key] = properties.count
      properties.append(AccessorProperty(key: key, methods: methods))
    }
    var next = storedCount
    for property in properties where property.id < 0 {
      property.id = next
      next += 1
    }
  }
}

private func unsafeDowncast<Root: AnyObject>(class type: AnyClass, to root: Root.Type) -> Root.Type
{
  // The builder runs only for Root and its subclasses.
  guard let type = type as? Root.Type else {
    KeyValueViolation.fatal(
      .undefinedKey, "\(type) was asked for a key of \(root), which it does not inherit from.")
  }
  return type
}

/// Finds the living object that a registrar belongs to.
package typealias RegistrarOwner =
  @Sendable (UnsafePointer<KeyValueRegistrar>) -> (any KeyValueObservable)?
