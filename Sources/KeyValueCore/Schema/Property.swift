/// One key of a class: how to read, write and announce it.
///
/// Immutable once its schema is built, and the schema outlives every object of the class.
// Checked by hand: every stored property is a `let` except `id`, `classChangedInStorage`, `valueStorage`,
// `isOverridden`, `elements`, `restrictedSetter`, `restrictedAccess`, `isReflected`, `isRedacted`,
// `isAnnouncedByKey`, `mayBeAnnouncedByKey`, `setterAnnouncement` and a typed property's `setter`, which are assigned
// before the schema is published; the closures run only on behalf of the object's own users.
package class Property: @unchecked Sendable {
  package enum Origin: Sendable {
    /// A stored property with accessors that announce changes.
    case stored
    /// A stored property that isn't announced automatically.
    case manual
    case constant
    case computed
    /// A key that only accessor methods implement.
    case accessors
  }

  /// How a setter's announcements of its property relate to those of Cocoa.
  enum SetterAnnouncement {
    /// They are Cocoa's.
    case whole
    /// They are the superclass's, where Cocoa announces each set of the override once.
    case one
  }

  package let key: String
  package let origin: Origin
  package let ownership: KeyValueOwnership
  package let valueType: Any.Type
  /// Whether no path can continue past the value.
  let isPlainValue: Bool
  /// Whether the value, if not nil, is a collection.
  let isCollection: Bool
  /// Whether the value is always one object, or nil.
  let refersToOne: Bool
  /// The class of the objects whose to-many value can be changed in its storage, without the accessors; nil if there
  /// is none.
  @exclusivity(unchecked) var classChangedInStorage: AnyClass?
  /// How the value is read, and stored without the setter; nil if no accessor written by the macro
  /// announces it.
  @exclusivity(unchecked) var valueStorage: ValueStorage?
  /// Whether a class between the property's and the schema's overrides it.
  @exclusivity(unchecked) var isOverridden = false {
    didSet { if case .stored = origin { mayBeAnnouncedByKey = true } }
  }
  /// Access to the elements in their own type; nil unless it's a stored array.
  @exclusivity(unchecked) var elements: ToManyStorage?
  @exclusivity(unchecked) package var id = -1
  /// The access level of a setter that's less visible than its getter.
  @exclusivity(unchecked) var restrictedSetter: String?
  /// `private` or `fileprivate`, if the property is; strings from outside then don't reach it.
  @exclusivity(unchecked) var restrictedAccess: String?
  /// Whether the object's mirror reads it; false if that would compute a lazy value.
  @exclusivity(unchecked) var isReflected = true
  /// Whether traces hide the value.
  @exclusivity(unchecked) var isRedacted = false
  /// Whether key-value coding announces each set that the setter doesn't announce, as in Cocoa.
  @exclusivity(unchecked) var isAnnouncedByKey = false {
    didSet { mayBeAnnouncedByKey = true }
  }
  /// Whether key-value coding may have to announce a set, although the property isn't computed: its setter, or the
  /// setter of an override, may announce nothing.
  @exclusivity(unchecked) private(set) var mayBeAnnouncedByKey = false
  /// What the setter announces of the property itself; nil if that's nothing.
  @exclusivity(unchecked) var setterAnnouncement: SetterAnnouncement?
  /// The class's answers about the key, once computed.
  let traits = PublishedReference<KeyTraits>()

  init(
    key: String, origin: Origin, ownership: KeyValueOwnership, valueType: Any.Type
  ) {
    self.key = key
    self.origin = origin
    self.ownership = ownership
    self.valueType = valueType
    if case .stored = origin { setterAnnouncement = .whole }
    isPlainValue = KeyValueCore.isPlainValue(valueType)
    isCollection = unwrapped(valueType) is any ToMany.Type
    let type = unwrapped(valueType)
    // Foundation's collections are objects, too.
    refersToOne = type is AnyObject.Type && type is any KeyValueObservable.Type
  }

  /// Whether the object stores the value, and it can change.
  var isStored: Bool { origin == .stored || origin == .manual }
  /// Whether this object's to-many value can be changed in its storage, without the accessors.
  func canMutateStorage(of object: AnyObject) -> Bool { classChangedInStorage == type(of: object) }
  /// Whether there is a setter, whatever its access level.
  var hasSetter: Bool { false }
  /// Whether the setter is as visible as the getter.
  package var isSettable: Bool { hasSetter && restrictedSetter == nil }
  /// Whether the property's type includes nil.
  var acceptsNil: Bool { false }

  /// Whether the property alone can keep its object alive, so that a change of the property
  /// precedes the object's death.
  var keepsValueAlive: Bool {
    switch origin {
    case .stored, .manual, .constant: ownership != .weak
    case .computed, .accessors: false
    }
  }

  // MARK: Overridden by the typed subclass

  package func anyValue(of object: AnyObject) -> Any? { nil }

  /// The value as a number, without a box; nil unless the type is one of the usual ones.
  ///
  /// If it's nil, use `anyValue`.
  func number(of object: AnyObject) -> Number? { nil }

  /// The value, if its type is `Int`.
  func integer(of object: AnyObject) -> Int? { nil }

  /// The object that the property refers to; nil if its type isn't an observable class.
  func reference(of object: AnyObject) -> AnyObject? { nil }

  /// The object that the value at an address refers to, or nil; `.none` if the property's type isn't an observable
  /// class.
  func reference(at address: UnsafeRawPointer) -> AnyObject?? { nil }

  /// The property's values for objects of one class, in order, in an array of the property's own type.
  func values(of objects: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> any ToMany {
    objects.map { $0._withUnsafeGuaranteedRef { anyValue(of: $0) } }
  }

  /// The object that the property refers to, or nil; `.none` if its type isn't an observable class.
  func observedObject(of object: AnyObject) -> (any KeyValueObservable)?? { nil }

  /// The value at an address that holds this property's type.
  func anyValue(at address: UnsafeRawPointer) -> Any? { nil }

  /// The value at an address that holds this property's type, as traces show it.
  func traced(at address: UnsafeRawPointer) -> KeyValueTrace.Value {
    if isRedacted { return .redacted }
    return anyValue(at: address).map { KeyValueTrace.Value(of: $0) } ?? .none
  }

  func setAny(_ value: Any, of object: AnyObject) {}

  /// Replaces a missing or restricted setter with that of an override.
  func addSetter<Override: AnyObject, Value>(_ set: @escaping (Override, Value) -> Void) {}

  /// Sets nil if the property's type includes it.
  func setNil(of object: AnyObject) {}

  /// Sets a value that was captured from this property.
  func set(_ value: any CapturedValue, of object: AnyObject) {}

  /// Whether the class lets its to-many value be changed in its storage.
  var lendsStorage: Bool { false }

  /// Changes a to-many value in its storage if possible, otherwise by getting and setting it.
  func mutate(_ object: AnyObject, _ edit: Edit) {}

  /// Lends the value, in the property's own type, to a body that runs once.
  func withValue(of object: AnyObject, _ body: (UnsafeRawPointer) -> Void) {}

  /// A copy of the value from before a mutation.
  func capture(from object: AnyObject) -> any CapturedValue { ValueBox<Any?>(nil) }

  /// A value from elsewhere, captured in the property's type; nil if the type can't hold it.
  func captured(_ value: Any?) -> (any CapturedValue)? { nil }

  /// A copy of a to-many value's elements at these indexes.
  func capture(from object: AnyObject, at indexes: IndexRanges) -> any CapturedValue {
    elements?.capture(object, indexes) ?? capture(from: object).elements(at: indexes)
  }

  /// The number of a to-many value's elements; nil if it isn't one.
  func elementCount(of object: AnyObject) -> Int? {
    elements?.count(object) ?? (anyValue(of: object) as? any ToMany)?.anyCount
  }

  /// Traps if the object's collection can't hold the elements that the edit adds.
  func check(_ edit: Edit, of object: any KeyValueObservable) {
    guard let type = unwrapped(valueType) as? any ToMany.Type else { return }
    let elements: [Any] =
      switch edit {
      case .insertion(_, let given), .replacement(_, let given): given
      case .algebra(.union, let given), .algebra(.set, let given): given.map(\.base)
      case .setting, .removal, .exchange, .algebra: []
      }
    checkElements(elements, as: type.elementType, of: "\(object.schema.name).\(key)")
  }

  /// A reader of the property if its type is exactly `Value`.
  func reader<Value>(of type: Value.Type) -> ((AnyObject) -> Value)? { nil }

  /// A setter of the property if its type is exactly `Value`; a computed property may need announcing.
  func writer<Value>(of type: Value.Type) -> ((AnyObject, Value) -> Void)? { nil }
}
