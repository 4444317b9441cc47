#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// A stored property as its class declares it.
struct StoredField {
  let name: String
  let type: Any.Type
  let owner: AnyClass

  /// The stored properties of a class and its superclasses, without those that the macro adds.
  ///
  /// A class's fields begin with its superclass's, so each belongs to the last class that lists it.
  static func all(of type: AnyClass) -> [StoredField] {
    var all: [StoredField] = []
    #if !canImport(Darwin)  // the reflection is private there
      for owner in superclasses(of: type).reversed() {
        var fields: [StoredField] = []
        _ = _forEachField(of: owner, options: _EachFieldOptions(rawValue: 1)) { name, _, type, _ in
          fields.append(StoredField(name: String(cString: name), type: type, owner: owner))
          return true
        }
        all += fields.dropFirst(all.count)
      }
    #endif
    return all.filter { !$0.name.hasPrefix("_$") }
  }

  /// The class and its superclasses, starting with the class.
  static func superclasses(of type: AnyClass) -> [AnyClass] {
    Array(sequence(first: type) { _getSuperclass($0) })
  }
}

extension KeyValueSchema {
  /// The class without the macro that stores a property of this name; nil if there is none.
  func classWithoutKeys(declaring name: String) -> AnyClass? {
    StoredField.all(of: type).last { $0.name == name && !declaresKeys($0.owner) }?.owner
  }
}
