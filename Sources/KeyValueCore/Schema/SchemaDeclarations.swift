/// What a class and its superclasses declare about their keys, besides the properties.
struct SchemaDeclarations {
  /// The keys in the order of their first declaration, superclasses first.
  var order: [String] = []
  var identities: [PropertyIdentity] = []
  var dependencies: [String: [DependencyPath]] = [:]
  var dependencyFunctions: [String: [(AnyClass) -> Set<String>]] = [:]
  var automaticFunctions: [String: (AnyClass) -> Bool] = [:]
  var validators: [String: Validator] = [:]
  var accessors: [String: CollectionAccessors] = [:]
  /// The type of the elements of a key with accessors, as the methods that have one of them declare it.
  var accessorElements: [String: Any.Type] = [:]
  var manualKeys: Set<String> = []
  var completeKeys: Set<String> = []
  /// Keys that need no property: the class announces them, or states what affects them.
  var namedKeys: Set<String> = []
  /// Whether the class announces keys by names that its body doesn't show, so that any key may be one.
  var namesAnyKey = false
  /// The classes that have keys of their own.
  var declaringClasses: Set<ObjectIdentifier> = []
}
