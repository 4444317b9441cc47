import SwiftSyntax

/// The classes of all files that are ported together.
struct ClassTable {
  struct Entry {
    /// The superclass's spelling, to be looked up from the class's own place.
    let superclass: String?
    let properties: Set<String>
    let dynamicProperties: Set<String>
    /// The properties that Objective-C finds by name.
    let keys: Set<String>
    /// Those that it finds where `@objcMembers` says so.
    let exposable: Set<String>
    /// Whether `@objcMembers` makes each property a key, also in subclasses and extensions.
    let hasObjectiveCMembers: Bool
    /// The names of properties and methods, and the literals in the body: keys that the attribute sees.
    let names: Set<String>
    /// What the class says that a key depends on, by the key; by the empty key, what it says for several.
    let dependencies: [String: Set<String>]
    /// The keys that the body announces by hand, or switches off; the empty one for a name that's unknown here.
    let announced: Set<String>
    /// The code of getters and methods, by name.
    let bodies: [String: CodeBlockItemListSyntax]
  }

  private var entries: [String: Entry] = [:]
  private(set) var members = MemberTable()
  private(set) var objects = ObjectTable()
  /// The values of constants outside of classes' bodies, or in other classes', by their own names.
  private var constants: [String: Set<String>] = [:]

  /// The observable classes of FoundationKVO.
  static let roots: Set<String> = [
    "NSObject", "Operation", "BlockOperation", "OperationQueue", "Progress", "UndoManager",
  ]

  mutating func collect(_ file: SourceFileSyntax) {
    let collector = Collector(viewMode: .sourceAccurate)
    collector.walk(file)
    members.collect(file)
    objects.collect(file)
    // The last part of a name finds a class: a nested one is mostly written so, too.
    entries.merge(collector.found) { first, _ in first }
    constants.merge(collector.constants) { $0.union($1) }
  }

  /// The class of FoundationKVO that a class inherits from; nil if it's another one, or unknown.
  func root(of name: String?) -> String? {
    guard let end = (line(of: name).last.map(\.superclass) ?? name).map(members.resolved) else {
      return nil
    }
    // A class may have the name of its superclass, `class Operation: Foundation.Operation`.
    let parts = end.split(separator: ".")
    let root = parts.count == 2 ? String(parts[1]) : end
    return Self.roots.contains(root) ? root : nil
  }

  /// A class and its superclasses.
  private func line(of name: String?) -> [Entry] {
    var (next, seen): (String?, Set<String>) = (name, [])
    var found: [Entry] = []
    while let current = next.map(members.resolved), seen.insert(current).inserted,
      let entry = entries[current]
    {
      found.append(entry)
      next = entry.superclass
    }
    return found
  }

  /// The code of a getter without `dynamic`, or of a method.
  func body(of member: String, in name: String) -> CodeBlockItemListSyntax? {
    line(of: name).lazy.compactMap { $0.bodies[member] }.first
  }

  /// What a property holds; nil if no class's body, which is all that the macro sees, declares it.
  func value(of property: String, in name: String) -> ValueType? {
    line(of: name).contains { $0.properties.contains(property) }
      ? members.value(of: property, in: name) : nil
  }

  /// Whether a key of a value announces its changes.
  func announces(_ key: String, of value: ValueType) -> Bool {
    switch value.content {
    case .plain, .anyObject, .task, .proxy: return false
    case .unknown: return entries.values.contains { $0.dynamicProperties.contains(key) }
    case .named(let name):
      if knows(name) {
        return inheritsDynamic(key, from: name)
          || line(of: name).contains { $0.dependencies[key]?.isEmpty == false }
      }
      return root(of: name) != nil && Self.rootKeys.contains(key)
    }
  }

  /// Whether one of the superclasses, in the ported files, declares a property `dynamic`.
  func inheritsDynamic(_ property: String, from superclass: String?) -> Bool {
    line(of: superclass).contains { $0.dynamicProperties.contains(property) }
  }

  /// Whether `@objcMembers`, which subclasses inherit, makes each property of a class a key.
  func hasObjectiveCMembers(_ name: String) -> Bool {
    line(of: name).contains(where: \.hasObjectiveCMembers)
  }

  /// Whether a class or one of its superclasses, in the ported files, declares a key.
  func declaresKey(_ property: String, _ name: String) -> Bool {
    let line = line(of: name)
    return line.indices.contains { index in
      line[index].keys.contains(property)
        || line[index].exposable.contains(property)
          && line[index...].contains(where: \.hasObjectiveCMembers)
    }
  }

  /// Whether the body of a class or a superclass announces a key by hand, or any by a name that isn't a literal.
  func announces(_ key: String, _ name: String) -> Bool {
    line(of: name).contains { $0.announced.contains(key) || $0.announced.contains("") }
  }

  /// Whether a class or a superclass says that a key depends on a path, or on another key that does.
  func states(_ key: String, dependsOn path: String, in name: String) -> Bool {
    var (seen, keys): (Set<String>, [String]) = ([key], [key])
    while let current = keys.popLast() {
      for stated in stated(current, path, in: name) {
        if stated == path || stated.hasPrefix(path + ".") { return true }
        if seen.insert(stated).inserted { keys.append(stated) }
      }
    }
    return false
  }

  /// The paths that a key depends on by the words of a class or a superclass, where a path may be one of them.
  private func stated(_ key: String, _ path: String, in name: String) -> Set<String> {
    var stated: Set<String> = []
    for entry in line(of: name) {
      stated.formUnion(entry.dependencies[key] ?? [])
      if let several = entry.dependencies[""], several.contains(key) {
        stated.formUnion(several.filter { $0 == path || $0.hasPrefix(path + ".") })
      }
    }
    return stated
  }

  /// The text of a constant; nil if none, or several with different texts, have its name.
  func constant(_ name: String) -> String? {
    constants[name].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether a class or its superclasses have a key, or show it in their bodies.
  func declares(_ key: String, _ name: String) -> Bool {
    let end = key.prefix(1).uppercased() + key.dropFirst()
    let names = line(of: name).lazy.flatMap(\.names)
    if names.contains(where: { $0 == key || $0.hasSuffix(end) || $0.contains("\(end)At") }) {
      return true
    }
    guard let root = root(of: name), root != "NSObject" else { return false }
    return Self.rootKeys.contains(key) || Self.rootKeys.contains("is\(end)")
  }

  /// The keys of the observable classes.
  private static let rootKeys: Set<String> = [
    "isCancelled", "isExecuting", "isFinished", "isReady", "isAsynchronous", "isConcurrent",
    "dependencies", "queuePriority", "completionBlock", "name", "operations", "operationCount",
    "maxConcurrentOperationCount", "isSuspended", "progress", "fractionCompleted",
    "completedUnitCount", "totalUnitCount", "isIndeterminate", "isPaused", "isPausable",
    "isCancellable", "localizedDescription", "localizedAdditionalDescription", "userInfo", "kind",
    "estimatedTimeRemaining", "throughput", "fileTotalCount", "fileCompletedCount",
  ]

  func knows(_ name: String) -> Bool { entries[name] != nil }

  func superclass(of name: String) -> String? { entries[name]?.superclass }

  private final class Collector: SyntaxVisitor {
    var found: [String: Entry] = [:]
    var constants: [String: Set<String>] = [:]

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
      if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        let text = node.initializer?.value.literalText
      {
        constants[name, default: []].insert(text)
      }
      return .visitChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
      let text = node.rawValue?.value.literalText ?? node.name.text
      constants[node.name.text, default: []].insert(text)
      return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      found[node.name.text] = Entry(
        superclass: node.superclassName, properties: node.names { _ in true },
        dynamicProperties: node.names(where: \.isDynamic),
        keys: node.names { DeclSyntax($0).isKey }, exposable: node.names(where: \.isExposable),
        hasObjectiveCMembers: node.hasObjectiveCMembers, names: node.shownNames,
        dependencies: node.statedDependencies,
        announced: node.announcedKeys, bodies: node.bodies)
      return .visitChildren
    }
  }
}

extension ClassDeclSyntax {
  fileprivate var hasObjectiveCMembers: Bool {
    attributes.has("objcMembers")
  }

  /// The names of the body's properties and methods, and its literals.
  fileprivate var shownNames: Set<String> {
    let finder = NameFinder(viewMode: .sourceAccurate)
    finder.walk(memberBlock)
    return finder.names
  }

  /// The names of properties.
  fileprivate func names(where condition: (VariableDeclSyntax) -> Bool) -> Set<String> {
    Set(variables.filter(condition).flatMap(\.names))
  }

  /// The code of getters without `dynamic`, which announce nothing by themselves, and of methods.
  fileprivate var bodies: [String: CodeBlockItemListSyntax] {
    var bodies: [String: CodeBlockItemListSyntax] = [:]
    for variable in variables where !variable.isDynamic {
      guard let binding = variable.bindings.first, let getter = binding.getter else { continue }
      bodies[binding.pattern.trimmedDescription] = getter
    }
    for member in declarations {
      guard let method = member.as(FunctionDeclSyntax.self), !method.modifiers.isOfType,
        let body = method.body
      else { continue }
      bodies[method.name.text] = body.statements
    }
    return bodies
  }

  private var variables: [VariableDeclSyntax] {
    declarations.compactMap { $0.as(VariableDeclSyntax.self) }
      .filter { !$0.modifiers.isOfType }
  }

  /// The last part of the first inherited type's name, which may be a protocol's; after `Foundation.`, both parts.
  var superclassName: String? {
    inheritanceClause?.inheritedTypes.first?.type.classNames.first
  }

  fileprivate var announcedKeys: Set<String> {
    let finder = AnnouncementFinder(viewMode: .sourceAccurate)
    finder.walk(memberBlock)
    return finder.keys
  }

  /// What the class says that its keys depend on.
  fileprivate var statedDependencies: [String: Set<String>] {
    let prefix = "keyPathsForValuesAffecting"
    var stated: [String: Set<String>] = [:]
    for member in declarations {
      let name =
        member.as(FunctionDeclSyntax.self)?.name.text
        ?? member.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription
      guard let name, name.hasPrefix(prefix) else { continue }
      let finder = NameFinder(viewMode: .sourceAccurate)
      finder.walk(member)
      let keys = finder.names
      let end = name.dropFirst(prefix.count)
      // Without `forKey`, it's what the key `value` depends on.
      let parameters = member.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters
      if end == "Value", parameters?.first?.firstName.text == "forKey" {
        stated["", default: []].formUnion(keys)
      } else {
        stated[end.prefix(1).lowercased() + end.dropFirst(), default: []].formUnion(keys)
        stated[String(end), default: []].formUnion(keys)
      }
    }
    return stated
  }
}

extension TypeSyntax {
  /// The last part of a class's name; after `Foundation.`, both parts.
  var className: String? {
    if let name = self.as(IdentifierTypeSyntax.self) { return name.name.text }
    guard let member = self.as(MemberTypeSyntax.self) else { return nil }
    let base = member.baseType.trimmedDescription
    return ["Foundation", "FoundationKVO"].contains(base)
      ? "\(base).\(member.name.text)" : member.name.text
  }
}

extension VariableDeclSyntax {
  var isDynamic: Bool { modifiers.has("dynamic") }

  var names: [String] {
    bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
  }
}

extension AttributeListSyntax {
  func has(_ name: String) -> Bool { contains { $0.as(AttributeSyntax.self)?.name == name } }
}

extension DeclModifierListSyntax {
  /// Whether the member is one of the type itself.
  var isOfType: Bool { has("static") || has("class") }

  func has(_ name: String) -> Bool { contains { $0.name.text == name && $0.detail == nil } }

  /// The modifier itself, not of a setter.
  func first(named name: String) -> DeclModifierSyntax? {
    first { $0.name.text == name && $0.detail == nil }
  }
}

private final class NameFinder: SyntaxVisitor {
  var names: Set<String> = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.text)
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    names.formUnion(node.signature.parameterClause.parameters.map(\.firstName.text))
    return .visitChildren
  }

  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    return .visitChildren
  }

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    if let keyPath = node.keyPath { names.insert(keyPath) }
    return .visitChildren
  }

  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if let text = ExprSyntax(node).literalText { names.insert(text) }
    return .visitChildren
  }
}

private final class AnnouncementFinder: SyntaxVisitor {
  var keys: Set<String> = []

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard ["didChangeValue", "didChange"].contains(node.calledExpression.calledName ?? ""),
      let argument = node.arguments.first(where: { $0.label?.text == "forKey" })?.expression
    else { return .visitChildren }
    keys.insert(
      argument.literalText ?? argument.as(MacroExpansionExprSyntax.self)?.keyPath ?? "")
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.name.text == Self.prefix, let body = node.body {
      // Which of the names in its body the general function is about isn't followed.
      let finder = NameFinder(viewMode: .sourceAccurate)
      finder.walk(body)
      keys.formUnion(finder.names.isEmpty ? [""] : finder.names)
    } else {
      switchedOff(node.name.text)
    }
    return .visitChildren
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    switchedOff(node.identifier.text)
    return .visitChildren
  }

  private static let prefix = "automaticallyNotifiesObservers"

  private func switchedOff(_ name: String) {
    guard name.hasPrefix(Self.prefix) else { return }
    let end = name.dropFirst(Self.prefix.count + 2)
    keys.insert(end.prefix(1).lowercased() + end.dropFirst())
  }
}
