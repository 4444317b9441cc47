import SwiftSyntax

/// What the files declare with `NSObject`, by name: a value that's handed to it has to be FoundationKVO's.
struct ObjectTable {
  /// The parameters that take one, by the function's name or the type's: labels, and the places of those without.
  private var parameters: [String: Set<String>] = [:]
  /// The functions that are declared at all.
  private var functions: Set<String> = []
  private var variables: Set<String> = []

  mutating func collect(_ file: SourceFileSyntax) {
    let collector = Collector(viewMode: .sourceAccurate)
    collector.walk(file)
    parameters.merge(collector.table.parameters) { $0.union($1) }
    functions.formUnion(collector.table.functions)
    variables.formUnion(collector.table.variables)
  }

  func declares(_ function: String) -> Bool { functions.contains(function) }

  /// Whether a variable of this name is declared with `NSObject`.
  func holds(_ variable: String) -> Bool { variables.contains(variable) }

  /// Whether a function of this name takes an `NSObject` as one of its arguments.
  func takes(_ argument: LabeledExprSyntax, _ function: String) -> Bool {
    guard let taken = parameters[function],
      let list = argument.parent?.as(LabeledExprListSyntax.self)
    else { return false }
    if let label = argument.label?.text { return taken.contains(label) }
    let place = list.prefix { $0.id != argument.id }.count { $0.label == nil }
    return taken.contains("\(place)")
  }

  private mutating func add(
    _ function: String, _ parameters: [(label: String?, takesObject: Bool)]
  ) {
    functions.insert(function)
    var place = 0
    for (label, takesObject) in parameters {
      if takesObject { self.parameters[function, default: []].insert(label ?? "\(place)") }
      if label == nil { place += 1 }
    }
  }

  private final class Collector: SyntaxVisitor {
    var table = ObjectTable()

    private func add(
      _ name: String, _ clause: FunctionParameterClauseSyntax,
      _ generics: GenericParameterClauseSyntax?
    ) {
      let names = generics?.parameters.filter { $0.inheritedType?.namesObject() == true } ?? []
      let types = Set(names.map(\.name.text))
      table.add(
        name,
        clause.parameters.map { parameter in
          let label = parameter.firstName.text
          return (label == "_" ? nil : label, parameter.type.namesObject(or: types))
        })
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      add(node.name.text, node.signature.parameterClause, node.genericParameterClause)
      return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
      if let type = node.nameOfOuterType {
        add(type, node.signature.parameterClause, node.genericParameterClause)
      }
      return .visitChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
      let parameters = node.parameterClause?.parameters.map { parameter in
        (parameter.firstName?.text, parameter.type.namesObject())
      }
      table.add(node.name.text, parameters ?? [])
      return .visitChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
      guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let type = node.typeAnnotation?.type
      else { return .visitChildren }
      if let function = type.function {
        table.add(name, function.parameters.map { (nil, $0.type.namesObject()) })
      } else if type.namesObject() {
        table.variables.insert(name)
        // A structure's own initialiser.
        if let type = node.nameOfOuterType { table.add(type, [(name, true)]) }
      }
      return .visitChildren
    }
  }
}

extension TypeSyntax {
  /// Whether `NSObject`, which isn't Foundation's, or another of these names is a part of the type.
  func namesObject(or names: Set<String> = []) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { token in
      (token.text == "NSObject" || names.contains(token.text))
        && (token.parent?.is(IdentifierTypeSyntax.self) == true
          || token.parent?.trimmedDescription == "FoundationKVO.NSObject")
    }
  }

  /// The function that a value of the type is, which may be optional, escaping or in parentheses.
  fileprivate var function: FunctionTypeSyntax? {
    if let function = self.as(FunctionTypeSyntax.self) { return function }
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.function }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.function }
    guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 else { return nil }
    return tuple.elements.first?.type.function
  }
}

extension SyntaxProtocol {
  /// The name of the type in whose body or extension this is, outside of its functions.
  fileprivate var nameOfOuterType: String? {
    ancestors.prefix { !$0.is(CodeBlockSyntax.self) }.lazy.compactMap(\.nameAsType).first
  }
}
