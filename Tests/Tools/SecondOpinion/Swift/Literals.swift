import KeyValueObserving

/// Parses and prints values in the notation of scenarios.
struct Literals {
  struct Malformed: Error {
    let text: String
  }

  /// The objects that the scenario has created.
  private(set) var objects: [String: any ScenarioModel] = [:]
  private var names: [ObjectIdentifier: String] = [:]

  mutating func name(_ object: any ScenarioModel, _ name: String) {
    objects[name] = object
    names[ObjectIdentifier(object)] = name
  }

  mutating func forget(_ name: String) {
    guard let object = objects.removeValue(forKey: name) else { return }
    names[ObjectIdentifier(object)] = nil
  }

  // Reading.

  func value(_ text: some StringProtocol) throws -> Any? {
    var rest = Substring(text)
    let value = try next(&rest)
    guard rest.isEmpty else { throw Malformed(text: String(text)) }
    return value
  }

  private func next(_ rest: inout Substring) throws -> Any? {
    switch rest.first {
    case "[": return try elements(&rest, until: "]").map { $0 as Any }
    case "{": return Set(try elements(&rest, until: "}").compactMap { $0 as? AnyHashable })
    case "\"":
      let text = rest.dropFirst().prefix { $0 != "\"" }
      rest = rest.dropFirst(text.count + 2)
      return String(text)
    default:
      let word = rest.prefix { !",]}".contains($0) }
      rest = rest.dropFirst(word.count)
      return try scalar(word)
    }
  }

  private func elements(_ rest: inout Substring, until end: Character) throws -> [Any?] {
    var elements: [Any?] = []
    rest.removeFirst()
    while let first = rest.first, first != end {
      if first == "," { rest.removeFirst() }
      elements.append(try next(&rest))
    }
    guard rest.popFirst() != nil else { throw Malformed(text: "no \(end)") }
    return elements
  }

  private func scalar(_ word: Substring) throws -> Any? {
    if word == "nil" { return nil }
    if word == "true" { return true }
    if word == "false" { return false }
    if word.first == "$", let object = objects[String(word.dropFirst())] { return object }
    if let number = Int(word) { return number }
    if let number = Double(word) { return number }
    throw Malformed(text: String(word))
  }

  // Writing.

  func text(_ value: Any?) -> String {
    guard let value else { return "nil" }
    switch value {
    case let object as any KeyValueObservable: return "$" + (names[ObjectIdentifier(object)] ?? "?")
    case let text as String: return "\"\(text)\""
    // Printed like Objective-C's numbers, which don't distinguish these types.
    case let flag as Bool: return flag ? "1" : "0"
    case let number as Double:
      return Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case let wrapped as AnyHashable where !(value is any Collection): return "\(wrapped.base)"
    default: return collectionText(value)
    }
  }

  private func collectionText(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map(\.value)
    switch mirror.displayStyle {
    case .optional: return text(children.first)
    case .collection: return "[" + children.map { text($0) }.joined(separator: ",") + "]"
    case .set: return "{" + children.map { text($0) }.sorted().joined(separator: ",") + "}"
    default: return "\(value)"
    }
  }
}
