import SwiftSyntax

// What becomes of properties and methods.
extension FilePorting {
  func superclassOfScope(_ node: VariableDeclSyntax) -> String? {
    var parent = node.parent
    while let current = parent {
      if let declaration = current.as(ClassDeclSyntax.self) { return declaration.superclassName }
      parent = current.parent
    }
    return nil
  }

  /// Gives each property of `dynamic var x = 0, y = 0` a declaration of its own.
  func split(_ node: VariableDeclSyntax) {
    guard node.bindings.count > 1 else { return }
    guard node.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) }) else {
      return remark(node, "a dynamic property in a pattern: declare each property by itself")
    }
    let modifiers = node.modifiers.map { $0.trimmedDescription + " " }.joined()
    let start = "\n\(node.leadingTrivia.indentation)\(modifiers)var "
    let bindings = Array(node.bindings)
    for (index, binding) in bindings.enumerated().dropLast() {
      guard let comma = binding.trailingComma else { continue }
      let next = bindings[index + 1]
      // `var a, b: Int` gives both the type.
      var type = ""
      if binding.typeAnnotation == nil, binding.initializer == nil {
        type = bindings[index...].lazy.compactMap(\.typeAnnotation).first?.trimmedDescription ?? ""
      }
      replace(
        .splits, comma.positionAfterSkippingLeadingTrivia,
        next.positionAfterSkippingLeadingTrivia, by: type + start)
    }
  }

  /// Gives a method the name by which Cocoa's key-value coding finds it.
  func rename(_ node: FunctionDeclSyntax) {
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    guard let selector = node.attributes.objectiveCSelector.flatMap(AccessorSelector.init) else {
      return
    }
    let parameters = node.signature.parameterClause.parameters
    let labels = selector.labels(parameters.count)
    let isNamed =
      node.name.text == selector.baseName && parameters.map(\.firstName.text) == labels
    guard !isNamed, labels.count == parameters.count else { return }
    replace(.selectors, node.name, by: selector.baseName)
    for (parameter, label) in zip(parameters, labels) {
      let inner = (parameter.secondName ?? parameter.firstName).text
      let end = (parameter.secondName ?? parameter.firstName).endPositionBeforeTrailingTrivia
      replace(
        .selectors, parameter.firstName.positionAfterSkippingLeadingTrivia, end,
        by: label == inner ? label : "\(label) \(inner)")
    }
  }

  func checkOptional(_ modifiers: DeclModifierListSyntax, _ node: some SyntaxProtocol) {
    guard let modifier = modifiers.first(named: "optional") else { return }
    remark(
      modifier,
      "an optional requirement: implement it in an extension of the protocol, and remove 'optional'"
    )
  }
}
