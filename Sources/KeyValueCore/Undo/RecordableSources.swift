/// The recordable keys on which a computed key depends, as paths of its class.
struct RecordableSources {
  /// Each path once, in the order of the dependencies.
  private(set) var paths: [String] = []
  /// The computed keys being followed.
  private var followed: Set<ObjectIdentifier> = []

  /// Finds the sources; nil if the class doesn't tell them all.
  init?(of property: Property, in schema: KeyValueSchema) {
    guard follow(property, in: schema, behind: []) else { return nil }
  }

  private mutating func follow(
    _ property: Property, in schema: KeyValueSchema, behind prefix: [String]
  ) -> Bool {
    // Keys that depend on each other have no end.
    guard followed.insert(ObjectIdentifier(property)).inserted else { return false }
    defer { followed.remove(ObjectIdentifier(property)) }
    let dependencies = schema.traits(of: property).dependencies
    return !dependencies.isEmpty
      && dependencies.allSatisfy { follow($0.components[...], in: schema, behind: prefix) }
  }

  private mutating func follow(
    _ path: ArraySlice<PathComponent>, in schema: KeyValueSchema, behind prefix: [String]
  ) -> Bool {
    guard let component = path.first else { return true }
    let rest = path.dropFirst()
    // An operator's path is one of the elements before it.
    if component.isOperator { return follow(rest, in: schema, behind: prefix) }
    guard let property = schema.property(component.name) else { return false }
    let way = prefix + [property.key]
    switch property.origin {
    case .constant: break
    case _ where schema.isRecordable(property):
      let path = way.joined(separator: ".")
      if !paths.contains(path) { paths.append(path) }
    case .computed: return rest.isEmpty && follow(property, in: schema, behind: prefix)
    default: return false
    }
    if rest.isEmpty || property.isPlainValue { return true }
    guard let next = observedClass(in: property.valueType) else { return false }
    return follow(rest, in: KeyValueSchema.schema(of: next), behind: way)
  }
}

extension KeyValueSchema {
  /// Whether changes of the property can be undone by key.
  func isRecordable(_ property: Property) -> Bool {
    property.isSettable || mutatesArray(property.key) || mutatesSet(property.key)
  }
}
