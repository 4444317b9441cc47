// Explains why a member of an observable class can't be observed: which member it is and what it
// lacks, as far as a key path tells.
extension PathStep {
  /// The explanation for the component at a position, counted from 1.
  func explanation(as position: Int, of schema: KeyValueSchema) -> String {
    if let text = explanationOfUnwrapping(schema) { return text }
    if isLong {
      return explanationOfLong(from: schema) { ".\($0), without brackets" }
    }
    let fields = StoredField.all(of: schema.type).filter { schema.property($0.name) == nil }
    let name = component.name
    if name != "_" {
      let owner: AnyClass? = fields.first { $0.name == name }?.owner
      return
        "Component \(position) of a key path, '\(name)', is a member of \(schema.name) but not one "
        + "of its keys. " + cause(of: name, in: owner, schema)
    }
    // Stored final properties have names, so these candidates are the rest. A getter of its own is a stored
    // property's only if that has observers and can't be overridden, and then there's a setter, too.
    let kind = MemberKind(keyPath)
    let candidates =
      kind == .member(isSettable: false) ? [] : fields.filter { $0.type == valueType }
    let unmarked = schema.classesWithoutKeys
    let overridden = unmarked.isEmpty ? [] : schema.properties.filter { $0.valueType == valueType }
    let names = candidates.map(\.name) + overridden.map(\.key)
    var text =
      "Component \(position) of a key path is a member of \(schema.name), of type \(valueType), but not "
      + "one of its keys"
    if names.isEmpty {
      text += ". "
    } else {
      text += "; by its type it may be " + names.map { "'\($0)'" }.joined(separator: " or ") + ". "
    }
    // An extension's member has a setter as well.
    if candidates.count == 1, overridden.isEmpty, kind != .member(isSettable: true) {
      return text + cause(of: candidates[0].name, in: candidates[0].owner, schema)
    }
    return text + causeOfUnnamed(unmarked, mayOverride: !overridden.isEmpty)
  }

  /// Why this step, a plain key path, can't be observed: it has several components, or isn't a key.
  func explanationOfPlain(_ keyPath: AnyKeyPath) -> String {
    guard case .unknown(let schema, _) = kind else {
      return
        "A plain key path of \(KeyValueCore.name(of: rootType)), which is no observable class, "
        + "cannot be observed."
    }
    guard isLong else { return explanation(as: 1, of: schema) }
    if let text = explanationOfUnwrapping(schema) { return text }
    return explanationOfLong(from: schema) {
      "\\.\($0), without the root type" + (schema.usesCocoaNaming ? wayOfFunction(schema) : "")
    }
  }

  /// A path without its root type is plain all the same where a function's parameter is.
  private func wayOfFunction(_ schema: KeyValueSchema) -> String {
    let root = schema.name
    // A path that is spelled with `?` has an optional value of its own.
    let isOptional = KeyPathSpelling(keyPath, from: schema).text.contains("?")
    let value =
      isOptional
      ? "KeyValuePath<\(root), \(unwrapped(valueType))>?" : "KeyValuePath<\(root), \(valueType)>"
    return
      ", where it is observed, or to a function that hands it on and has a parameter of type "
      + "KeyPath<KeyValuePath<\(root), \(root)>, \(value)>"
  }

  /// Whether this is a plain key path of several components, which names no member.
  var isLong: Bool {
    let components = KeyPathSpelling(keyPath).components
    return components.count > 1 || components.first?.suffix != ""
  }

  /// The explanation of one key with `!`; nil for other key paths.
  ///
  /// In a binding's path the compiler adds the `!` itself if the property is declared with one.
  private func explanationOfUnwrapping(_ schema: KeyValueSchema) -> String? {
    let components = KeyPathSpelling(keyPath, from: schema).components
    guard components.count == 1, let key = components[0].name, components[0].suffix == "!",
      let type = schema.property(key)?.valueType
    else { return nil }
    let declared = unwrapped(type)
    return
      "\\\(schema.name).\(key)! unwraps the key '\(key)', so it names no key. Write .\(key) without !. "
      + "If it is declared as \(declared)!, declare it as \(declared)?: the compiler reads .\(key) with ! "
      + "here."
  }

  /// `way` spells the path that works, given this one's text without `?` and `!`: a path leads through
  /// optionals without them.
  private func explanationOfLong(from schema: KeyValueSchema, way: (String) -> String) -> String {
    let spelling = KeyPathSpelling(keyPath, from: schema)
    let unknown =
      spelling.isKnown
      ? "" : " (a member whose name a key path does not know shows its type in angle brackets)"
    return
      "A plain key path of \(schema.name) names no key of it: \\\(schema.name).\(spelling.text). Only "
      + "one property can be named this way; for a longer path write "
      + "\(way(spelling.text.filter { $0 != "?" && $0 != "!" }))\(unknown)."
  }

  private func cause(
    of name: String, in owner: AnyClass?, _ schema: KeyValueSchema
  ) -> String {
    guard let owner else { return causeOfUnnamed(schema.classesWithoutKeys, mayOverride: false) }
    let className = KeyValueCore.name(of: owner)
    if schema.declaresKeys(owner) {
      return
        "It is marked @KeyValueIgnored in \(className). Remove the attribute, or observe a key that "
        + "changes with it."
    }
    return
      "\(className), which declares it, lacks @KeyValueObservable. Annotate \(className), or observe a key "
      + "that changes with it."
  }

  private func causeOfUnnamed(_ unmarked: [AnyClass], mayOverride: Bool) -> String {
    let elsewhere =
      "A member of an extension or of a protocol is no key, nor is one that is marked "
      + "@KeyValueIgnored: declare it in the class itself, observe the keys that it is made of, or "
      + "observe it by its name, as a string, if a key has that name."
    guard !unmarked.isEmpty else { return elsewhere }
    let classes = unmarked.map { KeyValueCore.name(of: $0) }.joined(separator: " and ")
    let lack = unmarked.count == 1 ? "lacks" : "lack"
    let override =
      mayOverride
      ? " An override there has an identity of its own; the object can also be observed as its "
        + "superclass."
      : ""
    return
      "\(classes) \(lack) @KeyValueObservable: what is declared there is no key until the class is "
      + "annotated.\(override) " + elsewhere
  }
}

extension KeyValueSchema {
  /// The class and its superclasses that declare no key, starting with the class.
  var classesWithoutKeys: [AnyClass] {
    StoredField.superclasses(of: type).filter { !declaresKeys($0) }
  }
}
