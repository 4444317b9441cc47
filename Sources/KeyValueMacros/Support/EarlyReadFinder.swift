import SwiftSyntax

/// Finds the properties that an initialiser reads, or changes in place, while its object may be incomplete.
///
/// There, Swift allows the uses of stored properties, but no accessor except the one that gives a property its first
/// value.
final class EarlyReadFinder: OwnCodeVisitor {
  private let properties: Set<String>
  private let parameters: Set<String>
  private var found: Set<String> = []

  private init(properties: Set<String>, parameters: Set<String>) {
    self.properties = properties
    self.parameters = parameters
    super.init(viewMode: .sourceAccurate)
  }

  /// The tracked properties that are used so, in the order of their declarations.
  static func properties(
    usedIn statements: CodeBlockItemListSyntax, of body: InitializerBody, in model: ObservableClass
  ) -> [String] {
    guard !body.isComplete, !body.isObservableFromStart else { return [] }
    let tracked = model.tracked.map(\.name)
    let finder = EarlyReadFinder(properties: Set(tracked), parameters: body.parameters)
    var missing = model.properties.filter { !$0.hasInitialValue }.map(\.name)
    for item in statements {
      finder.walk(item)
      // Code that uses the whole object, such as a call of `super.init`, runs when its own properties have values.
      if body.usesSelf(item) { break }
      missing.removeAll { name in
        let isShadowed = body.parameters.contains(name)
        return item.item.as(ExprSyntax.self)?.change(of: name, isShadowed: isShadowed) == .whole
      }
      if missing.isEmpty, model.isPlainlyRoot { break }
    }
    return tracked.filter(finder.found.contains)
  }

  private func isProperty(_ name: String, at place: some SyntaxProtocol) -> Bool {
    properties.contains(name) && !parameters.contains(name) && !place.isLocal(name)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.base?.isSelf == true else { return .visitChildren }
    let name = node.declName.baseName.plainName
    if properties.contains(name), !ExprSyntax(node).isAssigned { found.insert(name) }
    return .skipChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.plainName
    if !node.isMember, isProperty(name, at: node), !ExprSyntax(node).isAssigned {
      found.insert(name)
    }
    return .visitChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    // `if let age` reads `age`.
    for name in node.pattern.boundNames.map(\.plainName)
    where node.initializer == nil && isProperty(name, at: node) {
      found.insert(name)
    }
    return .visitChildren
  }

  // MARK: Code that isn't rewritten

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ExprSyntax {
  /// Whether `=` gives the expression's place a value, without reading it.
  fileprivate var isAssigned: Bool {
    if let outer = parent?.as(ExprSyntax.self), outer.marked?.id == id { return outer.isAssigned }
    if let infix = parent?.as(InfixOperatorExprSyntax.self) {
      return infix.leftOperand.id == id && infix.operator.is(AssignmentExprSyntax.self)
    }
    guard let list = parent?.as(ExprListSyntax.self), list.first?.id == id else { return false }
    return list.dropFirst().first?.is(AssignmentExprSyntax.self) == true
  }
}
