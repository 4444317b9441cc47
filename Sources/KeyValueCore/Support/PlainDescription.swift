/// A value as it reads in a sentence: strings quoted, optionals without their wrapping.
package func plainDescription(_ value: Any) -> String {
  guard let value = flattened(value) else { return "nil" }
  if let string = value as? String { return "\"\(string)\"" }
  return "\(value)"
}

/// Indexes as a reader counts them: `0, 2–4`.
package func listing(_ indexes: RangeSet<Int>) -> String {
  indexes.ranges
    .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound - 1)" }
    .joined(separator: ", ")
}

/// The unqualified name of a type, as it reads in a message.
package func name(of type: Any.Type) -> String {
  "\(type)"
}
