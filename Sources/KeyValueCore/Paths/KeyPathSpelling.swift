/// A key path as it was written, as far as it can be known at run time.
///
/// A key path prints the names of properties whose place in memory it knows, and of the others their
/// types: `\\Person.<computed 0x1 (Optional<Account>)>?.<computed 0x2 (Double)>`.
struct KeyPathSpelling {
  struct Component {
    /// Nil where the key path does not know it.
    var name: String?
    /// The type's name; nil where the name is known.
    let type: String?
    /// What is written behind it: `?`, `!` or nothing.
    let suffix: String

    var text: String { (name ?? type.map { "<\($0)>" } ?? "_") + suffix }
  }

  private(set) var components: [Component]

  init(_ keyPath: AnyKeyPath) {
    components = KeyPathSpelling.parts(of: keyPath.debugDescription).dropFirst()
      .map(Component.init)
  }

  /// The spelling of a key path from an observable class, in which the only key of a component's type
  /// gives it its name.
  init(_ keyPath: AnyKeyPath, from schema: KeyValueSchema) {
    self.init(keyPath)
    var schema: KeyValueSchema? = schema
    for index in components.indices {
      let component = components[index]
      let keys = schema?.properties.filter { property in
        component.name.map { $0 == property.key } ?? ("\(property.valueType)" == component.type)
      }
      guard let keys, keys.count == 1, let property = keys.first else { return }
      components[index].name = property.key
      schema = observedClass(in: property.valueType).map(KeyValueSchema.schema(of:))
    }
  }

  /// The components as a literal has them, with `<Type>` for those whose names are not known.
  var text: String { components.map(\.text).joined(separator: ".") }

  var isKnown: Bool { components.allSatisfy { $0.name != nil } }

  /// Splits at the dots that are outside of brackets.
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
  /// Reads one component of what a key path prints.
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
