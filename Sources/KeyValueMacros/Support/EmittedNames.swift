/// Every name that the macros write into a user's class.
enum EmittedNames {
  /// Separates emitted members from the class's own.
  static let prefix = "_$"

  // Members of an observable class.
  static let registrar = "_$kvoRegistrar"
  static let withRegistrar = "_$kvoWithRegistrar"
  /// The generic parameter of that method, which must not hide one of the class.
  static let result = "_$Result"
  static let keyEnum = "_$KVOKey"
  /// The key after the last, if `#if` decides how many there are.
  static let endKey = "_$end"
  static let identifier = "_$kvoID"
  static let storedCount = "_$kvoStoredCount"
  static let defineKeys = "_$kvoDefineKeys"
  /// The result of a declared customisation point's own body.
  static let declared = "_$kvoDeclared"
  /// The announcement of an assignment in an initialiser.
  static let change = "_$kvoChange"

  /// The library's property that begins the paths to an object's keys.
  static let startOfPaths = "kvo"

  // Cocoa's customisation points.
  static let dependencyHook = "keyPathsForValuesAffectingValue"
  static let automaticHook = "automaticallyNotifiesObservers"
  static let value = "value"
  static let setValue = "setValue"
  static let setNilValue = "setNilValue"
  static let undefinedKeyLabel = "forUndefinedKey"
  static let keyLabel = "forKey"

  // Attributes.
  static let observableAttribute = "KeyValueObservable"
  static let storedAttribute = "_KeyValueStored"
  static let hookAttribute = "_KeyValueHook"
  static let initializerAttribute = "_KeyValueInitializer"
  static let dependsOnAttribute = "DependsOn"
  static let manualAttribute = "NotifiesManually"
  static let ignoredAttribute = "KeyValueIgnored"
  static let redactedAttribute = "KeyValueRedacted"

  /// The attributes that say how a property is treated.
  static let marks = [dependsOnAttribute, manualAttribute, ignoredAttribute, redactedAttribute]

  static let trackingLabel = "tracking"
  static let trackedName = "_KeyValueTracked"

  // Types of the runtime, qualified because a user's own names might hide them.
  static let observable = "KeyValueCore.KeyValueObservable"
  static let registrarType = "KeyValueCore.KeyValueRegistrar"
  static let builderType = "KeyValueCore.KeyValueSchemaBuilder"
  static let schemaType = "KeyValueCore.KeyValueSchema"
  static let trackingType = "KeyValueObserving._KeyValueTracking"
  static let tracked = "KeyValueObserving._KeyValueTracked"
  static let codingError = "KeyValueCore.KeyValueCodingError"
  static let initialChange = "KeyValueCore._KeyValueInitialChange"
  static let coder = "KeyValueCore._KeyValueCoder"

  /// Announces a change around a body.
  static let announce = "_$kvoAnnounce"

  /// Has the types of a nested class's members, for the extension that replaces them.
  static let types = "_$kvoTypes"

  /// One of those types, by its number.
  static func typeName(_ index: Int) -> String { "_$kvoType\(index)" }

  /// The replacement of a `dynamic` member.
  static func announced(_ member: String) -> String { "_$kvoAnnounced_" + member }

  /// The announcement around a change in such a replacement.
  static let announcement = "_$kvoAnnouncement"

  /// The registrar of Observation.
  ///
  /// A class that's nested in its superclass sees the superclass's, so each has its class's name.
  static func tracking(of type: String) -> String { "_$kvoTracking" + type }

  /// The hidden storage of a tracked property; backticks aren't needed after the prefix.
  static func storage(of property: String) -> String { prefix + property }

  /// The property with that hidden storage; any other name unchanged.
  static func property(of storage: String) -> String {
    storage.hasPrefix(prefix) ? String(storage.dropFirst(prefix.count)) : storage
  }
}
