/// An object whose properties can be read, written and observed by key and key path.
///
/// Conformance is the work of the `@KeyValueObservable` macro. The requirements whose names begin
/// with an underscore are what the macro writes; the five others are Cocoa's customisation points,
/// which a class may declare itself and its subclasses may override.
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
/// Threading: registering, removing and notifying are safe from any threads at once. Whether the
/// properties themselves may be written from several threads is the class's business.
public protocol KeyValueObservable: AnyObject, CustomReflectable {
  /// Lends the object's registrar, the two words of state that observation needs.
  func _$kvoWithRegistrar<Result>(_ body: (borrowing KeyValueRegistrar) -> Result) -> Result

  /// Writes the keys that the class declares, its superclass's first, into the schema.
  static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder)

  /// The key paths whose changes also change the value of this key.
  ///
  /// Called on the class, it answers the effective set: inferred, attributed and declared by
  /// method, the superclasses' included.
  static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String>

  /// Whether assigning the property announces the change by itself.
  static func automaticallyNotifiesObservers(forKey key: String) -> Bool

  /// Called when a key that the class does not have is read; throws unless overridden.
  func value(forUndefinedKey key: String) throws -> Any?

  /// Called when a key that the class does not have is set; throws unless overridden.
  func setValue(_ value: Any?, forUndefinedKey key: String) throws

  /// Called when nil is set for a key whose property cannot be nil; throws unless overridden.
  func setNilValue(forKey key: String) throws
}

extension KeyValueObservable {
  /// Every key of the class, the superclass's first, in declaration order.
  ///
  /// ```swift
  /// print(Person.keyValueKeys)                   // ["firstName", "lastName", "fullName"]
  /// ```
  public static var keyValueKeys: [String] {
    KeyValueSchema.schema(of: self).listedKeys
  }

  /// The schema of the object's own class, which may be a subclass of `Self`.
  package var schema: KeyValueSchema {
    KeyValueSchema.schema(of: type(of: self as any KeyValueObservable))
  }
}
