/// An object with properties that are readable, writable and observable by key and key path.
///
/// The `@KeyValueObservable` macro makes a class conform and writes the requirements with an
/// underscore. The five others are Cocoa's customisation points, which a class may declare and its
/// subclasses may override.
///
/// ```swift
/// @KeyValueObservable
/// final class Person {
///   var firstName = "Ada"
/// }
/// let person = Person()
/// let observation = person.kvo.firstName.observe(options: [.old, .new]) { _, change in
///   print(change)                                // setting, old: "Ada", new: "Grace"
/// }
/// person.firstName = "Grace"
/// ```
///
/// Threading: registering, removing and notifying are safe on any threads at once. Guard the
/// properties yourself, with an actor or a lock.
public protocol KeyValueObservable: AnyObject, CustomReflectable {
  /// Lends the object's registrar, the two words of state that observing needs.
  func _$kvoWithRegistrar<Result>(_ body: (borrowing KeyValueRegistrar) -> Result) -> Result

  /// Adds the keys that the class declares to the schema, after its superclass's.
  static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder)

  /// The key paths that this key depends on.
  ///
  /// The class's result is the effective set: the inferred, attributed and method-declared paths,
  /// including the superclasses'.
  static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String>

  /// Whether assigning the property announces the change.
  static func automaticallyNotifiesObservers(forKey key: String) -> Bool

  /// Called when an undefined key is read; throws unless overridden.
  func value(forUndefinedKey key: String) throws -> Any?

  /// Called when an undefined key is set; throws unless overridden.
  func setValue(_ value: Any?, forUndefinedKey key: String) throws

  /// Called when nil is set for a key that can't be nil; throws unless overridden.
  func setNilValue(forKey key: String) throws
}

extension KeyValueObservable {
  /// The class's keys, the superclass's first, in declaration order.
  ///
  /// Without `private` and `fileprivate` properties, which strings don't reach.
  ///
  /// ```swift
  /// print(Person.keyValueKeys)                   // ["firstName", "lastName", "fullName"]
  /// ```
  public static var keyValueKeys: [String] {
    KeyValueSchema.schema(of: self).openKeysListed
  }

  /// The schema of the object's own class, which may be a subclass of `Self`.
  package var schema: KeyValueSchema {
    KeyValueSchema.schema(of: type(of: self as any KeyValueObservable))
  }
}
