import SwiftSyntax

// What follows a declaration that gets another name.
extension FilePorting {
  /// Whose method a name means.
  enum Owner {
    case type(String)
    /// The names are another type's, or lead to none.
    case none
    /// What the name is called on, whose type isn't visible.
    case unknown(ExprSyntax)
  }

  /// The type that has the member of a name: `insert`, `self.insert`, `folder.insert`, `Folder.insert`.
  func owner(of callee: ExprSyntax) -> Owner {
    if let reference = callee.as(DeclReferenceExprSyntax.self) {
      if isLocal(reference.baseName.text) { return .none }
      guard let ownType else { return .none }
      return classes.members.isAmbiguous(ownType) ? .unknown(callee) : .type(ownType)
    }
    guard let base = callee.as(MemberAccessExprSyntax.self)?.base else { return .none }
    let type = valueType(of: base)
    if type.isCollection { return .none }
    switch type.content {
    case .named(let written):
      let name = callee.bound(of: written) ?? written
      return classes.members.isAmbiguous(name) ? .unknown(base) : .type(name)
    case .plain, .anyObject, .task, .proxy: return .none
    case .unknown:
      return base.typeName.map(Owner.type) ?? .unknown(base)
    }
  }

  /// Renames a call of a method that gets Cocoa's name, or lists it.
  func renameCall(_ node: FunctionCallExprSyntax, _ labels: String) {
    let callee = node.calledExpression.as(OptionalChainingExprSyntax.self)?.expression
    let called = callee ?? node.calledExpression
    guard let name = called.calledToken else { return }
    let method = "\(name.text)(\(labels))"
    guard !classes.members.types(renaming: method).isEmpty else { return }
    let arguments = node.arguments.map { valueType(of: $0.expression) }
    switch owner(of: called) {
    case .none: return
    case .unknown(let base): listRenamed(method, base, arguments)
    case .type(let type):
      guard let selector = newName(of: method, in: type, called, arguments) else { return }
      replace(.selectors, name, by: selector.baseName)
      for (argument, label) in zip(node.arguments, selector.labels(node.arguments.count))
      where label != argument.label?.text ?? "_" {
        let start = argument.positionAfterSkippingLeadingTrivia
        let end = argument.expression.positionAfterSkippingLeadingTrivia
        replace(.selectors, start, end, by: label == "_" ? "" : "\(label): ")
      }
    }
  }

  /// Renames a method that's named and not called, `insert(_:at:)`; lists it where labels are missing.
  func renameReference(_ node: DeclReferenceExprSyntax) {
    let whole = node.parent?.as(MemberAccessExprSyntax.self).map(ExprSyntax.init)
    if node.parent?.is(KeyPathPropertyComponentSyntax.self) == true { return }
    let expression = whole ?? ExprSyntax(node)
    let owner = owner(of: expression)
    guard let names = node.argumentNames?.arguments else {
      guard !expression.isCalled, case .type(let type) = owner,
        classes.members.value(of: node.baseName.text, in: type) == nil
      else { return }
      for (method, selector) in classes.members.renamed(node.baseName.text, in: type) {
        remark(
          node,
          "if '\(node.baseName.text)' is '\(method)', its name is '\(selector.name(like: method))'")
      }
      return
    }
    let method = "\(node.baseName.text)(\(names.map { $0.name.text + ":" }.joined()))"
    switch owner {
    case .none: return
    case .unknown(let base): listRenamed(method, base)
    case .type(let type):
      guard let selector = newName(of: method, in: type, node) else { return }
      replace(.selectors, node, by: selector.name(like: method))
    }
  }

  /// The name that a type's method gets; lists it where several methods have its own.
  private func newName(
    of method: String, in type: String, _ node: some SyntaxProtocol, _ arguments: [ValueType] = []
  ) -> AccessorSelector? {
    let names = classes.members.newNames(of: method, in: type, arguments: arguments)
    if names.count > 1 {
      let list = names.map { "'\($0?.name(like: method) ?? method)'" }.sorted()
      remark(
        node,
        "there are several methods '\(method)': the name of this one is \(list.joined(separator: " or "))"
      )
    }
    return names.only
  }

  private func listRenamed(
    _ method: String, _ base: ExprSyntax, _ arguments: [ValueType] = []
  ) {
    let text = base.trimmedDescription
    let what = text.contains("\n") ? "this" : "'\(text)'"
    for (type, selector) in classes.members.types(renaming: method, arguments: arguments) {
      remark(
        base,
        "if \(what) is of type '\(type)', its '\(method)' has the name '\(selector.name(like: method))'"
      )
    }
  }

  // MARK: Keys

  /// The keys of properties, by the names that Objective-C has for them; lists those whose class isn't visible.
  func keys(_ names: [String], from type: String?, _ node: some SyntaxProtocol) -> [String] {
    var type = type
    return names.map { name in
      guard let owner = type else {
        for (type, key) in classes.members.types(naming: name) {
          remark(node, "if '\(name)' is that of '\(type)', its key is '\(key)'")
        }
        return name
      }
      let value = classes.members.value(of: name, in: owner)
      if case .named(let next) = value?.content { type = next } else { type = nil }
      return classes.members.key(of: name, in: owner) ?? name
    }
  }
}

extension AccessorSelector {
  /// `insertObject(_:inItemsAtIndex:)`, with as many labels as the method's own name has.
  fileprivate func name(like method: String) -> String {
    "\(baseName)(\(labels(method.count { $0 == ":" }).map { $0 + ":" }.joined()))"
  }
}

extension ExprSyntax {
  /// The class, or the protocol, that a generic parameter around the expression stands for.
  fileprivate func bound(of name: String) -> String? {
    ancestors.lazy.compactMap {
      $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause?.parameters
        .first { $0.name.text == name }
    }.first?.inheritedType?.className
  }

  /// The name of what a call calls.
  fileprivate var calledToken: TokenSyntax? {
    self.as(DeclReferenceExprSyntax.self)?.baseName
      ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName
  }

  /// Whether a call calls this.
  var isCalled: Bool {
    var node = Syntax(self)
    if let chain = node.parent?.as(OptionalChainingExprSyntax.self) { node = Syntax(chain) }
    return (node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression).map(Syntax.init)?.id
      == node.id
  }
}
