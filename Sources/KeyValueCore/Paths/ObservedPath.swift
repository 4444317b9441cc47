/// The observable part of a path: the keys to attach to, and whether something follows them.
@usableFromInline
struct ObservedPath {
  /// The path as it was asked for.
  @usableFromInline let string: String
  let keys: [String]
  /// Whether the value is read from behind the last key.
  let hasTail: Bool

  init(_ parsed: ParsedKeyPath) {
    string = parsed.string
    keys = parsed.components
    hasTail = false
  }

  /// Takes a typed path apart; nil, with what is wrong with it, where its first component is no key.
  @usableFromInline
  init(_ steps: [PathStep], onUnobservable report: (String) -> Void) {
    var keys: [String] = []
    for step in steps {
      guard case .key(let property) = step.kind else {
        if case .unknown(let schema) = step.kind {
          report(
            "Component \(keys.count + 1) of a key path is a member of \(schema.name) but not one of "
              + "its keys. Declare it in the class itself and without @KeyValueIgnored, or observe "
              + "what it is made of.")
        }
        break
      }
      keys.append(property.key)
    }
    string = steps.map(\.name).joined(separator: ".")
    self.keys = keys
    hasTail = keys.count < steps.count
  }
}
