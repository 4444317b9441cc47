import SwiftSyntax

/// Writes the statement that lets a log make the class's objects: where `init()` is certain to exist.
struct InitializerSchemaGeneration {
  let model: ObservableClass
  /// Whether no superclass has the macro; one without it is recognised by its name.
  let isRoot: Bool

  var statements: [String] {
    guard !hasConditionalInitializer else { return [] }
    let name = model.name
    if let initializer = called {
      guard initializer.attributes.isEmpty, initializer.signature.effectSpecifiers == nil else {
        return []
      }
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

  /// The initialiser that a call without arguments means; nil if there is none, or several are ambiguous.
  private var called: InitializerDeclSyntax? {
    let callable = model.initializers.filter { initializer in
      initializer.takesNoArguments
        && !initializer.attributes.all(in: model.active).contains(where: \.isUnavailability)
    }
    guard callable.count > 1 else { return callable.first }
    // Swift prefers fewer parameters, and of as many those without a variadic one. A variadic one
    // with fewer is ambiguous beside others.
    let fewest = callable.map(\.parameters.count).min()
    let preferred = callable.filter { initializer in
      initializer.parameters.count == fewest
        && initializer.parameters.allSatisfy { $0.ellipsis == nil }
    }
    return preferred.count == 1 ? preferred.first : nil
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
  fileprivate var parameters: FunctionParameterListSyntax { signature.parameterClause.parameters }

  /// Whether a call without arguments may mean it, in code that doesn't suspend and wants no optional, whatever the
  /// class's own generic arguments are.
  fileprivate var takesNoArguments: Bool {
    parameters.allSatisfy { $0.defaultValue != nil || $0.ellipsis != nil }
      && optionalMark == nil && signature.effectSpecifiers?.asyncSpecifier == nil
      && genericParameterClause == nil
      && genericWhereClause == nil
  }
}
