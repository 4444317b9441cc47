import SwiftSyntax

/// One method of an observable class.
struct ObservableMethod {
  let declaration: FunctionDeclSyntax
  let attributes: [AttributeSyntax]
  /// The conditions of the `#if` clauses around the method, outermost first.
  let conditions: [String]
  var style = ObservableStyle.swift

  var name: String { declaration.name.plainName }
  var isTypeMethod: Bool { declaration.modifiers.isTypeMember }
  /// Whether the method has generic parameters, or is one only for some arguments of the class's.
  var isGeneric: Bool {
    declaration.genericParameterClause != nil || declaration.genericWhereClause != nil
  }

  var parameters: [FunctionParameterSyntax] {
    Array(declaration.signature.parameterClause.parameters)
  }

  /// The argument labels; "_" for none.
  var labels: [String] { parameters.map { $0.firstName.plainName } }

  /// The type that the method returns; nil if none.
  var result: String? {
    let type = declaration.signature.returnClause?.type.trimmedDescription
    return type == "Void" || type == "()" || type == "Swift.Void" ? nil : type
  }

  var effects: FunctionEffectSpecifiersSyntax? { declaration.signature.effectSpecifiers }
  var isAsync: Bool { effects?.asyncSpecifier != nil }
  var isThrowing: Bool { effects?.throwsClause != nil }

  /// The conditions under which code can call the method, outermost first.
  var callConditions: [String] { conditions + attributes.compactMap(\.conditionOfAvailability) }

  /// The parameter that keeps the method from being an accessor, because no closure in place of the method takes
  /// it: `sending Item`.
  var unusableParameter: String? {
    parameters.lazy.map { $0.type.trimmedDescription + ($0.ellipsis?.text ?? "") }.first { type in
      type.hasSuffix("...") || ["some ", "inout ", "sending "].contains(where: type.hasPrefix)
    }
  }

  /// Whether the macro finds the method by name: not if it has `@KeyValueIgnored`, or no code can
  /// call it.
  var isFoundByName: Bool {
    !attributes.contains { $0.plainName == EmittedNames.ignoredAttribute || $0.isUnavailability }
  }

  /// Whether the method can implement a key: an instance method that isn't generic and has no
  /// effects.
  var isPlain: Bool { !isTypeMethod && !isGeneric && effects == nil }
}
