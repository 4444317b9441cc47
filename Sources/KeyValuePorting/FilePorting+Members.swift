import SwiftSyntax

// What becomes of properties and methods.
extension FilePorting {
  func superclassOfScope(_ node: VariableDeclSyntax) -> String? {
    node.ancestors.lazy.compactMap { $0.as(ClassDeclSyntax.self) }.first?.superclassName
  }

  /// Gives each property of `dynamic var x = 0, y = 0` a declaration of its own.
  func split(_ node: VariableDeclSyntax) {
    guard node.bindings.count > 1 else { return }
    guard node.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) }) else {
      return remark(node, "a dynamic property in a pattern: declare each property by itself")
    }
    let attributes = node.attributes.filter { $0.as(AttributeSyntax.self)?.isRemoved != true }
    let prefixes = attributes.map(\.trimmedDescription) + node.modifiers.map(\.trimmedDescription)
    let start = "\n\(node.leadingTrivia.indentation)\(prefixes.joined(separator: " ")) var "
    let bindings = Array(node.bindings)
    for (index, binding) in bindings.enumerated().dropLast() {
      guard let comma = binding.trailingComma else { continue }
      let next = bindings[index + 1]
      // `var a, b: Int` gives both the type.
      var type = ""
      if binding.typeAnnotation == nil, binding.initializer == nil {
        type = bindings[index...].lazy.compactMap(\.typeAnnotation).first?.trimmedDescription ?? ""
      }
      let comments = comma.trailingTrivia + next.leadingTrivia
      if comments.contains(where: \.isComment) {
        type +=
          Trivia(pieces: comments.reversed().drop(while: \.isWhitespace).reversed()).description
      }
      replace(
        .splits, comma.positionAfterSkippingLeadingTrivia,
        next.positionAfterSkippingLeadingTrivia, by: type + start)
    }
  }

  /// Gives a method the name by which Cocoa's key-value coding finds it, and an override that of what it overrides.
  func rename(_ node: FunctionDeclSyntax) {
    guard let type = ownType, scopes.last?.isFunction == false else { return }
    let inherited = classes.members.newNames(
      of: node.fullName, in: type, parameters: node.parameterTypes)
    guard let selector = node.newSelector ?? inherited.only else { return }
    let parameters = node.signature.parameterClause.parameters
    let labels = selector.labels(parameters.count)
    guard labels.count == parameters.count else { return }
    replace(.selectors, node.name, by: selector.baseName)
    for (parameter, label) in zip(parameters, labels) {
      let inner = (parameter.secondName ?? parameter.firstName).text
      guard label != parameter.firstName.text else { continue }
      let end = (parameter.secondName ?? parameter.firstName).endPositionBeforeTrailingTrivia
      replace(
        .selectors, parameter.firstName.positionAfterSkippingLeadingTrivia, end,
        by: label == inner ? label : "\(label) \(inner)")
    }
  }

  /// Gives optional requirements a default that does nothing.
  func replaceOptionals(_ node: ProtocolDeclSyntax) {
    let methods = node.declarations.compactMap { $0.as(FunctionDeclSyntax.self) }
      .filter(\.isReplaceable)
    if methods.isEmpty || !node.isReplaceable { return }
    let access = ["public ", "package "].first { node.modifiers.has(String($0.dropLast())) } ?? ""
    // What the signatures have to list is listed where they stand.
    let listed = remarks
    defer { remarks = listed }
    var text = "\n\nextension \(node.name.text) {"
    for method in methods {
      if let modifier = method.modifiers.first(named: "optional") { remove(.optionals, modifier) }
      let signature = ported(method.signature)
      let kind = method.modifiers.isOfType ? "static func" : "func"
      text += "\n  \(access)\(kind) \(method.name.text)\(signature) "
      text += method.returnsOptional ? "{ nil }" : "{}"
    }
    insert(.optionals, text + "\n}", at: node.endPositionBeforeTrailingTrivia)
  }

  /// An implementation that isn't the protocol's, because a superclass conforms to it with the default.
  func checkImplementation(_ node: FunctionDeclSyntax) {
    guard let type = ownType, scopes.last?.isFunction == false,
      !node.modifiers.has("override"), !node.modifiers.isOfType,
      let superclass = classes.superclass(of: type),
      classes.members.isOptional(node.fullName, in: superclass)
    else { return }
    remark(
      node,
      "'\(node.fullName)' isn't called through its protocol: '\(superclass)' conforms to that, and has the default "
        + "of the requirement; declare the method in the class that conforms, and override it")
  }

  /// A method that's read by key, by a name that only Objective-C has for it.
  func checkGetterName(_ node: FunctionDeclSyntax) {
    guard node.signature.parameterClause.parameters.isEmpty, !node.returnsNothing,
      !node.modifiers.isOfType, !node.isInLeftProtocol,
      // A selector with a colon takes an argument, as that of a method that throws does.
      let selector = node.attributes.objectiveCSelector, !selector.contains(":"),
      selector != node.name.text, AccessorSelector(selector) == nil
    else { return }
    remark(
      node,
      "key-value coding finds '\(node.fullName)' as '\(selector)': name the method so if its key is read"
    )
  }

  /// An order that Cocoa finds by its selector.
  func checkComparison(_ node: FunctionDeclSyntax) {
    guard let scope = scopes.last, scope.isObserved, let type = scope.name,
      node.fullName == "compare(_:)", !node.modifiers.isOfType,
      node.signature.returnClause?.type.trimmedDescription == "ComparisonResult",
      !classes.members.inherits(type, from: ["Comparable"])
    else { return }
    remark(
      node,
      "sort descriptors, predicates and operators don't call 'compare(_:)' of '\(type)': conform '\(type)' to "
        + "Comparable, in the same order")
  }

  func checkOptional(_ modifiers: DeclModifierListSyntax, _ node: some SyntaxProtocol) {
    guard let modifier = modifiers.first(named: "optional") else { return }
    remark(
      modifier,
      "an optional requirement with a value: give it a default in an extension of the protocol, and remove "
        + "'optional'; until then the protocol stays as it is"
    )
  }
}
