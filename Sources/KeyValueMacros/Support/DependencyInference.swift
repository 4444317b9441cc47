import SwiftSyntax

/// Finds in a getter's own syntax which key paths it reads.
///
/// What cannot be followed is named, never guessed: a call to a method outside the class's body, or
/// `self` handed to other code.
struct DependencyInference {
  /// Something that the getter uses and that may read properties unseen.
  struct Blind {
    enum Use {
      case call(String)
      case member(String)
      /// A name that the class may inherit, where no superclass is observable.
      case inherited(String)
      case passesSelf(String)
      /// An object that is no property's value, such as `Settings.shared`.
      case sharedObject(String)
    }

    let use: Use
    let node: Syntax
  }

  /// Something that the getter reads, that may change, and that cannot notify.
  struct Unnotified {
    let source: String
    let node: Syntax
  }

  struct Result {
    /// In order of first appearance, without duplicates.
    var paths: [String] = []
    var blind: [Blind] = []
    /// Matters where there are no paths.
    var unnotified: [Unnotified] = []
    /// Whether the getter visibly gives the same value each time.
    var isConstant = false
  }

  let model: ObservableClass
  /// Whether no superclass is observable, so that no key is inherited.
  var isRoot = false

  func dependencies(of property: ObservableProperty) -> Result {
    guard let getter = property.getter else { return Result() }
    let walk = InferenceWalk(model: model, isRoot: isRoot)
    let result = walk.body(getter)
    walk.use(result)
    var paths = walk.recordedPaths
    // Whatever the getter reads of its own key is the superclass's or a recursion.
    paths.removeAll { $0 == property.name || $0.hasPrefix(property.name + ".") }
    return Result(
      paths: paths, blind: walk.blind, unnotified: walk.unnotified,
      isConstant: paths.isEmpty && walk.blind.isEmpty && namesOnlyConstants(getter))
  }

  /// Whether all that a getter names are constants of the class.
  private func namesOnlyConstants(_ getter: CodeBlockItemListSyntax) -> Bool {
    let names = NameCollector(viewMode: .sourceAccurate)
    names.walk(getter)
    return names.found.allSatisfy { name in
      name == "self" || model.property(name)?.declaration.isLet == true
    }
  }
}

/// Collects the names that stand by themselves, not those of members.
private final class NameCollector: SyntaxVisitor {
  var found: [String] = []

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let isMember = node.parent?.as(MemberAccessExprSyntax.self)?.declName.id == node.id
    if !isMember { found.append(node.baseName.plainName) }
    return .visitChildren
  }
}

/// One walk through a getter and the methods that it calls.
final class InferenceWalk {
  let model: ObservableClass
  let isRoot: Bool
  var scope = InferenceScope()
  var blind: [DependencyInference.Blind] = []
  var unnotified: [DependencyInference.Unnotified] = []
  /// The methods being looked into, so that recursion ends.
  var callStack: [SyntaxIdentifier] = []
  /// What the methods without parameters give that have been looked into.
  var known: [SyntaxIdentifier: Reach] = [:]
  /// What the methods read of another object of the class; shared with the walks through them.
  var ofOtherObjects = MethodReads()
  /// Whether the body is that of a static or class method, which has no object.
  var isInTypeMethod = false
  private var recorded: [(path: String, alias: Alias?)] = []
  /// What the function or closure being walked returns, innermost last.
  var returned: [Reach] = []

  init(model: ObservableClass, isRoot: Bool) {
    self.model = model
    self.isRoot = isRoot
  }

  var recordedPaths: [String] {
    var seen: Set<String> = []
    return recorded.compactMap { entry in
      if let alias = entry.alias, alias.isUsed { return nil }
      return seen.insert(entry.path).inserted ? entry.path : nil
    }
  }

  /// Notes that the value is read, not just passed through on the way to something behind it.
  func use(_ reach: Reach, unless alias: Alias? = nil) {
    for path in reach.paths where !path.isEmpty {
      if path.count == 1, reach.constants.contains(path[0]) { continue }
      recorded.append((path.joined(separator: "."), alias))
    }
  }

  func use(_ expression: ExprSyntax?) {
    if let expression { use(evaluate(expression)) }
  }

  /// Binds a local name; the value counts as read only if the name never appears.
  func bind(_ name: String, to reach: Reach) {
    guard !reach.isOpaque else { return scope.bind(name, to: .value(.opaque, nil)) }
    let alias = Alias()
    use(reach, unless: alias)
    scope.bind(name, to: .value(reach, alias))
  }

  /// Binds several alternatives, one of which is the value.
  func bind(_ names: [String], to reach: Reach, sharing alias: Alias) {
    for name in names { scope.bind(name, to: .value(reach, alias)) }
  }

  func inScope<Value>(_ body: () -> Value) -> Value {
    scope.push()
    defer { scope.pop() }
    return body()
  }

  /// Walks a function-like body; the result is what it returns.
  func body(_ statements: CodeBlockItemListSyntax) -> Reach {
    returned.append(.opaque)
    let last = inScope { block(statements) }
    let explicit = returned.removeLast()
    return statements.count == 1 ? explicit.union(last) : explicit
  }

  /// Walks a body that sees the class's members, but not the locals around the place it is used in.
  func member<Value>(isTypeMember: Bool, _ body: () -> Value) -> Value {
    let callers = (scope: scope, isInTypeMethod: isInTypeMethod)
    scope = InferenceScope()
    isInTypeMethod = isTypeMember
    defer { (scope, isInTypeMethod) = (callers.scope, callers.isInTypeMethod) }
    return body()
  }

  func note(_ use: DependencyInference.Blind.Use, at node: some SyntaxProtocol) {
    blind.append(.init(use: use, node: Syntax(node)))
  }

  /// Notes a read of something that may change and that cannot notify.
  func noteUnnotified(_ source: String, at node: some SyntaxProtocol) {
    unnotified.append(.init(source: source, node: Syntax(node)))
  }
}

/// What methods of the class read of the object that they are called on.
final class MethodReads {
  struct Entry {
    let paths: [String]
    let result: Reach
    /// Whether the method uses something that cannot be seen into.
    let isBlind: Bool
  }

  var entries: [SyntaxIdentifier: Entry] = [:]
}
