import SwiftSyntax

/// Finds what has to change in one file of a Cocoa source, and what the tool leaves to a person.
final class FilePorting: SyntaxVisitor {
  private let file: String
  private let classes: ClassTable
  private let places: SourceLocationConverter
  private(set) var edits: [SourceEdit] = []
  private(set) var remarks: [Remark] = []
  private var hasImport = false
  /// Properties that return key paths as objects.
  private var dependencies: Set<SyntaxIdentifier> = []
  /// The enclosing types and functions, innermost last.
  private var scopes: [Scope] = []

  private struct Scope {
    let isFunction: Bool
    var isClass = false
    var isExtension = false
    /// Whether the function returns key paths as objects.
    var returnsObjects = false
    /// Further names for the object whose method this is.
    var aliases: Set<String> = ["strongSelf", "weakSelf"]
    /// Methods that get Cocoa's names, by their own.
    var renamed: [String: AccessorSelector] = [:]
  }

  init(_ file: String, _ tree: SourceFileSyntax, _ classes: ClassTable) {
    self.file = file
    self.classes = classes
    places = SourceLocationConverter(fileName: file, tree: tree)
    hasImport = tree.statements.contains { statement in
      statement.item.as(ImportDeclSyntax.self)?.moduleName == "FoundationKVO"
    }
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Making edits

  private func replace(
    _ kind: SourceEdit.Kind, _ start: AbsolutePosition, _ end: AbsolutePosition, by text: String
  ) {
    edits.append(
      SourceEdit(kind: kind, range: start.utf8Offset..<end.utf8Offset, replacement: text))
  }

  private func replace(_ kind: SourceEdit.Kind, _ node: some SyntaxProtocol, by text: String) {
    replace(
      kind, node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia, by: text)
  }

  private func insert(_ kind: SourceEdit.Kind, _ text: String, at place: AbsolutePosition) {
    replace(kind, place, place, by: text)
  }

  /// Removes a node up to the next token, so that what stood behind it takes its place.
  private func remove(_ kind: SourceEdit.Kind, _ node: some SyntaxProtocol) {
    let end =
      node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)?
      .positionAfterSkippingLeadingTrivia ?? node.endPosition
    replace(kind, node.positionAfterSkippingLeadingTrivia, end, by: "")
  }

  private func remark(_ node: some SyntaxProtocol, _ text: String) {
    let line = places.location(for: node.positionAfterSkippingLeadingTrivia).line
    remarks.append(Remark(file: file, line: line, text: text))
  }

  // MARK: Imports

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    let modules: Set<String> = ["Foundation", "Cocoa", "AppKit", "UIKit", "ObjectiveC"]
    guard modules.contains(node.moduleName ?? "") else { return .skipChildren }
    if node.importKindSpecifier != nil || node.path.count > 1 {
      remark(node, "an import of one declaration: import FoundationKVO instead")
    } else if hasImport {
      remove(.imports, node)
    } else {
      hasImport = true
      replace(.imports, node.path, by: "FoundationKVO")
    }
    return .skipChildren
  }

  // MARK: Types

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    let root = classes.root(of: node.superclassName)
    if let root {
      annotate(node)
      if root == "Operation" || root == "BlockOperation" || root == "OperationQueue" {
        addSendable(node)
      }
    } else {
      checkSuperclass(node)
    }
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    let renamed = classes.renamed(node.name.text)
    scopes.append(Scope(isFunction: false, isClass: root != nil, renamed: renamed))
    return .visitChildren
  }

  override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }

  private func annotate(_ node: ClassDeclSyntax) {
    let hasAttribute = node.attributes.contains {
      $0.as(AttributeSyntax.self)?.name == "KeyValueObservable"
    }
    if hasAttribute { return }
    if scopes.contains(where: \.isFunction) {
      return remark(
        node,
        "'\(node.name.text)' is declared in a function, where a class can't be @KeyValueObservable: "
          + "move it out if it has keys")
    }
    insert(
      .attributes, "@KeyValueObservable\n\(node.leadingTrivia.indentation)",
      at: node.positionAfterSkippingLeadingTrivia)
    if !scopes.isEmpty, let modifier = node.modifiers.first(named: "private") {
      replace(.access, modifier.name, by: "fileprivate")
    }
    let actor = node.attributes.lazy.compactMap { $0.as(AttributeSyntax.self)?.name }
      .first { $0.hasSuffix("Actor") }
    if let actor, node.memberBlock.members.contains(where: { $0.decl.isKey }) {
      remark(
        node,
        "'\(node.name.text)' is isolated to @\(actor), and NSObject is not: put @\(actor) on the methods "
          + "that need it")
    }
  }

  private func addSendable(_ node: ClassDeclSyntax) {
    guard let inherited = node.inheritanceClause?.inheritedTypes, let last = inherited.last,
      !inherited.contains(where: { $0.trimmedDescription.contains("Sendable") })
    else { return }
    insert(
      .sendable, ", @unchecked Sendable", at: last.type.endPositionBeforeTrailingTrivia)
  }

  /// A class with keys that doesn't have FoundationKVO's root.
  private func checkSuperclass(_ node: ClassDeclSyntax) {
    let observes = node.memberBlock.members.first {
      $0.decl.as(FunctionDeclSyntax.self)?.name.text == "observeValue"
    }
    if let observes, !classes.knows(node.superclassName ?? "") {
      remark(
        observes.decl,
        "'\(node.name.text)' doesn't have FoundationKVO's root: observe with an NSObject that it owns"
      )
    }
    guard node.memberBlock.members.contains(where: { $0.decl.isDynamicMember }) else { return }
    guard let written = node.superclassName else {
      return remark(
        node,
        "'\(node.name.text)' has dynamic members and no superclass: let it inherit from NSObject")
    }
    let superclass = written.split(separator: ".").last.map(String.init) ?? written
    if Mend.foreignClasses.contains(superclass) {
      remark(
        node,
        "'\(superclass)' doesn't have FoundationKVO's root, so '\(node.name.text)' can't be observed: keep "
          + "the keys in an NSObject that it owns")
    } else if !classes.knows(superclass) {
      remark(
        node,
        "'\(superclass)' isn't among these files: if it inherits from NSObject, put @KeyValueObservable in "
          + "front of '\(node.name.text)'; otherwise let it inherit from NSObject")
    }
  }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    let type = node.extendedType.trimmedDescription
    let isObserved = classes.root(of: type) != nil || classes.knows(type)
    for member in node.memberBlock.members where isObserved || type == "UserDefaults" {
      if type == "UserDefaults", member.decl.isDynamicMember {
        remark(
          member.decl, "settings have no key paths: observe the key as a string, observe(\"key\")")
      } else if member.decl.isDynamicMember {
        remark(member.decl, "a key in an extension: move it into the class")
      } else if let method = member.decl.as(FunctionDeclSyntax.self),
        method.modifiers.has("override")
      {
        remark(method, "an override in an extension: move it into the class")
      } else if member.decl.isCustomisation {
        remark(member.decl, "a customisation point in an extension: move it into the class")
      }
    }
    removeAttributes(node.attributes, of: type, isType: true)
    scopes.append(
      Scope(isFunction: false, isExtension: true, renamed: classes.renamed(type)))
    return .visitChildren
  }

  override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    return .visitChildren
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    scopes.append(Scope(isFunction: false))
    return .visitChildren
  }

  override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(Scope(isFunction: false))
    return .visitChildren
  }

  override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }

  // MARK: Attributes

  private func removeAttributes(_ attributes: AttributeListSyntax, of name: String, isType: Bool) {
    for element in attributes {
      guard let attribute = element.as(AttributeSyntax.self) else { continue }
      switch attribute.name {
      case "objcMembers", "IBOutlet", "IBAction", "IBInspectable", "IBDesignable",
        "GKInspectable", "nonobjc":
        remove(.objectiveC, attribute)
      case "objc":
        guard let selector = attribute.selector, !isType, selector != name else {
          remove(.objectiveC, attribute)
          continue
        }
        remark(
          attribute, "the key of '\(name)' is '\(selector)': name the property so, and remove @objc"
        )
      case "NSManaged":
        remark(attribute, "there is no Core Data: declare '\(name)' dynamic, with a value")
      case "NSApplicationMain", "UIApplicationMain":
        remark(attribute, "write the program's own start, @main or main.swift")
      default: break
      }
    }
  }

  // MARK: Members

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let name =
      node.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text ?? "_"
    removeAttributes(node.attributes, of: name, isType: false)
    checkOptional(node.modifiers, node)
    if name.hasPrefix("keyPathsForValuesAffecting"), let binding = node.bindings.first,
      let type = binding.typeAnnotation?.type, type.trimmedDescription == "Set<NSObject>"
    {
      replace(.dependencies, type, by: "Set<String>")
      dependencies.insert(node.id)
    }
    guard scopes.last?.isClass == true, node.bindingSpecifier.text == "var" else {
      return .visitChildren
    }
    if node.isDynamic {
      if let modifier = node.modifiers.first(named: "private"),
        node.bindings.first?.hasSetter == true
      {
        replace(.access, modifier.name, by: "fileprivate")
      }
      if node.modifiers.has("lazy") {
        remark(node, "a dynamic lazy property: compute it over a stored optional")
      }
      split(node)
    } else if node.modifiers.has("override"), let binding = node.bindings.first, binding.hasSetter,
      !binding.setsSuper(name), classes.inheritsDynamic(name, from: superclassOfScope(node))
    {
      insert(
        .dynamic, "dynamic ", at: node.bindingSpecifier.positionAfterSkippingLeadingTrivia)
    }
    return .visitChildren
  }

  private func superclassOfScope(_ node: VariableDeclSyntax) -> String? {
    var parent = node.parent
    while let current = parent {
      if let declaration = current.as(ClassDeclSyntax.self) { return declaration.superclassName }
      parent = current.parent
    }
    return nil
  }

  /// Gives each property of `dynamic var x = 0, y = 0` a declaration of its own.
  private func split(_ node: VariableDeclSyntax) {
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

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    checkOptional(node.modifiers, node)
    if node.attributes.objectiveCSelector != nil {
      rename(node)
    } else {
      removeAttributes(node.attributes, of: node.name.text, isType: true)
    }
    if scopes.last?.isClass == true, node.modifiers.has("dynamic"),
      let modifier = node.modifiers.first(named: "private")
    {
      replace(.access, modifier.name, by: "fileprivate")
    }
    var scope = Scope(isFunction: true)
    if node.name.text.hasPrefix("keyPathsForValuesAffecting"),
      let type = node.signature.returnClause?.type, type.trimmedDescription == "Set<NSObject>"
    {
      replace(.dependencies, type, by: "Set<String>")
      scope.returnsObjects = true
    }
    scopes.append(scope)
    return .visitChildren
  }

  override func visitPost(_ node: FunctionDeclSyntax) { scopes.removeLast() }

  /// Gives a method the name by which Cocoa's key-value coding finds it.
  private func rename(_ node: FunctionDeclSyntax) {
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

  private func checkOptional(_ modifiers: DeclModifierListSyntax, _ node: some SyntaxProtocol) {
    guard let modifier = modifiers.first(named: "optional") else { return }
    remark(
      modifier,
      "an optional requirement: implement it in an extension of the protocol, and remove 'optional'"
    )
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: "init", isType: true)
    scopes.append(Scope(isFunction: true))
    return .visitChildren
  }

  override func visitPost(_ node: InitializerDeclSyntax) { scopes.removeLast() }

  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: "subscript", isType: true)
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    var scope = Scope(isFunction: true)
    // The target of an undo action is mostly the object itself.
    if let call = node.parent?.as(FunctionCallExprSyntax.self),
      call.calledExpression.calledName == "registerUndo",
      call.arguments.first?.expression.trimmedDescription == "self"
    {
      scope.aliases.insert(node.firstParameter ?? "$0")
    }
    scopes.append(scope)
    return .visitChildren
  }

  override func visitPost(_ node: ClosureExprSyntax) { scopes.removeLast() }

  override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(Scope(isFunction: true))
    return .visitChildren
  }

  override func visitPost(_ node: AccessorDeclSyntax) { scopes.removeLast() }

  // MARK: Expressions

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    switch node.macroName.text {
    case "keyPath":
      guard let argument = node.arguments.first?.expression else { break }
      let parts = argument.trimmedDescription.split(separator: ".")
        .map { $0.filter { !"?!`".contains($0) } }
      let keys = parts.drop { $0.first?.isUppercase == true || $0 == "self" }
      replace(.keyPaths, node, by: "\"\(keys.joined(separator: "."))\"")
    case "selector":
      if let comparison = node.sortComparison {
        replace(.comparisons, node, by: "." + comparison)
        return .skipChildren
      }
      remark(node, "there are no selectors: pass a closure")
      return .skipChildren
    default: break
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.arguments.map { ($0.label?.text ?? "_") + ":" }.joined()
    if let name = node.calledExpression.calledName {
      checkCall(node, name, labels)
      renameCall(node, labels)
    }
    if recordAsClosure(node) {
      // The arguments may have their own edits.
      for argument in node.arguments { walk(argument.expression) }
      return .skipChildren
    }
    return .visitChildren
  }

  /// Makes `(manager.prepare(withInvocationTarget: self) as AnyObject).remove(x)` a closure, which captures what
  /// the arguments are now.
  private func recordAsClosure(_ node: FunctionCallExprSyntax) -> Bool {
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      let base = member.base, let invocation = base.invocation, node.trailingClosure == nil
    else { return false }
    var captures: [String] = []
    for (index, argument) in node.arguments.enumerated() {
      let text = argument.expression.trimmedDescription
      if argument.expression.is(DeclReferenceExprSyntax.self), text != "self" {
        captures.append(text)
      } else if !argument.expression.isLiteral {
        captures.append("argument\(index) = \(text)")
        replace(.undo, argument.expression, by: "argument\(index)")
      }
    }
    let list = captures.isEmpty ? "" : "[\(captures.joined(separator: ", "))] in "
    replace(
      .undo, base.positionAfterSkippingLeadingTrivia, base.endPositionBeforeTrailingTrivia,
      by: "\(invocation.manager).registerUndo(withTarget: \(invocation.target)) { \(list)$0")
    insert(.undo, " }", at: node.endPositionBeforeTrailingTrivia)
    return true
  }

  private func checkCall(_ node: FunctionCallExprSyntax, _ name: String, _ labels: String) {
    if let mend = Mend.calls["\(name)(\(labels))"] { remark(node, "'\(name)(\(labels))': \(mend)") }
    if name == "addObserver", node.arguments.first?.label?.text == "forName",
      node.parent?.is(CodeBlockItemSyntax.self) == true
    {
      insert(.results, "_ = ", at: node.positionAfterSkippingLeadingTrivia)
    }
    guard name == "observe" || name == "addObserver" else { return }
    if let path = node.arguments.first?.expression.as(KeyPathExprSyntax.self), let root = path.root
    {
      let names = path.components.filter {
        if case .property = $0.component { true } else { false }
      }
      if names.count > 1 {
        replace(
          .roots, root.positionAfterSkippingLeadingTrivia, root.endPositionBeforeTrailingTrivia,
          by: "")
      }
    }
    let receiver =
      node.calledExpression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription ?? ""
    if receiver.lowercased().contains("task") {
      remark(
        node,
        "if '\(receiver)' is a URLSessionTask or its progress: Foundation's can't be observed; report "
          + "progress from the session's delegate")
    }
  }

  /// Renames a call of the same class's method that gets Cocoa's name.
  private func renameCall(_ node: FunctionCallExprSyntax, _ labels: String) {
    let aliases = scopes.reduce(into: Set<String>()) { $0.formUnion($1.aliases) }
    guard let name = node.calledExpression.ownName(aliases) else { return }
    guard let scope = scopes.last(where: { !$0.isFunction }),
      let selector = scope.renamed["\(name.text)(\(labels))"]
    else { return }
    replace(.selectors, name, by: selector.baseName)
    for (argument, label) in zip(node.arguments, selector.labels(node.arguments.count)) {
      let start = argument.positionAfterSkippingLeadingTrivia
      let end = argument.expression.positionAfterSkippingLeadingTrivia
      replace(.selectors, start, end, by: label == "_" ? "" : "\(label): ")
    }
  }

  override func visit(_ node: TypeExprSyntax) -> SyntaxVisitorContinueKind {
    // The object that a change is of has keys, so it's FoundationKVO's.
    guard node.isCast, !node.isOfObservedObject else { return .visitChildren }
    if scopes.last?.returnsObjects == true || isInDependencies(node),
      node.type.trimmedDescription == "NSObject",
      let operand = node.operandOfCast
    {
      replace(
        .dependencies, operand.endPositionBeforeTrailingTrivia,
        node.endPositionBeforeTrailingTrivia,
        by: "")
      return .skipChildren
    }
    castNames(in: Syntax(node.type))
    return .skipChildren
  }

  private func isInDependencies(_ node: TypeExprSyntax) -> Bool {
    if dependencies.isEmpty { return false }
    var parent = node.parent
    while let current = parent {
      if dependencies.contains(current.id) { return true }
      parent = current.parent
    }
    return false
  }

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    castNames(in: Syntax(node.type))
    return .visitChildren
  }

  override func visit(_ node: IsExprSyntax) -> SyntaxVisitorContinueKind {
    castNames(in: Syntax(node.type))
    return .visitChildren
  }

  /// `NSObject` in a cast means Foundation's: strings, numbers and collections aren't FoundationKVO's.
  private func castNames(in node: Syntax) {
    for token in node.tokens(viewMode: .sourceAccurate) where token.text == "NSObject" {
      guard token.parent?.is(IdentifierTypeSyntax.self) == true else { continue }
      replace(.casts, token, by: "Foundation.NSObject")
    }
  }

  // MARK: Names

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    guard let base = node.baseType.as(IdentifierTypeSyntax.self), base.name.text == "Foundation",
      Mend.shadowed.contains(node.name.text)
    else { return .visitChildren }
    replace(.qualifications, base, by: "FoundationKVO")
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base?.as(DeclReferenceExprSyntax.self), base.baseName.text == "Foundation",
      Mend.shadowed.contains(node.declName.baseName.text)
    {
      replace(.qualifications, base, by: "FoundationKVO")
      return .skipChildren
    }
    if node.base?.castsToAnyObject == true {
      remark(
        node,
        "a member of AnyObject, which only Objective-C finds: cast to the class, or to a protocol")
    }
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    name(node.baseName)
    return .visitChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    name(node.name)
    return .visitChildren
  }

  private func name(_ token: TokenSyntax) {
    if let mend = Mend.names[token.text] { remark(token, "'\(token.text)': \(mend)") }
  }
}
