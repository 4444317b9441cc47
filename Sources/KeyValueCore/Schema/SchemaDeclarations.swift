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
  /// The keys of superclasses that a class overrides with properties that aren't keys.
  var ignoredOverrides: Set<String> = []
  /// The keys of superclasses that a class has, too, because it can't see them.
  var hiddenKeys: [HiddenKey] = []

  struct HiddenKey {
    let key: String
    /// The superclass whose key it is.
    let owner: Any.Type
    /// The class whose own key the name leads to.
    let type: Any.Type
  }

  /// Drops what is declared about a key, which becomes the last one.
  mutating func forget(_ key: String) {
    order.removeAll { $0 == key }
    order.append(key)
    dependencies[key] = nil
    manualKeys.remove(key)
    completeKeys.remove(key)
  }

  /// Whether each class, from one of the objects' up to the first with keys, declares keys.
  func allClassesDeclareKeys(from type: AnyClass) -> Bool {
    var undeclared = false
    var current: AnyClass? = type
    while let type = current {
      if !declaringClasses.contains(ObjectIdentifier(type)) {
        undeclared = true
      } else if undeclared {
        return false
      }
      current = _getSuperclass(type)
    }
    return declaringClasses.contains(ObjectIdentifier(type))
  }
}
