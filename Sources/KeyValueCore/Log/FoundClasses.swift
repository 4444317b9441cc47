/// The classes that are found in the program by the names that they have in records.
///
/// A record may name any class, so only subclasses of the classes that a log knows are found. Private, local and
/// generic classes aren't: a name in a record doesn't identify them.
///
/// Used where its log is.
final class FoundClasses {
  /// The subclasses that were found, and the classes that their stored keys mention.
  private(set) var known = KnownClasses()
  /// What the names that were looked up mean; nil for nothing, because looking up takes long.
  private var named: [String: (any KeyValueObservable.Type)?] = [:]

  /// The class of a name, if it's a subclass of one of these or of one that was found.
  func subclass(_ name: String, of classes: KnownClasses) -> (any KeyValueObservable.Type)? {
    let type = named[name] ?? FoundClasses.type(name)
    named[name] = .some(type)
    guard let type else { return nil }
    let isSubclass = StoredField.superclasses(of: type).dropFirst().contains { superclass in
      guard let superclass = superclass as? any KeyValueObservable.Type else { return false }
      return classes.contains(superclass) || known.contains(superclass)
    }
    guard isSubclass else { return nil }
    known.note(type)
    return type
  }

  /// The observable class of a name in records; nil if there is none that the name identifies.
  static func type(_ name: String) -> (any KeyValueObservable.Type)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, parts.allSatisfy(isIdentifier) else { return nil }
    // The name doesn't say which of the types around the class are classes, structures or enums.
    var symbols = [identifier(parts[0])]
    for part in parts[1..<(parts.count - 1)] {
      symbols = symbols.flatMap { outer in
        ["C", "V", "O"].map { outer + identifier(part) + $0 }
      }
      // A class inside of more types than that is named in `classes`.
      if symbols.count > 81 { return nil }
    }
    for outer in symbols {
      let symbol = outer + identifier(parts[parts.count - 1]) + "C"
      // Two types that differ only in what's around them have one name in records.
      if let type = _typeByName(symbol) as? any KeyValueObservable.Type,
        recordedName(of: type) == name
      {
        return type
      }
    }
    return nil
  }

  /// Whether symbols have the name as it is.
  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return name.utf8.allSatisfy { character in
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  private static func identifier(_ name: String) -> String { "\(name.utf8.count)\(name)" }
}

/// Classes by their names in records.
struct KnownClasses {
  private var types: [String: any KeyValueObservable.Type] = [:]

  var names: [String] { types.keys.sorted() }

  subscript(name: String) -> (any KeyValueObservable.Type)? {
    get { types[name] }
    set { types[name] = newValue }
  }

  func contains(_ type: any KeyValueObservable.Type) -> Bool {
    types[recordedName(of: type)].map { $0 == type } ?? false
  }

  /// Notes a class and those that its stored keys may refer to.
  mutating func note(_ type: any KeyValueObservable.Type) {
    let name = recordedName(of: type)
    if types[name] != nil { return }
    types[name] = type
    for property in KeyValueSchema.schema(of: type).properties
    where property.isStored || property.origin == .constant {
      if let target = referredClass(property.valueType) { note(target) }
    }
  }

  private func referredClass(_ type: Any.Type) -> (any KeyValueObservable.Type)? {
    let type = unwrapped(type)
    if let type = type as? any KeyValueObservable.Type { return type }
    if let many = type as? any ToMany.Type { return referredClass(many.elementType) }
    if let keyed = type as? any Keyed.Type { return referredClass(keyed.anyValueType) }
    return nil
  }
}
