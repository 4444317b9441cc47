import SwiftSyntax

/// Finds the key paths that a getter reads, in its own syntax.
///
/// It reports what it can't follow and never guesses: a call of a method outside the class's body,
/// or `self` as an argument to other code.
struct DependencyInference {
  /// Code or an object that the getter uses, and that may read properties unseen.
  struct Untraced {
    enum Use {
      case call(String)
      case member(String)
      /// A name that may be inherited, in a class without an observable superclass.
      case inherited(String)
      case passesSelf(String)
      /// An object that isn't a property's value, such as `Settings.shared`.
      case sharedObject(String)
    }

    let use: Use
    let node: Syntax
  }

  /// A source that the getter reads, and that may change without notifying.
  struct Unnotified {
    let source: String
    let node: Syntax
  }

  struct Result {
    /// In order of first appearance, without duplicates.
    var paths: [String] = []
    var untraced: [Untraced] = []
    /// Used only if there are no paths.
    var unnotified: [Unnotified] = []
    /// The clocks that the getter reads: time passes without notifying.
    var clocks: [Unnotified] = []
    /// Whether the getter visibly returns the same value each time.
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
    // A getter that reads its own key reads the superclass's, or recurses.
    paths.removeAll { $0 == property.name || $0.hasPrefix(property.name + ".") }
    return Result(
      paths: paths, untraced: walk.untraced, unnotified: walk.unnotified, clocks: walk.clocks,
      isConstant: paths.isEmpty && walk.untraced.isEmpty && walk.clocks.isEmpty
        && namesOnlyConstants(getter))
  }

  /// Whether a getter names only constants of the class.
  private func namesOnlyConstants(_ getter: CodeBlockItemListSyntax) -> Bool {
    let names = NameCollector(viewMode: .sourceAccurate)
    names.walk(getter)
    return names.found.allSatisfy { name in
      name == "self" || model.property(name)?.declaration.isLet == true
    }
  }
}

/// Collects names that aren't members of an expression.
private final class NameCollector: SyntaxVisitor {
  var found: [String] = []

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let isMember = node.parent?.as(MemberAccessExprSyntax.self)?.declName.id == node.id
    if !isMember { found.append(node.baseName.plainName) }
    return .visitChildren
  }
}

/// Follows one getter and the methods that it calls.
final class InferenceWalk {
  let model: ObservableClass
  let isRoot: Bool
  var scope = InferenceScope()
  var untraced: [DependencyInference.Untraced] = []
  var unnotified: [DependencyInference.Unnotified] = []
  var clocks: [DependencyInference.Unnotified] = []
  /// The methods being followed, so that recursion ends.
  var callStack: [FollowedCall] = []
  /// The methods being followed of the objects whose methods led here.
  var callers: Set<SyntaxIdentifier> = []
  /// The results of the methods that were followed, for each of the arguments that they were given.
  var known: [FollowedCall: ValueOrigin] = [:]
  /// What the methods of another object of the class read; shared with the walks through them.
  var ofOtherObjects = MethodReads()
  /// Whether the body is that of a static or class method, which has no object.
  var isInTypeMethod = false
  private var recorded: [(path: String, alias: Alias?)] = []
  /// The results of the functions and closures being followed, innermost last.
  var returned: [ValueOrigin] = []

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

  /// Notes that the value is read, and isn't just a step on the way to another.
  func use(_ origin: ValueOrigin, unless alias: Alias? = nil) {
    for path in origin.paths where !path.isEmpty {
      if path.count == 1, origin.constants.contains(path[0]) { continue }
      recorded.append((path.joined(separator: "."), alias))
    }
  }

  func use(_ expression: ExprSyntax?) {
    if let expression { use(evaluate(expression)) }
  }

  /// Whether a method or getter of this object is being followed.
  func isFollowing(_ id: SyntaxIdentifier) -> Bool { callStack.contains { $0.id == id } }

  /// Binds a local name; the value counts as read only if the name never appears.
  func bind(_ name: String, to origin: ValueOrigin) {
    guard !origin.isOpaque else { return scope.bind(name, to: .value(.opaque, nil)) }
    let alias = Alias()
    use(origin, unless: alias)
    scope.bind(name, to: .value(origin, alias))
  }

  /// Binds several names to alternatives for one value.
  func bind(_ names: [String], to origin: ValueOrigin, sharing alias: Alias) {
    for name in names { scope.bind(name, to: .value(origin, alias)) }
  }

  func inScope<Value>(_ body: () -> Value) -> Value {
    scope.push()
    defer { scope.pop() }
    return body()
  }

  /// Follows a function-like body; the result is what it returns.
  func body(_ statements: CodeBlockItemListSyntax) -> ValueOrigin {
    returned.append(.opaque)
    let last = inScope { block(statements) }
    let explicit = returned.removeLast()
    if statements.count == 1 { return explicit.union(last) }
    // A result builder takes every statement's value.
    use(last)
    return explicit
  }

  /// Follows a body that sees the class's members, but not the locals of the code that uses it.
  func member<Value>(isTypeMember: Bool, _ body: () -> Value) -> Value {
    let callers = (scope: scope, isInTypeMethod: isInTypeMethod)
    scope = InferenceScope()
    isInTypeMethod = isTypeMember
    defer { (scope, isInTypeMethod) = (callers.scope, callers.isInTypeMethod) }
    return body()
  }

  func note(_ use: DependencyInference.Untraced.Use, at node: some SyntaxProtocol) {
    untraced.append(.init(use: use, node: Syntax(node)))
  }

  /// Notes a read of a source that may change and can't notify.
  func noteUnnotified(_ source: String, at node: some SyntaxProtocol) {
    unnotified.append(.init(source: source, node: Syntax(node)))
  }

  /// Notes a read of the time.
  func noteClock(_ source: String, at node: some SyntaxProtocol) {
    clocks.append(.init(source: source, node: Syntax(node)))
  }
}

/// A method or getter of the class, and what its arguments lead to.
struct FollowedCall: Hashable {
  let id: SyntaxIdentifier
  var given: [ValueOrigin] = []

  /// The paths here behind which the same parameter's other argument leads further, as an object's children do.
  func exceeded(by other: [ValueOrigin]) -> [[String]] {
    zip(given, other).flatMap { given, other in
      let known = Set(given.paths)
      let new = other.paths.filter { !known.contains($0) }
      return known.filter { path in new.contains { $0.starts(with: path) } }
    }
  }

  /// The same with other arguments as well; nil if these lead to all that those lead to.
  func widened(by other: [ValueOrigin]) -> FollowedCall? {
    var wider = self
    for (index, origin) in other.enumerated() {
      if index == wider.given.count { wider.given.append(.opaque) }
      wider.given[index] = wider.given[index].union(origin)
    }
    return wider.paths == paths ? nil : wider
  }

  private var paths: [Set<[String]>] { given.map { Set($0.paths) } }
}

/// What the class's methods read of the object that they're called on, and of their arguments.
final class MethodReads {
  struct Entry {
    let paths: [[String]]
    let result: ValueOrigin
    /// Whether the method uses something that can't be followed.
    let isUntraced: Bool
  }

  var entries: [FollowedCall: Entry] = [:]
}
