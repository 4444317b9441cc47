import SwiftSyntax

/// Writes the statement that lets a log make the class's objects: where `init()` is certain to exist.
struct InitializerSchemaGeneration {
  let model: ObservableClass
  /// Whether no superclass has the macro; one without it is recognised by its name.
  let isRoot: Bool

  var statements: [String] {
    guard !hasConditionalInitializer else { return [] }
    let name = model.name
    let callable = model.initializers.filter(\.takesNoArguments)
    // Swift prefers the one without parameters; without that one, several are ambiguous.
    let exact = callable.first(where: \.signature.parameterClause.parameters.isEmpty)
    if let initializer = exact ?? callable.first {
      guard exact != nil || callable.count == 1, initializer.attributes.isEmpty,
        initializer.isPlain
      else { return [] }
      let isRequired = initializer.modifiers.contains { $0.name.text == "required" }
      return isRequired
        ? ["schema.requiredInitializer(of: \(name).self) { $0.init() }"]
        : ["schema.initializer(of: \(name).self) { \(name)() }"]
    }
    guard model.initializers.isEmpty, isRoot, model.isPlainlyRoot,
      model.properties.allSatisfy(\.hasInitialValue)
    else { return [] }
    return ["schema.initializer(of: \(name).self) { \(name)() }"]
  }

  private var hasConditionalInitializer: Bool {
    model.declaration.memberBlock.members.contains { member in
      guard let clauses = member.decl.as(IfConfigDeclSyntax.self) else { return false }
      return clauses.tokens(viewMode: .sourceAccurate).contains {
        $0.tokenKind == .keyword(.`init`)
      }
    }
  }
}

extension InitializerDeclSyntax {
  fileprivate var takesNoArguments: Bool {
    signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil || $0.ellipsis != nil }
  }

  /// Whether it neither fails, throws nor suspends, isn't generic, and is there whatever the class's own generic
  /// arguments are.
  fileprivate var isPlain: Bool {
    optionalMark == nil && signature.effectSpecifiers == nil && genericParameterClause == nil
      && genericWhereClause == nil
  }
}
