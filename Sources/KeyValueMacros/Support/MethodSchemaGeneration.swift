import SwiftSyntax

/// Writes the statements for methods that Cocoa finds by name: validators, accessors, collection
/// accessors.
struct MethodSchemaGeneration {
  let model: ObservableClass

  var statements: [String] {
    let noncopyable = model.noncopyableTypes
    return model.namedMethods.compactMap { method in
      guard !method.isTypeMethod, !method.isGeneric, !method.isAsync, !method.isRestricted,
        method.isolation(apartFrom: model) == nil,
        method.declaration.signature.returnClause?.type.isNoncopyable(noncopyable) != true
      else { return nil }
      return statement(for: method).map { conditional($0, under: method.callConditions) }
    }
  }

  private func statement(for method: ObservableMethod) -> String? {
    if let coding = ownCoding(method) { return coding }
    if method.answersUndefinedKeys { return "schema.answerUndefinedKeys()" }
    if method.isThrowing { return validator(method) }
    if let shape = CollectionAccessorShape.of(method) {
      return schemaCall(
        model.key(forSuffix: shape.suffix), label: shape.label, method)
    }
    return validator(method) ?? plainAccessor(method)
  }

  /// `value(forKey:)` and `setValue(_:forKey:)`, which a class may declare to replace the
  /// library's.
  private func ownCoding(_ method: ObservableMethod) -> String? {
    let attempt = method.isThrowing ? "try " : ""
    if method.answersKeys {
      return
        "schema.ownValue { (object: \(model.name), key) in \(attempt)object.value(forKey: key) }"
    }
    guard method.takesKeys else { return nil }
    return """
      schema.ownSetValue { (object: \(model.name), value, key) in
        \(attempt)object.setValue(value, forKey: key)
      }
      """
  }

  /// `validateAge(_ value: inout Int) throws`.
  private func validator(_ method: ObservableMethod) -> String? {
    guard let suffix = method.name.suffix(after: "validate"), method.labels == ["_"],
      method.result == nil, let type = method.parameters.first?.type.trimmedDescription
    else { return nil }
    let key = model.key(forSuffix: suffix)
    let attempt = method.isThrowing ? "try " : ""
    if model.style == .cocoa, type.hasPrefix("AutoreleasingUnsafeMutablePointer<") {
      return """
        schema.pointerValidator(\(key.literal)) { (object: \(model.name), value: \(type)) in
          \(attempt)object.\(method.declaration.name.text)(value)
        }
        """
    }
    guard type.hasPrefix("inout ") else { return nil }
    return """
      schema.validator(\(key.literal)) { (object: \(model.name), value: \(type)) in
        \(attempt)object.\(method.declaration.name.text)(&value)
      }
      """
  }

  /// `getAge()`, `age()` and `isAge()`, if there is no property of that name.
  private func plainAccessor(_ method: ObservableMethod) -> String? {
    guard method.parameters.isEmpty, method.result != nil, method.isPlain,
      // Two that differ in their results are ambiguous.
      model.methods(method.name).filter({ $0.isCalled(like: method) }).count == 1,
      AccessLevel.stated(method.declaration.modifiers) != .private,
      !method.declaration.modifiers.contains(.override)
    else { return nil }
    for (prefix, label) in [("get", "get"), ("is", "is")] {
      if let suffix = method.name.suffix(after: prefix) {
        let key = model.key(forSuffix: suffix)
        if model.property(key) == nil { return schemaCall(key, label: label, method) }
      }
    }
    guard model.property(method.name) == nil, model.methods(method.name).count == 1 else {
      return nil
    }
    return schemaCall(method.name, label: "key", method)
  }

  private func schemaCall(_ key: String, label: String, _ method: ObservableMethod) -> String {
    let parameters = zip(["first", "second"], method.parameters).map { name, parameter in
      "\(name): \(parameter.type.trimmedDescription)"
    }
    let list = (["object: \(model.name)"] + parameters).joined(separator: ", ")
    let passed = zip(["first", "second"], method.labels).map { name, label in
      label == "_" ? name : "\(label): \(name)"
    }
    let discard = method.result != nil && isMutator(label) ? "_ = " : ""
    let body = "\(discard)object.\(method.declaration.name.text)(\(passed.joined(separator: ", ")))"
    let line = "schema.accessor(\(key.literal), \(label): { (\(list)) in \(body) })"
    guard line.count > 92 else { return line }
    return "schema.accessor(\(key.literal), \(label): { (\(list)) in\n  \(body)\n})"
  }

  private func isMutator(_ label: String) -> Bool {
    !["get", "key", "is", "count", "objectAt", "objectsAt", "enumerator"].contains(label)
  }
}

extension ObservableMethod {
  /// Whether an availability attribute keeps some code from calling the method.
  fileprivate var isRestricted: Bool { attributes.contains(where: \.isRestriction) }

  /// The attribute that isolates the method to a global actor, if its class doesn't have that attribute.
  func isolation(apartFrom model: ObservableClass) -> AttributeSyntax? {
    attributes.first { $0.isGlobalActor && $0.plainName != model.globalActor?.plainName }
  }

  /// Whether a call without arguments, in code that doesn't suspend, may mean this method as well as another of
  /// the same name.
  fileprivate func isCalled(like other: ObservableMethod) -> Bool {
    parameters.isEmpty && !isTypeMethod && !isAsync && !isGeneric && conditions == other.conditions
      && !attributes.contains(where: \.isUnavailability)
  }
}
