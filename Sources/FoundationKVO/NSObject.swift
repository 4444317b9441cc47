import KeyValueCore

/// The root class of a ported model: Foundation's own, with Cocoa's key-value coding and observing.
///
/// It has Cocoa's methods under Cocoa's names, and subclasses can override all of them. They throw only where
/// Cocoa's do. Where Cocoa raises an exception, they report a violation with the exception's name and reason,
/// and end the program.
///
/// ```swift
/// @KeyValueObservable
/// class Employee: NSObject {
///   dynamic var name = ""
/// }
/// let employee = Employee()
/// employee.setValue("Grace", forKey: "name")
/// print(employee.value(forKey: "name")!)           // Grace
/// ```
///
/// Threading and cost are those of `KeyValueObservable`. Key-value coding boxes values as Cocoa does.
@KeyValueObserving.KeyValueObservable
open class NSObject: Foundation.NSObject, KeyValueObserver {
  /// The registrations of the object's shared observers.
  @KeyValueObserving.KeyValueIgnored final var sharedObservances: [Observance] = []

  /// Creates an object.
  public override init() {
    super.init()
  }

  /// The library's own methods, which throw.
  private var library: any KeyValueObservable { self }

  // MARK: Keys of every object

  open override var description: String { super.description }
  open override var debugDescription: String { super.debugDescription }
  open override var hash: Int { super.hash }

  // MARK: Observing

  /// Called when an observed value changes; raises unless overridden.
  open func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    Exception.internalInconsistency.raise(
      "\(Exception.address(of: self)): An -observeValueForKeyPath:ofObject:change:context: message "
        + "was received but not handled. Key path: \(keyPath ?? "(null)")")
  }

  /// Receives a change from the library, and forwards it as a dictionary.
  public final func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    observeValue(
      forKeyPath: keyPath, of: object as Any, change: change.dictionary, context: context)
  }

  /// Registers an observer for a key path.
  open func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {
    Exception.raising(self) {
      // An override has to match this method, so the method can't take the call site as an argument. Recorded
      // call sites provide it.
      _ = try library.register(
        observer, keyPath, options, context, CallSites.currentPlace)
    }
  }

  /// Removes the registration of an observer for a key path with this context.
  open func removeObserver(
    _ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) {
    removing(observer, keyPath) {
      try library.removeObserver(observer, forKeyPath: keyPath, context: context)
    }
  }

  /// Removes a registration of an observer for a key path.
  open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
    removing(observer, keyPath) {
      try library.removeObserver(observer, forKeyPath: keyPath)
    }
  }

  private func removing(_ observer: NSObject, _ keyPath: String, _ body: () throws -> Void) {
    Exception.removing(observer, keyPath, from: self, body)
  }

  /// Non-nil as long as the object is observed; setting it does nothing.
  ///
  /// Its content is private, as in Cocoa. Where Cocoa code prints it, print
  /// `(object as any KeyValueObservable).observationInfo`.
  open var observationInfo: UnsafeMutableRawPointer? {
    get {
      let registrations: [KeyValueObservationInfo] = library.observationInfo
      // As in Cocoa, the pointer only shows that registrations exist; nothing reads through it.
      return registrations.isEmpty
        ? nil : UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
    set {}
  }

  // MARK: Notifying

  /// Announces that the value of a key is about to change.
  open func willChangeValue(forKey key: String) {
    library.willChangeValue(forKey: key)
  }

  /// Announces that the value of a key has changed.
  open func didChangeValue(forKey key: String) {
    library.didChangeValue(forKey: key)
  }

  /// Announces that elements of an ordered to-many key are about to change.
  open func willChange(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
  ) {
    library.willChange(changeKind, valuesAt: indexes.rangeSet, forKey: key)
  }

  /// Announces that elements of an ordered to-many key have changed.
  open func didChange(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
  ) {
    library.didChange(changeKind, valuesAt: indexes.rangeSet, forKey: key)
  }

  /// Announces that an unordered to-many key is about to change.
  open func willChangeValue(
    forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    library.willChangeValue(forKey: key, withSetMutation: mutationKind, using: objects)
  }

  /// Announces that an unordered to-many key has changed.
  open func didChangeValue(
    forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
    using objects: Set<AnyHashable>
  ) {
    library.didChangeValue(forKey: key, withSetMutation: mutationKind, using: objects)
  }

  // MARK: Customisation points

  /// The key paths that a key depends on.
  open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    guard let type = self as? any NSKeyValueObservingCustomization.Type,
      let keyPath = KeyValueSchema.schema(of: self).keyPath(key)
    else { return [] }
    return Set(
      type.keyPathsAffectingValue(for: keyPath).map {
        self.key($0, or: "the path as a string in keyPathsForValuesAffectingValue(forKey:)")
      })
  }

  /// Whether a key's changes are announced.
  open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    guard let type = self as? any NSKeyValueObservingCustomization.Type,
      let keyPath = KeyValueSchema.schema(of: self).keyPath(key)
    else { return true }
    return type.automaticallyNotifiesObservers(for: keyPath)
  }

  /// Unused here: there are no instance variables to find by name.
  open class var accessInstanceVariablesDirectly: Bool { true }

  /// Called when an undefined key is read; raises unless overridden.
  open func value(forUndefinedKey key: String) -> Any? {
    if UndefinedKeyQuestion.deny() { return nil }
    Exception.unknownKey.raise(
      "[\(Exception.address(of: self)) valueForUndefinedKey:]: this class is not key value "
        + "coding-compliant for the key \(key).\(Exception.whereabouts(of: key, in: self))")
  }

  /// Called when an undefined key is set, or one that can only be read; raises unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    if KeyValueSchema.schema(of: type(of: self)).property(key)?.isSettable == false {
      Exception.raising(self) { throw KeyValueCodingError.readOnly(key, of: self) }
    }
    Exception.unknownKey.raise(
      "[\(Exception.address(of: self)) setValue:forUndefinedKey:]: this class is not key value "
        + "coding-compliant for the key \(key).\(Exception.whereabouts(of: key, in: self))")
  }

  /// Called when nil is set for a scalar, or for another type without an empty value; raises unless overridden.
  open func setNilValueForKey(_ key: String) {
    Exception.invalidArgument.raise(
      "[\(Exception.address(of: self)) setNilValueForKey]: could not set nil as the value for the key "
        + "\(key).")
  }

  /// Sets a string, data or a collection that isn't optional to an empty one, and calls
  /// `setNilValueForKey(_:)` for other types.
  public final func setNilValue(forKey key: String) {
    let property = KeyValueSchema.schema(of: type(of: self)).property(key)
    guard let empty = property.flatMap({ Bridging.bridgedNil(of: $0.valueType) }) else {
      return setNilValueForKey(key)
    }
    Exception.raising(self) { try library.setInheritedValue(empty, forKey: key) }
  }

  // MARK: Coding

  /// The value of a key, scalars as `NSNumber`.
  open func value(forKey key: String) -> Any? {
    Bridging.object(Exception.raising(self) { try library.inheritedValue(forKey: key) })
  }

  /// Sets the value of a key; `NSNull` and nil for a scalar go to `setNilValueForKey(_:)`.
  ///
  /// A scalar takes every number, with what its type can hold of it, and most take a string, such as "42". Nil
  /// empties a string, data or a collection that isn't optional.
  open func setValue(_ value: Any?, forKey key: String) {
    // A class's override of this method gets here by calling `super`, and isn't called again.
    Exception.raising(self) { try library.setInheritedValue(Bridging.swift(value), forKey: key) }
  }

  /// The value at the end of a key path.
  open func value(forKeyPath keyPath: String) -> Any? {
    Bridging.object(Exception.reading(self) { try library.value(forKeyPath: keyPath) })
  }

  /// Sets the value at the end of a key path.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    Exception.raising(self) {
      try library.setValue(Bridging.swift(value), forKeyPath: keyPath)
    }
  }

  /// The values of several keys, `NSNull` for nil.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    KeyCoding.values(forKeys: keys) { value(forKey: $0) }
  }

  /// Sets several keys; `NSNull` sets nil.
  open func setValuesForKeys(_ keyedValues: [String: Any]) {
    KeyCoding.setValues(keyedValues) { setValue($0, forKey: $1) }
  }

  /// Asks the class whether a value may be set for a key.
  ///
  /// Only a validator replaces the value.
  open func validateValue(
    _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey inKey: String
  ) throws {
    try validating(ioValue) { try library.validateValue(&$0, forKey: inKey) }
  }

  /// Asks the class of the last object on a key path whether a value may be set there.
  open func validateValue(
    _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath inKeyPath: String
  ) throws {
    guard let dot = inKeyPath.lastIndex(of: ".") else {
      return try validateValue(ioValue, forKey: inKeyPath)
    }
    // Through the last object's own method, which its class may override.
    let owner = value(forKeyPath: String(inKeyPath[..<dot])) as? NSObject
    try owner?.validateValue(
      ioValue, forKey: String(inKeyPath[inKeyPath.index(after: dot)...]))
  }

  private func validating(
    _ pointer: AutoreleasingUnsafeMutablePointer<AnyObject?>, _ body: (inout Any?) throws -> Void
  ) throws {
    // A validator may take one of Swift's types, where NSNull is nil.
    let given = pointer.pointee is NSNull ? nil : pointer.pointee
    var value: Any? = given
    do {
      try body(&value)
    } catch KeyValueCodingError.undefinedKey {
      // As in Cocoa, any value is valid for a key without a validator.
      return
    }
    if value.map({ $0 as AnyObject }) === given { return }
    pointer.pointee = Bridging.object(value).map { $0 as AnyObject }
  }

  // MARK: Proxies

  /// An ordered to-many key as an array whose changes are observed.
  open func mutableArrayValue(forKey key: String) -> NSMutableArray {
    KeyValueArray(Exception.raising(self) { try library.mutableArrayValue(forKey: key) })
  }

  /// The array at the end of a key path, whose changes are observed.
  open func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
    KeyValueArray(Exception.raising(self) { try library.mutableArrayValue(forKeyPath: keyPath) })
  }

  /// An unordered to-many key as a set whose changes are observed.
  open func mutableSetValue(forKey key: String) -> NSMutableSet {
    KeyValueSet(Exception.raising(self) { try library.mutableSetValue(forKey: key) }, key, of: self)
  }

  /// The set at the end of a key path, whose changes are observed.
  open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let base = Exception.raising(self) { try library.mutableSetValue(forKeyPath: keyPath) }
    guard let dot = keyPath.lastIndex(of: ".") else { return KeyValueSet(base, keyPath, of: self) }
    let owner = try? library.value(forKeyPath: String(keyPath[..<dot]))
    return KeyValueSet(base, String(keyPath[keyPath.index(after: dot)...]), of: owner)
  }

  /// An ordered to-many key whose elements occur once, as a set whose changes are observed.
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    KeyValueOrderedSet(Exception.raising(self) { try library.distinctArrayValue(forKey: key) })
  }

  /// The ordered set at the end of a key path, whose changes are observed.
  open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    KeyValueOrderedSet(
      Exception.raising(self) { try library.distinctArrayValue(forKeyPath: keyPath) })
  }
}

// The audit of debug builds gives its advice in Cocoa's names.
extension NSObject: CocoaNaming {}

extension KeyValueObservedChange where Value == Any? {
  /// The change as Cocoa's observers receive it.
  fileprivate var dictionary: [NSKeyValueChangeKey: Any] {
    var dictionary: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: kind.rawValue)]
    if let newValue { dictionary[.newKey] = part(newValue) }
    if let oldValue { dictionary[.oldKey] = part(oldValue) }
    if let indexes { dictionary[.indexesKey] = IndexSet(indexes) }
    if isPrior { dictionary[.notificationIsPriorKey] = NSNumber(value: true) }
    return dictionary
  }
  /// A value; the elements of an indexed change as an array, whatever their collection.
  private func part(_ value: Any?) -> Any {
    let object = Bridging.present(value)
    guard indexes != nil, let elements = object as? NSOrderedSet else { return object }
    return NSArray(array: elements.array)
  }
}
