/// A path as observing sees it: the keys to attach to, and whether something follows them.
@usableFromInline
final class ObservedPath: Sendable {
  /// The path as it was asked for.
  let string: String
  let keys: [String]
  /// Whether the value is read from behind the last key.
  let hasTail: Bool
  /// Why the path cannot be observed as it is spelled, in words.
  let problem: String?

  init(_ parsed: ParsedKeyPath) {
    string = parsed.string
    keys = parsed.components
    hasTail = false
    problem = nil
  }

  init(_ steps: [PathStep]) {
    var keys: [String] = []
    var problem = steps.isEmpty ? "The key path \\.self names no property." : nil
    for step in steps {
      guard case .key(let property) = step.kind else {
        if case .unknown(let schema) = step.kind {
          problem =
            "Component \(keys.count + 1) of a key path is a member of \(schema.name) but not one of "
            + "its keys. Declare it in the class itself and without @KeyValueIgnored, or observe "
            + "what it is made of."
        }
        break
      }
      keys.append(property.key)
    }
    string = steps.map(\.name).joined(separator: ".")
    self.keys = keys
    self.problem = problem
    hasTail = keys.count < steps.count
  }
}
