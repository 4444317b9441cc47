import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds changes that the class announces incompletely, or not at all.
struct AnnouncementCheck {
  let model: ObservableClass
  let context: any MacroExpansionContext

  func run() {
    let announcements = model.announcements.found
    guard !announcements.hasUnknownEnd else { return }
    for (key, node) in announcements.begun where !announcements.ended.contains(key) {
      context.report(.willWithoutDid(key), at: node)
    }
    guard !announcements.hasUnknownBeginning else { return }
    for property in model.properties {
      guard property.isStored, property.notifiesManually,
        DeclaredDependencies(property) == nil,
        !announcements.ended.contains(property.name),
        !announcements.begun.contains(where: { $0.key == property.name }),
        let change = change(of: property)
      else { continue }
      context.report(
        .neverAnnounced(property.name), at: change,
        fixIts: [.add("@DependsOn()", to: property.declaration)])
    }
  }

  /// The first change of a property in one of the class's methods or setters.
  private func change(of property: ObservableProperty) -> Syntax? {
    let key = property.name
    for member in model.declaration.memberBlock.members {
      let isCandidate =
        member.decl.is(FunctionDeclSyntax.self) || member.decl.is(VariableDeclSyntax.self)
        || member.decl.is(SubscriptDeclSyntax.self)
      guard isCandidate, !declares(key, in: member.decl) else { continue }
      let finder = AssignmentFinder(key: key, isWrapped: property.attributes.wrapper != nil)
      finder.walk(member.decl)
      if let found = finder.found { return found }
    }
    return nil
  }

  /// Whether a local variable or parameter may hide the property; a declaration of the property
  /// also counts.
  private func declares(_ name: String, in declaration: DeclSyntax) -> Bool {
    let finder = DeclarationFinder(name: name)
    finder.walk(declaration)
    return finder.isFound
  }
}

extension ObservableClass {
  /// Whether the class's body may announce changes of a key.
  func announces(_ key: String) -> Bool {
    let announcements = announcements.found
    // Under `Operation`, a pair by name is Foundation's, and notifies no observer of this library.
    if style == .swift, announcingSuperclass != nil {
      return announcements.hasUnknownEndElsewhere || announcements.endedElsewhere.contains(key)
    }
    return announcements.hasUnknownEnd || announcements.ended.contains(key)
  }

  /// Whether the class's body announces changes of its own object's key, by a literal, by a constant, or by
  /// a name that may be the key's.
  func announcesByName(_ key: String) -> Bool {
    announcements.found.endedOwn.contains(key) || announcements.namesByVariable(key)
  }
}

extension ObservableClass {
  /// Keys without a property or a method in the class's body: the body announces them, or states what affects
  /// them.
  var namedKeys: [String] {
    let suffixes =
      (namedMethods.filter { $0.isTypeMethod && $0.parameters.isEmpty }.map(\.name)
      + customisingProperties).compactMap { name in
        Self.customisations.lazy.compactMap { name.suffix(after: $0) }.first
      }
    let compared = namedMethods.filter { $0.isDependencyHook || $0.isAutomaticHook }
      .flatMap { $0.declaration.comparedLiterals }
    return announcements.ownKeys.union(suffixes.map { key(forSuffix: $0) }).union(compared)
      .subtracting(keys).subtracting(properties.map(\.name)).filter(\.isKeyName).sorted()
  }
}

extension String {
  /// Whether the text can be a key.
  fileprivate var isKeyName: Bool {
    !isEmpty && !hasPrefix("@") && !contains { $0 == "." || $0.isWhitespace }
  }
}

extension FunctionDeclSyntax {
  /// The literals that the function compares something with.
  fileprivate var comparedLiterals: Set<String> {
    let finder = ComparisonFinder(viewMode: .sourceAccurate)
    finder.walk(self)
    return finder.literals
  }
}

/// Finds the string literals in `key == "…"`, in `case "…":`, and in `["…"].contains(key)`.
private final class ComparisonFinder: SyntaxVisitor {
  var literals: Set<String> = []

  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let value = node.representedLiteralValue, let parent = node.parent else {
      return .skipChildren
    }
    if parent.is(ExpressionPatternSyntax.self) { literals.insert(value) }
    if let list = parent.as(ExprListSyntax.self), list.contains(where: \.isEquality) {
      literals.insert(value)
    }
    // An element, its list, the array, `.contains`.
    let array = parent.parent?.parent
    if parent.is(ArrayElementSyntax.self),
      array?.parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "contains"
    {
      literals.insert(value)
    }
    return .skipChildren
  }
}

extension ExprSyntax {
  fileprivate var isEquality: Bool {
    self.as(BinaryOperatorExprSyntax.self)?.operator.text == "=="
  }
}

/// The calls in a class's body that announce changes.
///
/// The body is walked once, when they are first needed.
final class Announcements {
  fileprivate private(set) lazy var found: AnnouncementFinder = {
    let finder = AnnouncementFinder(members: body)
    finder.walk(body)
    return finder
  }()
  private let body: MemberBlockSyntax
  private lazy var names: NameFinder = {
    let finder = NameFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder
  }()

  /// Whether an announcement whose key isn't a literal may be this key's.
  ///
  /// A constant of the body has one value. A parameter has those that the body's calls pass. What isn't declared in
  /// the body may be any key.
  func namesByVariable(_ key: String) -> Bool {
    found.unknownOwnKeys.contains { names.values(of: $0)?.contains(key) ?? true }
  }

  /// The keys that the object announces as its own, as far as the body tells them.
  var ownKeys: Set<String> {
    found.unknownOwnKeys.reduce(into: found.endedOwn) { keys, expression in
      keys.formUnion(names.values(of: expression) ?? [])
    }
  }

  /// Whether the object announces a key by a name that the body doesn't tell.
  var hasUnseenKey: Bool {
    found.unknownOwnNames.contains { names.values(of: $0) == nil }
  }

  init(in body: MemberBlockSyntax) { self.body = body }
}

/// Finds the calls that announce changes.
private final class AnnouncementFinder: SyntaxVisitor {
  var begun: [(key: String, node: Syntax)] = []
  var ended: Set<String> = []
  /// Those of the object itself.
  var endedOwn: Set<String> = []
  /// Those by other calls than `didChangeValue(forKey:)` on the object itself.
  var endedElsewhere: Set<String> = []
  /// Whether a call's key is anything but a literal.
  var hasUnknownBeginning = false
  var hasUnknownEnd = false
  var hasUnknownEndElsewhere = false
  /// The keys that aren't literals of the object's own announcements.
  var unknownOwnKeys: [ExprSyntax] = []
  /// Those that are strings, at the beginning of an announcement or at its end.
  var unknownOwnNames: [ExprSyntax] = []
  private let members: MemberBlockSyntax

  init(members: MemberBlockSyntax) {
    self.members = members
    super.init(viewMode: .sourceAccurate)
  }

  /// Whether the code belongs to a type inside of the class.
  private func isInside(_ node: FunctionCallExprSyntax) -> Bool {
    var whole = node.parent
    while let part = whole, !part.is(MemberBlockSyntax.self) { whole = part.parent }
    return whole?.id != members.id
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name =
      node.calledExpression.ownName
      ?? node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.plainName
    let isOwn = node.calledExpression.ownName != nil
    guard let name,
      let argument = node.arguments.first(where: {
        ["forKey", "for", "of"].contains($0.label?.text)
      })
    else { return .visitChildren }
    // A type inside announces its own keys, but may announce those of an object of this class.
    if isOwn, isInside(node) { return .visitChildren }
    let key = argument.expression.announcedKey
    let isByName =
      isOwn && name == "didChangeValue" && argument.label?.text == EmittedNames.keyLabel
    if isOwn, case .unknown = key, argument.label?.text == EmittedNames.keyLabel,
      ["willChangeValue", "willChange", "didChangeValue", "didChange"].contains(name)
    {
      unknownOwnNames.append(argument.expression)
    }
    switch (name, key) {
    case ("willChangeValue", .literal(let key)), ("willChange", .literal(let key)):
      if isOwn { begun.append((key, Syntax(node))) }
    case ("willChangeValue", .unknown), ("willChange", .unknown): hasUnknownBeginning = true
    case ("didChangeValue", .literal(let key)), ("didChange", .literal(let key)),
      ("withChange", .literal(let key)):
      ended.insert(key)
      if isOwn { endedOwn.insert(key) }
      if !isByName { endedElsewhere.insert(key) }
    case ("didChangeValue", .unknown), ("didChange", .unknown), ("withChange", .unknown):
      hasUnknownEnd = true
      if isOwn { unknownOwnKeys.append(argument.expression) }
      if !isByName { hasUnknownEndElsewhere = true }
    default: break
    }
    return .visitChildren
  }
}

/// Finds the constants, the parameters and the literals of a class's body.
private final class NameFinder: SyntaxVisitor {
  private var constants: [String: String] = [:]
  /// The functions that have a parameter of a name.
  private var functions: [String: Set<String>] = [:]
  /// The literals that calls of a function pass.
  private var passed: [String: Set<String>] = [:]

  /// What an expression may be; nil if the body doesn't tell.
  func values(of expression: ExprSyntax) -> Set<String>? {
    guard let name = expression.lastName else { return nil }
    if let value = constants[name] { return [value] }
    return functions[name].map { $0.reduce(into: []) { $0.formUnion(passed[$1] ?? []) } }
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    for binding in node.bindings where node.isLet {
      if let name = binding.pattern.boundNames.first,
        let literal = binding.initializer?.value.as(StringLiteralExprSyntax.self)
      {
        constants[name.plainName] = literal.representedLiteralValue
      }
    }
    return .visitChildren
  }

  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    let literal = node.rawValue?.value.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    constants[node.name.plainName] = literal ?? node.name.plainName
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    for parameter in node.signature.parameterClause.parameters {
      let name = (parameter.secondName ?? parameter.firstName).plainName
      functions[name, default: []].insert(node.name.plainName)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.calledExpression.ownName else { return .visitChildren }
    for argument in node.arguments {
      let literal = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
      if let literal { passed[name, default: []].insert(literal) }
    }
    return .visitChildren
  }
}

/// Finds a declaration of a local name.
private final class DeclarationFinder: SyntaxVisitor {
  let name: String
  var isFound = false

  init(name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    if node.identifier.plainName == name { isFound = true }
    return .skipChildren
  }

  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    if (node.secondName ?? node.firstName).plainName == name { isFound = true }
    return .visitChildren
  }
}

/// The key that a call announces.
private enum AnnouncedKey {
  case literal(String)
  case unknown
}

extension ExprSyntax {
  /// The name of what the expression reads, without `rawValue`; nil for anything but names.
  fileprivate var lastName: String? {
    if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.plainName }
    guard let member = self.as(MemberAccessExprSyntax.self) else { return nil }
    let name = member.declName.baseName.plainName
    return name == "rawValue" ? member.base?.lastName : name
  }

  fileprivate var announcedKey: AnnouncedKey {
    if let text = self.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
      return .literal(text)
    }
    let names = self.as(KeyPathExprSyntax.self)?.keyNames ?? []
    return names.count == 1 ? .literal(names[0]) : .unknown
  }
}
