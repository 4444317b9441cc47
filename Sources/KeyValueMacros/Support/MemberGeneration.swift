import SwiftSyntax

/// Writes the members of an observable class.
struct MemberGeneration {
  let model: ObservableClass
  let isRoot: Bool
  /// Whether the class's properties notify Observation.
  let isTracking: Bool

  var members: [DeclSyntax] { texts.map(DeclSyntax.verbatim) }

  private var texts: [String] {
    let schema =
      SchemaGeneration(model: model, isTracking: isTracking).statements
      + InitializerSchemaGeneration(model: model, isRoot: isRoot).statements
    var members: [String] = []
    if isRoot { members += [registrar, withRegistrar] }
    if isTracking { members.append(tracking) }
    if !model.tracked.isEmpty { members += [keyEnum, identifier] }
    if isRoot || !model.tracked.isEmpty { members.append(storedCount) }
    // For the audit, a class without this member lacks the macro.
    if isRoot || !schema.isEmpty || model.style == .cocoa { members.append(defineKeys(schema)) }
    if isRoot { members += HookGeneration(model: model).missingHooks }
    if let types = AnnouncingReplacements(model: model).typeNames { members.append(types) }
    members += CodingGeneration(model: model).members
    return members
  }

  private var access: String { model.memberAccess }
  private var overridable: String { model.overridableAccess }

  /// Keeps a member out of the class's global actor: the runtime calls it on any thread.
  private var nonisolated: String { model.globalActor == nil ? "" : "nonisolated " }

  private var registrar: String {
    let final = model.isFinal ? "" : "final "
    return """
      \(access)\(nonisolated)\(final)let \(EmittedNames.registrar) = \
      \(EmittedNames.registrarType)()
      """
  }

  /// Each class has its own, because it can't know whether its superclass has one.
  private var tracking: String {
    """
    private \(nonisolated)let \(model.declaration.trackingName) = \(EmittedNames.trackingType)()
    """
  }

  private var withRegistrar: String {
    """
    \(access)\(nonisolated)func \(EmittedNames.withRegistrar)<\(EmittedNames.result)>(
      _ body: (borrowing \(EmittedNames.registrarType)) -> \(EmittedNames.result)
    ) -> \(EmittedNames.result) {
      body(\(EmittedNames.registrar))
    }
    """
  }

  private var keyEnum: String {
    let tracked = model.tracked
    if model.hasParameterPack { return keyStruct }
    guard isConditional else {
      let cases = tracked.map(\.spelling).joined(separator: ", ")
      return """
        private enum \(EmittedNames.keyEnum): Swift.Int {
          case \(cases)
        }
        """
    }
    // Its last case counts the others, of which there may be none.
    let cases = tracked.map { property in
      conditional("  case \(property.spelling)", under: property.conditions)
    }
    return """
      private enum \(EmittedNames.keyEnum): Swift.Int {
      \(cases.joined(separator: "\n"))
        case \(EmittedNames.endKey)
      }
      """
  }

  /// Whether `#if` decides the number of keys.
  private var isConditional: Bool { model.tracked.contains { !$0.conditions.isEmpty } }

  /// The same for a class with a parameter pack, in which Swift allows no enum.
  private var keyStruct: String {
    var cases: [String] = []
    var (index, first) = (0, "")
    func key(_ name: String) -> String {
      "  static var \(name): Self { Self(rawValue: \(first)\(index)) }"
    }
    for (number, property) in model.tracked.enumerated() {
      if property.conditions.isEmpty {
        cases.append(key(property.spelling))
        index += 1
      } else {
        // The start of the next keys depends on the condition.
        let next = "\(EmittedNames.endKey)\(number)"
        let skipped = "  private static var \(next): Swift.Int { \(first)\(index) }"
        let counted = "  private static var \(next): Swift.Int { \(first)\(index + 1) }"
        cases.append(
          conditional(
            key(property.spelling) + "\n" + counted, under: property.conditions, else: skipped))
        (index, first) = (0, "\(next) + ")
      }
    }
    if isConditional { cases.append(key(EmittedNames.endKey)) }
    return """
      private struct \(EmittedNames.keyEnum) {
        let rawValue: Swift.Int
      \(cases.joined(separator: "\n"))
      }
      """
  }

  private var identifier: String {
    let first = isRoot ? "" : "super.\(EmittedNames.storedCount) + "
    return """
      private \(nonisolated)func \(EmittedNames.identifier)(\
      _ key: \(EmittedNames.keyEnum)) -> Swift.Int {
        \(first)key.rawValue
      }
      """
  }

  private var storedCount: String {
    let own =
      isConditional
      ? "\(EmittedNames.keyEnum).\(EmittedNames.endKey).rawValue" : "\(model.tracked.count)"
    let override = isRoot ? "" : "override "
    let inherited = isRoot ? "" : "super.\(EmittedNames.storedCount) + "
    return """
      \(overridable)\(nonisolated)\(override)var \(EmittedNames.storedCount): \
      Swift.Int {
        \(inherited)\(own)
      }
      """
  }

  private func defineKeys(_ statements: [String]) -> String {
    let kind = isRoot ? (model.isFinal ? "static" : "class") : "override class"
    let inherited = isRoot ? [] : ["super.\(EmittedNames.defineKeys)(in: schema)"]
    let body = (inherited + statements).map { $0.indented(by: "  ") }.joined(separator: "\n")
    let block = body.isEmpty ? "{}" : "{\n\(body)\n}"
    // Only deprecated code mentions a deprecated property, and calls such a superclass's function, without a
    // warning.
    let isDeprecated =
      !isRoot || model.properties.contains(where: \.isDeprecated)
      || model.namedMethods.contains { $0.attributes.contains(where: \.isDeprecation) }
    let deprecation = isDeprecated ? "@available(*, deprecated) " : ""
    return """
      \(deprecation)\(overridable)\(kind) func \(EmittedNames.defineKeys)(
        in schema: \(EmittedNames.builderType)
      ) \(block)
      """
  }
}

/// Puts code under the `#if` conditions of the member that it concerns.
func conditional(_ code: String, under conditions: [String], else other: String? = nil) -> String {
  guard let all = conjunction(of: conditions) else { return code }
  return "#if \(all)\n\(code)\n" + (other.map { "#else\n\($0)\n" } ?? "") + "#endif"
}

/// The conditions under which none of the members with these conditions is compiled; nil if one always
/// is.
func absence(of members: [[String]]) -> [String]? {
  let conditions = members.compactMap(conjunction)
  return conditions.count == members.count ? conditions.map { "!(\($0))" } : nil
}

/// All conditions as one; nil if there are none.
func conjunction(of conditions: [String]) -> String? {
  let conditions = conditions.filter { !$0.isEmpty }
  guard conditions.count > 1 else { return conditions.first }
  return conditions.map { "(\($0))" }.joined(separator: " && ")
}
