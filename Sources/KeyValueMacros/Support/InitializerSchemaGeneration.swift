import SwiftSyntax

/// Writes the statement that lets a log make the class's objects: where `init()` is certain to exist.
struct InitializerSchemaGeneration {
  let model: ObservableClass
  /// Whether no superclass has the macro; one without it is recognised by its name.
  let isRoot: Bool

  var statements: [String] {
    guard !hasConditionalInitializer else { return [] }
    let name = model.name
    if let initializer = model.initializers.first(where: \.takesNoArguments) {
      guard initializer.attributes.isEmpty, initializer.isPlain else { return [] }
      let isRequired = initializer.modifiers.contains { $0.name.text == "required" }
      return isRequired
        ? ["schema.requiredInitializer(of: \(name).self) { $0.init() }"]
        : ["schema.initializer(of: \(name).self) { \(name)() }"]
    }
    guard model.initializers.isEmpty, isRoot, hasNoOtherSuperclass,
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

  /// Names of protocols, behind which no superclass can be.
  private static let protocols: Set<String> = [
    "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible",
    "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Error", "Hashable",
    "Identifiable", "KeyValueObservable", "KeyValueObserver", "ObservableObject", "Sendable",
  ]

  private var hasNoOtherSuperclass: Bool {
    model.declaration.inheritanceClause?.inheritedTypes.allSatisfy { inherited in
      inherited.type.protocolNames.allSatisfy { name in
        name.split(separator: ".").last.map { Self.protocols.contains(String($0)) } ?? false
      }
    } ?? true
  }
}

extension InitializerDeclSyntax {
  fileprivate var takesNoArguments: Bool {
    signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
  }

  /// Whether it neither fails, throws nor suspends, and isn't generic.
  fileprivate var isPlain: Bool {
    optionalMark == nil && signature.effectSpecifiers == nil && genericParameterClause == nil
  }
}

extension ObservableProperty {
  /// Whether an object needs no argument for the property; computed ones don't.
  fileprivate var hasInitialValue: Bool {
    if binding.isComputed || binding.initializer != nil { return true }
    guard !declaration.isLet, let type = binding.typeAnnotation?.type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}
