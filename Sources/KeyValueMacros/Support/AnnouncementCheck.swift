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

  /// Whether the class's body announces changes of its own object's key, by the key's literal name.
  func announcesByName(_ key: String) -> Bool {
    announcements.found.endedOwn.contains(key)
  }
}

/// The calls in a class's body that announce changes.
///
/// The body is walked once, when they are first needed.
final class Announcements {
  fileprivate private(set) lazy var found: AnnouncementFinder = {
    let finder = AnnouncementFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder
  }()
  private let body: MemberBlockSyntax

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
    let key = argument.expression.announcedKey
    let isByName =
      isOwn && name == "didChangeValue" && argument.label?.text == EmittedNames.keyLabel
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
      if !isByName { hasUnknownEndElsewhere = true }
    default: break
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
  fileprivate var announcedKey: AnnouncedKey {
    if let text = self.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
      return .literal(text)
    }
    let names = self.as(KeyPathExprSyntax.self)?.keyNames ?? []
    return names.count == 1 ? .literal(names[0]) : .unknown
  }
}
