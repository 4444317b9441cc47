import SwiftSyntax

/// Writes the statements that describe a class's keys to the schema builder.
struct SchemaGeneration {
  let model: ObservableClass
  var isTracking = false

  var statements: [String] {
    annotation + properties + hooks + names + MethodSchemaGeneration(model: model).statements
      + model.reflection
  }

  /// What only the class's own declaration tells: that it's final, or that it has the macro, which no key
  /// shows.
  private var annotation: [String] {
    if model.isFinal { return ["schema.annotated(\(model.name).self, isFinal: true)"] }
    let hasKey = model.properties.contains { $0.isKey && $0.conditions.isEmpty }
    return hasKey ? [] : ["schema.annotated(\(model.name).self)"]
  }

  private var properties: [String] {
    model.properties.flatMap { property in
      [
        statement(for: property), tracking(of: property), manualNotification(of: property),
        adjustment(of: property), announcement(of: property), restriction(of: property),
        privacy(of: property), completeness(of: property), redaction(of: property),
      ].compactMap { statement in
        statement.map { conditional($0, under: property.conditions) }
      }
    }
  }

  /// The access level of a setter that's less visible than its getter; only rollback then calls the
  /// setter.
  ///
  /// Cocoa has no access levels: there, key-value coding sets any `dynamic` property.
  private func restriction(of property: ObservableProperty) -> String? {
    guard property.isKey, case .restricted(let level) = property.setter,
      model.style != .cocoa || !property.declaration.isDynamic
    else { return nil }
    return "schema.restrictedSetter(\(property.name.literal), to: \("\(level)".literal))"
  }

  /// The access level that keeps strings from reaching the property.
  ///
  /// Cocoa has none.
  private func privacy(of property: ObservableProperty) -> String? {
    guard property.isKey, model.style != .cocoa,
      let level = AccessLevel.stated(property.declaration.modifiers), level <= .fileprivate
    else { return nil }
    return "schema.restrictedAccess(\(property.name.literal), to: \("\(level)".literal))"
  }

  /// Whether traces leave the value out.
  private func redaction(of property: ObservableProperty) -> String? {
    guard property.isKey, property.isRedacted else { return nil }
    return "schema.redacted(\(property.name.literal))"
  }

  /// For the audit of debug builds: whether a computed property has `@DependsOn()`, or needs no
  /// source.
  private func completeness(of property: ObservableProperty) -> String? {
    if case .constant = property.kind, model.announces(property.name) {
      return "schema.completeDependencies(of: \(property.name.literal))"
    }
    guard property.isKey, property.isComputed else { return nil }
    let isComplete =
      if let declared = DeclaredDependencies(property) {
        declared.attributes.contains(where: \.hasNoArguments)
      } else {
        needsNoSource(property)
      }
    return isComplete ? "schema.completeDependencies(of: \(property.name.literal))" : nil
  }

  private func needsNoSource(_ property: ObservableProperty) -> Bool {
    // Cocoa's classes have no other mark for a key that they announce by hand.
    if model.style == .cocoa, model.announces(property.name) { return true }
    guard !property.hasSetter, !property.notifiesManually,
      !model.statesDependencies(of: property)
    else { return false }
    let inference = DependencyInference(model: model).dependencies(of: property)
    return inference.isConstant || inference.paths.isEmpty && model.announces(property.name)
  }

  /// The statement that adds the key; at run time only on systems that have the property.
  private func statement(for property: ObservableProperty) -> String? {
    guard let addition = addition(of: property) else { return nil }
    // The compiler rejects a stored property that a system lacks.
    let own = model.attributes.compactMap(\.conditionAtRunTime)
    let conditions = property.attributes.compactMap(\.conditionAtRunTime)
      .filter { !own.contains($0) }
    guard property.binding.isComputed, !conditions.isEmpty else { return addition }
    return """
      if \(conditions.joined(separator: ", ")) {
      \(addition.indented(by: "  "))
      }
      """
  }

  private func addition(of property: ObservableProperty) -> String? {
    let name = property.spelling
    let keyPath = "\\\(model.name).\(name)"
    var arguments = [property.name.literal, keyPath]
    switch property.kind {
    case .tracked, .manual, .constant:
      if let ownership = property.ownership { arguments.append("ownership: .\(ownership)") }
    case .computed:
      let inferred =
        model.announcesAll(property)
        ? [] : DependencyInference(model: model).dependencies(of: property).paths
      if !inferred.isEmpty { arguments.append("inferred: \(literal(inferred))") }
    case .observingOverride:
      guard DeclaredDependencies(property) != nil || property.notifiesManually else {
        // In a final class, a key path to it differs from one to the superclass's.
        return call("schema.override", arguments)
      }
    case .ignored:
      return property.isOverride ? call("schema.ignoredOverride", [property.name.literal]) : nil
    case .refused: return nil
    }
    if let declared = DeclaredDependencies(property) {
      if !declared.strings.isEmpty { arguments.append("declared: \(literal(declared.strings))") }
      if !declared.keyPaths.isEmpty { arguments.append("checked: \(literal(declared.keyPaths))") }
    }
    if property.isComputed || property.isObservingOverride, property.notifiesManually {
      arguments.append("notifiesManually: true")
    }
    arguments.append("get: { $0.\(name) }")
    let storage = EmittedNames.storage(of: property.name)
    // Such a setter only sets the storage and announces the change.
    let isPlain = property.isTracked && !isTracking && !model.mayOverride(property)
    if property.hasSetter, !isPlain {
      arguments.append(
        property.mayLackSetter
          ? "set: schema.setter(of: \(keyPath))" : "set: { $0.\(name) = $1 }")
    }
    if property.isTracked {
      if model.mayOverride(property) { arguments.append("load: { $0.\(storage) }") }
      arguments.append("store: { $0.\(storage) = $1 }")
      // A proxy's changes to the storage don't notify Observation.
      if property.isSettable, property.binding.isVisiblyCollection, !isTracking {
        arguments.append("modify: { $1(&$0.\(storage)) }")
      }
    }
    let method = model.isSilent(property) ? "silent" : property.builderMethod
    return call("schema.\(method)", arguments)
  }

  /// The statement that makes stores without the accessors notify Observation, as the accessors do.
  private func tracking(of property: ObservableProperty) -> String? {
    guard isTracking, property.isTracked, !property.notifiesManually else { return nil }
    let keyPath = "\\.\(property.spelling)"
    let registrar = model.declaration.trackingName
    return """
      schema.tracking(of: \(property.name.literal), in: \(model.name).self) {
        $0.\(registrar).willSet($0, \(keyPath))
        $1()
        $0.\(registrar).didSet($0, \(keyPath))
      }
      """
  }

  /// The statement that keeps the accessors that the macro writes from announcing anything.
  private func manualNotification(of property: ObservableProperty) -> String? {
    guard property.isTracked, property.notifiesManually else { return nil }
    return "schema.notifiesManually(\(property.name.literal))"
  }

  /// The statement that makes changes report the value that `willSet` and `didSet` leave.
  private func adjustment(of property: ObservableProperty) -> String? {
    guard property.isTracked, !property.observers.isEmpty, !model.isSilent(property) else {
      return nil
    }
    return "schema.mayAdjust(\(property.name.literal))"
  }

  /// The statement that makes a set by key announce what the setter doesn't.
  private func announcement(of property: ObservableProperty) -> String? {
    guard model.style == .cocoa, property.isComputed, property.hasSetter, !property.notifiesManually
    else { return nil }
    let setter =
      if model.announcesItself(property),
        !property.declaration.modifiers.contains(where: \.isPrivate)
      {
        ", setter: .eachSet"
      } else if property.setsSuper {
        model.announcesByName(property.name)
          ? ", setter: .superclassAndByHand" : ", setter: .superclass"
      } else {
        ""
      }
    return "schema.announceByKey(\(property.name.literal)\(setter))"
  }

  /// The per-key class functions, found by name.
  private var hooks: [String] {
    // An error of its own is at those.
    let refused = model.typesOfKeysAsObjects
    return model.namedMethods.compactMap { method in
      guard method.isTypeMethod, method.parameters.isEmpty, method.effects == nil,
        !method.isGeneric, refused[method.name] == nil
      else { return nil }
      return hook(method.name, "()").map { conditional($0, under: method.callConditions) }
    }
      + model.customisingProperties.filter { refused[$0] == nil }.compactMap { hook($0, "") }
  }

  /// The keys that a Cocoa class only names.
  private var names: [String] {
    guard model.style == .cocoa else { return [] }
    let keys = model.namedKeys
    let anyKey = model.announcements.hasUnseenKey ? ["schema.namesAnyKey()"] : []
    return (keys.isEmpty ? [] : ["schema.named(\(literal(keys)))"]) + anyKey
  }

  private func hook(_ name: String, _ call: String) -> String? {
    for (prefix, builder) in zip(
      ObservableClass.customisations, ["dependencies", "automaticNotification"])
    {
      guard let suffix = name.suffix(after: prefix) else { continue }
      return """
        schema.\(builder)(of: \(model.key(forSuffix: suffix).literal), in: \(model.name).self) {
          $0.\(name)\(call)
        }
        """
    }
    return nil
  }
}

extension ObservableProperty {
  fileprivate var isObservingOverride: Bool {
    if case .observingOverride = kind { true } else { false }
  }

  /// Whether only the compiler knows that the property can be set: its wrapper may be read only.
  fileprivate var mayLackSetter: Bool {
    if case .manual = kind { attributes.wrapper != nil } else { false }
  }

  /// The schema builder's method for this kind of property.
  fileprivate var builderMethod: String {
    switch kind {
    case .tracked: "stored"
    case .manual: "manual"
    case .constant: "constant"
    default: isOverride ? "override" : "computed"
    }
  }
}

extension AttributeSyntax {
  fileprivate var hasNoArguments: Bool {
    guard case .argumentList(let arguments) = arguments else { return true }
    return arguments.isEmpty
  }
}

/// An array literal of string literals.
func literal(_ strings: [String]) -> String {
  "[" + strings.map(\.literal).joined(separator: ", ") + "]"
}

/// A call on one line if it fits, otherwise with the key's facts on one line and the closures on the next;
/// closures that bypass the accessors get lines of their own if the line is still too long.
func call(_ function: String, _ arguments: [String]) -> String {
  let line = "\(function)(\(arguments.joined(separator: ", ")))"
  guard line.count > 92 else { return line }
  let closures = arguments.firstIndex { $0.hasPrefix("get: ") } ?? arguments.endIndex
  var parts = [arguments[..<closures], arguments[closures...]]
  if parts[0].joined(separator: ", ").count > 92 {
    parts = [arguments[..<2], arguments[2..<closures], arguments[closures...]]
  }
  for label in ["load: ", "store: ", "modify: "] {
    let last = parts[parts.count - 1]
    guard last.joined(separator: ", ").count > 92,
      let split = last.firstIndex(where: { $0.hasPrefix(label) })
    else { continue }
    parts[parts.count - 1] = last[..<split]
    parts.append(last[split...])
  }
  let lines = parts.filter { !$0.isEmpty }.map { "  " + $0.joined(separator: ", ") }
  return "\(function)(\n\(lines.joined(separator: ",\n")))"
}
