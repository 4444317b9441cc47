/// What a class declares about one of its keys, as data.
///
/// A form, a table or a bridge to another system makes its fields and columns of these descriptions, and
/// reads, sets and observes by key.
///
/// ```swift
/// for property in Person.keyValueProperties { print(property) }
/// // id: Int
/// // name: String, settable
/// // age: Int, settable, validated
/// // nickname: Optional<String>, settable
/// // pets: Array<Pet>, ordered to-many, settable
/// // initial: String, computed
/// ```
///
/// To work with the values in their own type, open it:
///
/// ```swift
/// func field<Object: KeyValueObservable>(
///   for property: KeyValuePropertyDescription, of object: Object
/// ) throws -> Field {
///   func open<Value>(_ type: Value.Type) throws -> Field {
///     Field(try object.kvo(property.name, as: Value.self))
///   }
///   return try _openExistential(property.valueType, do: open)
/// }
/// ```
///
/// The description is of the class: an object of a subclass may have more keys, and may override a
/// getter. A class's own `value(forKey:)` or `setValue(_:forKey:)`, and its hooks for undefined keys,
/// may answer and take more than the descriptions list.
///
/// Source of the behaviour: this library's. Cocoa has the Objective-C runtime's properties, and Core Data
/// `NSPropertyDescription`.
public struct KeyValuePropertyDescription {
  /// What a key's value is to its object.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// A value, or an object of a class without keys.
    case value
    /// An object of an observable class, or nil.
    case toOne
    /// A collection of values or objects in an order, such as an array.
    case orderedToMany
    /// A collection of values or objects without an order, such as a set.
    case unorderedToMany
  }

  /// The key.
  public let name: String
  /// The type of the value, as declared: `String`, `Optional<Int>`, `Array<Pet>`.
  ///
  /// It's `Any?` for a key that only accessor methods implement.
  public let valueType: Any.Type
  /// Whether the value is one object, or a collection, or neither.
  ///
  /// A protocol's type is a `value`, whatever objects it has, and so is a dictionary.
  public let kind: Kind
  /// The declared type of a collection's elements; nil if the value isn't a collection.
  public let elementType: Any.Type?
  /// The observable class of the object, or of a collection's elements; nil if there is none.
  ///
  /// The objects may be of its subclasses.
  public let relatedClass: (any KeyValueObservable.Type)?
  /// Whether `setValue(_:forKey:)` may set it: it has a setter, which is as visible as the getter.
  public let isSettable: Bool
  /// Whether the value's type includes nil.
  public let isOptional: Bool
  /// Whether a getter or accessor methods compute the value, so that it has no storage of its own.
  public let isComputed: Bool
  /// Whether the class has a `validate<Key>(_:)` for it.
  public let isValidated: Bool

  // The key is one of the schema's listed keys.
  init?(_ key: String, in schema: KeyValueSchema) {
    guard let property = schema.property(key) else { return nil }
    name = key
    valueType = property.valueType
    let accessors = (property as? AccessorProperty)?.methods
    let type = unwrapped(property.valueType)
    let element: Any.Type?
    if let accessors {
      kind = accessors.isCounted ? .orderedToMany : .unorderedToMany
      element = schema.accessorElement(key)
    } else if let collection = type as? any ToMany.Type {
      kind = collection is any OrderedToMany.Type ? .orderedToMany : .unorderedToMany
      element = collection.elementType
    } else {
      kind = type is any KeyValueObservable.Type ? .toOne : .value
      element = nil
    }
    elementType = element
    relatedClass = unwrapped(element ?? type) as? any KeyValueObservable.Type
    isSettable = property.isSettable
    isOptional = KeyValueCore.isOptional(property.valueType)
    switch property.origin {
    case .computed, .accessors: isComputed = true
    case .stored, .manual, .constant: isComputed = false
    }
    isValidated = schema.validator(key) != nil
  }
}

// Checked by hand: the metatypes are immutable; using what one of them names is up to that type's isolation.
extension KeyValuePropertyDescription: @unchecked Sendable {}

extension KeyValuePropertyDescription: CustomStringConvertible {
  /// The key, its type and what else is known: `age: Int, settable, validated`.
  public var description: String {
    let kinds: [Kind: String] = [
      .toOne: "to-one", .orderedToMany: "ordered to-many", .unorderedToMany: "unordered to-many",
    ]
    let facts = [
      kinds[kind], isComputed ? "computed" : nil, isSettable ? "settable" : nil,
      isValidated ? "validated" : nil,
    ]
    return (["\(name): \(valueType)"] + facts.compactMap { $0 }).joined(separator: ", ")
  }
}

extension KeyValueObservable {
  /// The class's keys with their types and what may be done with them, in the order of `keyValueKeys`.
  ///
  /// ```swift
  /// for property in Person.keyValueProperties where property.isSettable {
  ///   print(property.name, property.valueType)     // name String, then age Int, …
  /// }
  /// let properties = type(of: object).keyValueProperties     // of an object's own class
  /// ```
  ///
  /// Without `private` and `fileprivate` properties, which strings don't reach. No object is needed, and
  /// no property is read.
  ///
  /// - Complexity: O(*n*), where *n* is the number of keys.
  public static var keyValueProperties: [KeyValuePropertyDescription] {
    let schema = KeyValueSchema.schema(of: self)
    return schema.openKeysListed.compactMap { KeyValuePropertyDescription($0, in: schema) }
  }
}
