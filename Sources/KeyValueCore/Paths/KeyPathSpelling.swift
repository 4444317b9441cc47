/// A key path as written, as far as it's known at run time.
///
/// A key path prints the names of properties with a known place in memory, and the types of
/// the others: `\Person.<computed 0x1 (Optional<Account>)>?.<computed 0x2 (Double)>`.
struct KeyPathSpelling {
  struct Component {
    /// The property's name; nil if the key path doesn't carry it.
    var name: String?
    /// The type's name; nil if the property's name is known.
    let type: String?
    /// The suffix: `?`, `!` or nothing.
    let suffix: String

    var text: String { (name ?? type.map { "<\($0)>" } ?? "_") + suffix }
  }

  private(set) var components: [Component]

  init(_ keyPath: AnyKeyPath) {
    components = KeyPathSpelling.parts(of: keyPath.debugDescription).dropFirst()
      .map(Component.init)
  }

  /// The spelling of a key path from an observable class.
  ///
  /// If only one key has a component's type, that key's name is used.
  init(_ keyPath: AnyKeyPath, from schema: KeyValueSchema) {
    self.init(keyPath)
    var schema: KeyValueSchema? = schema
    for index in components.indices {
      let component = components[index]
      let keys = schema?.properties.filter { property in
        schema?.property(property.key) === property
          && component.name.map { $0 == property.key }
            ?? ("\(property.valueType)" == component.type)
      }
      guard let keys, keys.count == 1, let property = keys.first else { return }
      components[index].name = property.key
      schema = observedClass(in: property.valueType).map(KeyValueSchema.schema(of:))
    }
  }

  /// The components as in a literal, with `<Type>` for unknown names.
  var text: String { components.map(\.text).joined(separator: ".") }

  var isKnown: Bool { components.allSatisfy { $0.name != nil } }

  /// Splits at the dots outside brackets.
  private static func parts(of description: String) -> [String] {
    var parts = [""]
    var depth = 0
    for character in description {
      if "<([".contains(character) { depth += 1 }
      if ">)]".contains(character) { depth -= 1 }
      if character == ".", depth == 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}

extension KeyPathSpelling.Component {
  /// Parses one component of a printed key path.
  fileprivate init(_ text: String) {
    let core = text.prefix { $0 != "?" && $0 != "!" || text.hasPrefix("<") }
    if text.hasPrefix("<"), let close = text.lastIndex(of: ">") {
      name = nil
      let inside = text[..<close]
      type = inside.firstIndex(of: "(").map { open in
        String(inside[inside.index(after: open)...].dropLast())
      }
      suffix = String(text[text.index(after: close)...])
    } else {
      name = String(core)
      type = nil
      suffix = String(text.dropFirst(core.count))
    }
  }
}
