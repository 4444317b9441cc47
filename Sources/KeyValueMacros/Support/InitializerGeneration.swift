import SwiftSyntax
import SwiftSyntaxBuilder

/// Decides which initialisers to rewrite, and describes the class to the macro that rewrites them.
///
/// That macro sees only the initialiser.
struct InitializerGeneration {
  let statements: CodeBlockItemListSyntax
  /// The properties with observers that the initialiser changes.
  let properties: [String]
  let body: InitializerBody
  /// Whether the compiler accepts the initialiser from a macro: it refuses closures with a capture
  /// list there (swiftlang/swift#80050).
  let isRewritable: Bool
  /// For each property, the first change that runs its observers if nothing is rewritten.
  let heard: [(property: String, node: ExprSyntax)]

  /// Nil if this isn't an initialiser or `deinit`, or if there is nothing to rewrite.
  ///
  /// `isTracking` means that the class's properties notify Observation.
  init?(_ member: some DeclSyntaxProtocol, in model: ObservableClass, isTracking: Bool = false) {
    guard member.is(InitializerDeclSyntax.self) || member.is(DeinitializerDeclSyntax.self),
      let body = member.asProtocol((any WithOptionalCodeBlockSyntax).self)?.body
    else { return nil }
    let finder = ChangeFinder(properties: model.observedStorage)
    finder.walk(body)
    guard !finder.changed.isEmpty else { return nil }
    statements = body.statements
    isRewritable = !CaptureListFinder.finds(in: body)
    heard = model.observedStorage.compactMap { name in
      guard let property = model.property(name) else { return nil }
      let isFirstValue = property.binding.initializer == nil && !property.binding.isOptional
      let changes = (finder.nodes[name] ?? []).dropFirst(isFirstValue ? 1 : 0)
      // Before an initialiser calls its superclass's, it only sets initial values.
      let start = SuperFinder.position(in: body) ?? body.position
      return changes.first { $0.position >= start }.map { (name, $0) }
    }
    properties = model.observedStorage.filter(finder.changed.contains)
    let mentioned = Set(
      statements.tokens(viewMode: .sourceAccurate).compactMap { token -> String? in
        if case .identifier = token.tokenKind { token.plainName } else { nil }
      })
    let computed = model.properties.filter(\.isComputed).map(\.name)
    let methods = model.methods.filter { !$0.isTypeMethod }.map(\.name)
    self.body = InitializerBody(
      parameters: member.parameterNames,
      stored: mentioned.intersection(model.properties.filter { !$0.isComputed }.map(\.name)),
      members: mentioned.intersection(computed + methods),
      isComplete: model.isCompleteFromStart,
      isObservableFromStart: member.is(DeinitializerDeclSyntax.self),
      tracked: isTracking
        ? Set(properties.filter { model.property($0)?.notifiesManually == false }) : [])
  }

  var attribute: AttributeSyntax {
    var arguments = [literal(properties)]
    if !body.stored.isEmpty {
      arguments.append("\(Self.storedLabel): \(literal(body.stored.sorted()))")
    }
    if !body.members.isEmpty {
      arguments.append("\(Self.membersLabel): \(literal(body.members.sorted()))")
    }
    if body.isComplete { arguments.append("\(Self.completeLabel): true") }
    if !body.tracked.isEmpty {
      arguments.append("\(EmittedNames.trackingLabel): \(literal(body.tracked.sorted()))")
    }
    let list = arguments.joined(separator: ", ")
    return "@\(raw: EmittedNames.initializerAttribute)(\(raw: list))"
  }

  private static let storedLabel = "stored"
  private static let membersLabel = "members"
  private static let completeLabel = "isComplete"

  /// The attribute's arguments, together with what the declaration and its class's head show.
  static func read(
    _ node: AttributeSyntax, on declaration: some DeclSyntaxProtocol, in type: ClassDeclSyntax?
  ) -> (properties: [String], body: InitializerBody) {
    var body = InitializerBody(
      parameters: declaration.parameterNames,
      isObservableFromStart: declaration.is(DeinitializerDeclSyntax.self),
      trackingName: type?.trackingName ?? "")
    var properties: [String] = []
    guard case .argumentList(let arguments) = node.arguments else { return ([], body) }
    for argument in arguments {
      let names =
        argument.expression.as(ArrayExprSyntax.self)?.elements.compactMap { element in
          element.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        } ?? []
      switch argument.label?.text {
      case storedLabel: body.stored = Set(names)
      case membersLabel: body.members = Set(names)
      case completeLabel: body.isComplete = true
      case EmittedNames.trackingLabel: body.tracked = Set(names)
      default: properties = names
      }
    }
    return (properties, body)
  }
}

extension DeclSyntaxProtocol {
  /// The names of an initialiser's parameters inside its body.
  fileprivate var parameterNames: Set<String> {
    let clause = self.as(InitializerDeclSyntax.self)?.signature.parameterClause
    return Set((clause?.parameters ?? []).map { ($0.secondName ?? $0.firstName).plainName })
  }
}

extension ObservableClass {
  /// The properties with `willSet` or `didSet` on their storage.
  fileprivate var observedStorage: [String] {
    tracked.filter { !$0.observers.isEmpty }.map(\.name)
  }

  /// Whether every stored property has an initial value, and there is no superclass.
  fileprivate var isCompleteFromStart: Bool {
    isPlainlyRoot && properties.allSatisfy(\.hasInitialValue)
  }
}

/// Finds the properties that an initialiser itself changes.
private final class ChangeFinder: SyntaxVisitor {
  private let properties: [String]
  /// The changes of each property, in order.
  var nodes: [String: [ExprSyntax]] = [:]
  var changed: Set<String> { Set(nodes.keys) }

  init(properties: [String]) {
    self.properties = properties
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard let expression = node.item.as(ExprSyntax.self) else { return .visitChildren }
    for property in properties where expression.change(of: property, isShadowed: false) != nil {
      nodes[property, default: []].append(expression)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    for property in properties
    where !node.isStatement && node.isMutation(of: property, isShadowed: false) {
      nodes[property, default: []].append(ExprSyntax(node))
    }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// Finds a closure with a capture list, outside local functions and other closures.
private final class CaptureListFinder: SyntaxVisitor {
  private var found = false

  static func finds(in body: CodeBlockSyntax) -> Bool {
    let finder = CaptureListFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder.found
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    if node.signature?.capture != nil { found = true }
    return .skipChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// Finds the call of the superclass's initialiser.
private final class SuperFinder: SyntaxVisitor {
  private var found: AbsolutePosition?

  static func position(in body: CodeBlockSyntax) -> AbsolutePosition? {
    let finder = SuperFinder(viewMode: .sourceAccurate)
    finder.walk(body)
    return finder.found
  }

  override func visit(_ node: SuperExprSyntax) -> SyntaxVisitorContinueKind {
    found = found ?? node.position
    return .skipChildren
  }
}
