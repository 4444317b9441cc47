#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// A stored property as its class declares it.
struct StoredField {
  let name: String
  let type: Any.Type
  let owner: AnyClass

  /// The stored properties of a class and its superclasses, without those that the macro adds.
  static func all(of type: AnyClass) -> [StoredField] {
    let chain = superclasses(of: type)
    var fields: [StoredField] = []
    for (owner, field): (AnyClass, _) in ownFields(of: chain) where !field.name.hasPrefix("_$") {
      fields.append(StoredField(name: field.name, type: field.type, owner: owner))
    }
    return fields
  }

  /// The class and its superclasses, starting with the class.
  static func superclasses(of type: AnyClass) -> [AnyClass] {
    Array(sequence(first: type) { _getSuperclass($0) })
  }

  /// A class's fields begin with its superclass's, so each belongs to the last class that lists it.
  private static func ownFields(
    of chain: [AnyClass]
  ) -> [(AnyClass, (name: String, type: Any.Type))] {
    #if canImport(Darwin)
      return []  // this system has no such reflection
    #else
      var result: [(AnyClass, (name: String, type: Any.Type))] = []
      for owner in chain.reversed() {
        var fields: [(name: String, type: Any.Type)] = []
        _ = _forEachField(of: owner, options: _EachFieldOptions(rawValue: 1)) { name, _, type, _ in
          fields.append((String(cString: name), type))
          return true
        }
        result += fields.dropFirst(result.count).map { (owner, $0) }
      }
      return result
    #endif
  }
}
