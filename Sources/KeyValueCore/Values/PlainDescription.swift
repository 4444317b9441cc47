/// A value's text in a sentence, equal for equal values: strings quoted, optionals unwrapped, sets and
/// dictionaries sorted by their elements' texts.
package func plainDescription(_ value: Any) -> String {
  guard let value = flattened(value) else { return "nil" }
  switch value {
  case let string as String: return "\"\(string)\""
  case let ordered as any OrderedToMany: return listing(ordered)
  case let unordered as any UnorderedToMany: return listing(unordered, sorted: true)
  case let dictionary as any Keyed: return listing(dictionary)
  default: return "\(value)"
  }
}

private func listing(_ collection: any ToMany, sorted: Bool = false) -> String {
  let elements = collection.anyElements.map { $0.map(plainDescription) ?? "nil" }
  return "[" + (sorted ? elements.sorted() : elements).joined(separator: ", ") + "]"
}

private func listing(_ dictionary: any Keyed) -> String {
  let entries = dictionary.anyPairs.map {
    "\(plainDescription($0.key)): \($0.value.map(plainDescription) ?? "nil")"
  }
  return entries.isEmpty ? "[:]" : "[" + entries.sorted().joined(separator: ", ") + "]"
}

/// A type's unqualified name, for messages.
package func name(of type: Any.Type) -> String {
  "\(type)"
}
