import SwiftSyntax

/// Finds what has to change in one file of a Cocoa source, and what the tool leaves to a person.
///
/// The class visits; what becomes of what it visits is in its extensions.
final class FilePorting: SyntaxAnyVisitor {
  let file: String
  let classes: ClassTable
  let places: SourceLocationConverter
  var edits: [SourceEdit] = []
  var remarks: [Remark] = []
  /// Whether what's visited sees an import of FoundationKVO.
  private var hasImport = false
  /// The same of what's around the branches of `#if` that are visited, innermost last.
  private var importsAround: [Bool] = []
  /// Whether the file imports FoundationKVO already, so that its imports, its `NSObject` and its
  /// `Foundation.NSObject` are meant so.
  let isPorted: Bool
  /// Whether some system compiles neither an import of FoundationKVO nor one of what it replaces.
  private let isImportMissing: Bool
  /// Whether a class that sees no import gets the attribute.
  private var isImportNeeded = false
  /// Whether a file without Foundation's import has names that are FoundationKVO's here.
  private let needsImport: Bool
  /// The names for which the file's imports have to say that they're FoundationKVO's.
  private let ambiguous: [String]
  /// Properties that return key paths as objects.
  var dependencies: Set<SyntaxIdentifier> = []
  /// The parameters that have been listed as key paths to one property.
  var listedKeyPaths: Set<SyntaxIdentifier> = []
  /// The enclosing types and functions, innermost last.
  var scopes: [Scope] = []
  /// What the file's own variables are.
  var globalTypes: [String: ValueType] = [:]
  let privateTypes: PrivateTypes
  /// The declarations that are `fileprivate` now.
  var widened: Set<SyntaxIdentifier> = []

  struct Scope {
    /// What opened the scope, and closes it.
    fileprivate var node: SyntaxIdentifier?
    /// The name of the type whose body or extension this is; nil for a function or a block.
    var name: String?
    var isExtension = false
    /// Whether objects of the type have FoundationKVO's root.
    var isObserved = false
    /// Whether the function returns key paths as objects.
    var returnsObjects = false
    /// What a function's variables are.
    var types: [String: ValueType] = [:]

    var isFunction: Bool { name == nil }
    /// Whether this is what the attribute sees.
    var isObservedBody: Bool { isObserved && !isExtension }
  }

  init(_ file: String, _ tree: SourceFileSyntax, _ classes: ClassTable) {
    self.file = file
    self.classes = classes
    places = SourceLocationConverter(fileName: file, tree: tree)
    privateTypes = PrivateTypes(of: tree)
    let tokens = tree.tokens(viewMode: .sourceAccurate)
    // Also those in branches of `#if`.
    let imported = Set(tokens.compactMap { $0.parent?.as(ImportDeclSyntax.self)?.moduleName })
    isPorted = imported.contains("FoundationKVO")
    // A branch's import is only the branch's.
    let imports = tree.statements.compactMap {
      $0.item.as(ImportDeclSyntax.self)?.moduleName
    }
    // Without `#else`, a system may have none of the branches.
    let otherwise = tree.statements.compactMap { $0.item.as(IfConfigDeclSyntax.self) }
      .flatMap(\.clauses).filter { $0.condition == nil }
      .flatMap { $0.tokens(viewMode: .sourceAccurate) }
      .compactMap { $0.parent?.as(ImportDeclSyntax.self)?.moduleName }
    isImportMissing = !isPorted && Self.modules.isDisjoint(with: imports + otherwise)
    let names = Set(tokens.map(\.text))
    needsImport =
      !isPorted && Self.modules.isDisjoint(with: imports)
      && !Mend.shadowed.union(Mend.shadowedOnLinux).isDisjoint(with: names)
    // XCTest imports Foundation for its file: there, both modules' types have the same names.
    ambiguous =
      imports.contains("XCTest")
      ? Mend.shadowedOnLinux.intersection(names).filter { !classes.knows($0) }.sorted() : []
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Scopes

  private func open(_ node: some SyntaxProtocol, _ scope: Scope) -> SyntaxVisitorContinueKind {
    scopes.append(scope)
    scopes[scopes.count - 1].node = node.id
    return .visitChildren
  }

  /// A block sees what its function does.
  @discardableResult
  private func openBlock(_ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
    open(node, Scope(returnsObjects: scopes.last?.returnsObjects ?? false))
  }

  override func visitAnyPost(_ node: Syntax) {
    if scopes.last?.node == node.id { scopes.removeLast() }
  }

  // MARK: Imports

  private static let modules: Set<String> = [
    "Foundation", "Cocoa", "AppKit", "UIKit", "ObjectiveC",
  ]

  /// Imports of the ambiguous names, a line for each.
  private var oneByOne: String {
    ambiguous.map { name in
      "\nimport \(name == "ProgressReporting" ? "protocol" : "class") FoundationKVO.\(name)"
    }.joined()
  }

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if needsImport, !hasImport, node.moduleName == "XCTest" {
      hasImport = true
      insert(
        .imports, "import FoundationKVO\(oneByOne)\n",
        at: node.positionAfterSkippingLeadingTrivia)
    }
    if node.moduleName == "Combine" {
      remark(
        node,
        "Combine is Apple's: import OpenCombineKVO, with the package's trait OpenCombine, for publisher(for:)"
      )
    }
    guard !isPorted, Self.modules.contains(node.moduleName ?? "") else { return .skipChildren }
    if node.importKindSpecifier != nil || node.path.count > 1 {
      remark(node, "an import of one declaration: import FoundationKVO instead")
    } else if hasImport {
      removeLine(.imports, node)
    } else {
      hasImport = true
      replace(.imports, node.path, by: "FoundationKVO" + oneByOne)
    }
    return .skipChildren
  }

  /// Of the branches of `#if`, one is compiled, which needs its own import.
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    importsAround.append(hasImport)
    return .visitChildren
  }

  override func visitPost(_ node: IfConfigClauseSyntax) { hasImport = importsAround.removeLast() }

  override func visitPost(_ node: SourceFileSyntax) {
    if isImportMissing, isImportNeeded, !hasImport { importAttribute(node) }
  }

  // MARK: Types

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    let root = classes.root(of: node.superclassName)
    if let root {
      annotate(node)
      if !hasImport { isImportNeeded = true }
      if root == "Operation" || root == "BlockOperation" || root == "OperationQueue" {
        addSendable(node)
      }
    } else {
      checkSuperclass(node)
    }
    checkArchives(node)
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    return open(node, Scope(name: node.name.text, isObserved: root != nil))
  }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    let type = node.typeName
    let isObserved = classes.root(of: type) != nil
    let isListed = isObserved || classes.knows(type) || type == "UserDefaults"
    for member in node.declarations where isListed {
      if type == "UserDefaults", member.isDynamicMember {
        remark(
          member, "settings have no key paths: observe the key as a string, observe(\"key\")")
      } else if member.isDynamicMember {
        remark(member, "a key in an extension: move it into the class")
      } else if type != "UserDefaults", isKey(member, in: node) {
        remark(
          member,
          "key-value coding doesn't find this property in an extension: move it into the class if its name is used "
            + "as a key")
      } else if let method = member.as(FunctionDeclSyntax.self),
        method.modifiers.has("override")
      {
        remark(method, "an override in an extension: move it into the class")
      } else if member.isCustomisation {
        remark(member, "a customisation point in an extension: move it into the class")
      } else if member.isFoundByName {
        remark(
          member,
          "key-value coding doesn't find this method in an extension: move it into the class")
      }
    }
    removeAttributes(node.attributes, of: type, isType: true)
    return open(node, Scope(name: type, isExtension: true, isObserved: isObserved))
  }

  /// Whether Objective-C finds a property of an extension by name.
  private func isKey(_ member: DeclSyntax, in node: ExtensionDeclSyntax) -> Bool {
    guard let property = member.as(VariableDeclSyntax.self), !property.modifiers.isOfType else {
      return false
    }
    let exposesAll =
      classes.hasObjectiveCMembers(node.typeName)
      || node.attributes.has("objc")
    return member.isKey || exposesAll && property.isExposable
  }

  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.isReplaceable {
      let isObjectiveC = node.attributes.has("objc")
      removeAttributes(node.attributes, of: node.name.text, isType: true)
      // A protocol with `@objc` is one of classes, so that references to it may be weak.
      if isObjectiveC, node.inheritanceClause == nil {
        insert(.objectiveC, ": AnyObject", at: node.name.endPositionBeforeTrailingTrivia)
      }
    }
    replaceOptionals(node)
    return open(node, Scope(name: node.name.text))
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    return open(node, Scope(name: node.name.text))
  }

  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: node.elements.first?.name.text ?? "_", isType: true)
    return .visitChildren
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    return open(node, Scope(name: node.name.text))
  }

  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    open(node, Scope(name: node.name.text))
  }

  // MARK: Members

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let name =
      node.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text ?? "_"
    removeAttributes(node.attributes, of: name, isType: false)
    checkOptional(node.modifiers, node)
    checkObservers(node, name)
    checkGetter(node, name)
    if name.hasPrefix("keyPathsForValuesAffecting"),
      node.bindings.first?.typeAnnotation?.type.isSetOfKeys == true
    {
      dependencies.insert(node.id)
    }
    guard scopes.last?.isObservedBody == true, node.bindingSpecifier.text == "var" else {
      return .visitChildren
    }
    if node.isDynamic {
      if node.bindings.first?.hasSetter == true { widen(node) }
      if node.modifiers.has("lazy") {
        remark(node, "a dynamic lazy property: compute it over a stored optional")
      }
      if node.attributes.has("NSCopying") {
        remark(
          node,
          "a dynamic property with @NSCopying: compute it over a stored one that its setter sets to "
            + "'newValue.copy()'")
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

  override func visitPost(_ node: PatternBindingSyntax) { note(node) }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if !node.isReplaceable { checkOptional(node.modifiers, node) }
    checkImplementation(node)
    checkGetterName(node)
    checkComparison(node)
    removeAttributes(node.attributes, of: node.name.text, isType: true)
    rename(node)
    noteFunction(node)
    if scopes.last?.isObservedBody == true, node.modifiers.has("dynamic") { widen(node) }
    var scope = Scope()
    scope.returnsObjects =
      node.name.text.hasPrefix("keyPathsForValuesAffecting")
      && node.signature.returnClause?.type.isSetOfKeys == true
    _ = open(node, scope)
    note(node.signature.parameterClause)
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: "init", isType: true)
    openBlock(node)
    note(node.signature.parameterClause)
    return .visitChildren
  }

  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    removeAttributes(node.attributes, of: "subscript", isType: true)
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    let given = valueGiven(to: node)
    openBlock(node)
    noteParameters(node, given)
    return .visitChildren
  }

  override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
    checkAccessor(node)
    openBlock(node)
    noteValue(node)
    return .visitChildren
  }

  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
    openBlock(node)
    if let parameters = node.parent?.as(SubscriptDeclSyntax.self)?.parameterClause {
      note(parameters)
    }
    return .visitChildren
  }

  // What a name is bound to doesn't see the name yet.

  override func visitPost(_ node: OptionalBindingConditionSyntax) { note(node) }

  override func visitPost(_ node: MatchingPatternConditionSyntax) {
    note(node.pattern, matching: valueType(of: node.initializer.value))
  }

  // MARK: Blocks

  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
    checkLoop(node)
    walk(node.sequence)
    openBlock(node)
    noteElement(node)
    walk(node.pattern)
    if let condition = node.whereClause { walk(condition) }
    walk(node.body)
    return .skipChildren
  }

  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
    openBlock(node)
    walk(node.conditions)
    walk(node.body)
    scopes.removeLast()
    // The other branch doesn't see what the conditions bind.
    switch node.elseBody {
    case .ifExpr(let other): walk(other)
    case .codeBlock(let other): walk(other)
    default: break
    }
    return .skipChildren
  }

  override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
    walk(node.body)
    walk(node.conditions)
    return .skipChildren
  }

  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { openBlock(node) }

  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    openBlock(node)
    noteSubject(node)
    return .visitChildren
  }

  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
    openBlock(node)
    for pattern in node.catchItems.compactMap(\.pattern) {
      note(pattern, matching: ValueType(.unknown))
    }
    return .visitChildren
  }

  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { openBlock(node) }

  // MARK: Expressions

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    switch node.macroName.text {
    case "keyPath":
      let parts = node.keyPathParts { name, type in
        (type ?? ownType).map { classes.members.value(of: name, in: $0) != nil } ?? false
      }
      guard let parts else { break }
      let path = keys(parts.names, from: parts.root ?? ownType, node).joined(separator: ".")
      replace(.keyPaths, node, by: "\"\(path)\"")
    case "selector":
      if replaceComparison(ExprSyntax(node), node.arguments.first?.expression) {
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
    if replaceName(node, labels) { return .skipChildren }
    callOptional(node, labels)
    if let name = node.calledExpression.calledName {
      checkCall(node, name, labels)
      checkSilence(node, name, labels)
      renameCall(node, labels)
      replaceSetOfKeys(node, name, labels)
    }
    return recordAsClosure(node) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: TypeExprSyntax) -> SyntaxVisitorContinueKind {
    // The object that a change is of has keys, so it's FoundationKVO's.
    guard node.isCast, !node.isOfObservedObject else { return .visitChildren }
    if node.namesArgument {
      removeArgumentCast(node)
      return .skipChildren
    }
    checkCast(node)
    if isInDependencies(node), node.type.isKeyAsObject || node.type.isSetOfKeys,
      let operand = node.operandOfCast
    {
      replace(
        .dependencies, operand.endPositionBeforeTrailingTrivia,
        node.endPositionBeforeTrailingTrivia,
        by: "")
      return .skipChildren
    }
    decideCast(node)
    return .skipChildren
  }

  override func visit(_ node: IsTypePatternSyntax) -> SyntaxVisitorContinueKind {
    castNames(in: Syntax(node.type))
    return .skipChildren
  }

  // MARK: Names

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    guard node.isShadowed else { return .visitChildren }
    if !isPorted { replace(.qualifications, node.baseType, by: "FoundationKVO") }
    return .skipChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base?.as(DeclReferenceExprSyntax.self), base.baseName.text == "Foundation",
      Mend.shadowed.contains(node.declName.baseName.text)
    {
      if !isPorted, !node.isKind { replace(.qualifications, base, by: "FoundationKVO") }
      return .skipChildren
    }
    if replaceKeyPathString(node) { return .skipChildren }
    checkMember(node)
    checkOptional(node)
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    name(node.baseName)
    renameReference(node)
    return .visitChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    name(node.name)
    return replaceTypeOfKeys(node) ? .skipChildren : .visitChildren
  }

  override func visit(_ node: GenericSpecializationExprSyntax) -> SyntaxVisitorContinueKind {
    replaceTypeOfKeys(node) ? .skipChildren : .visitChildren
  }
}
