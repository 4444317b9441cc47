import SwiftSyntax

/// The classes of all files that are ported together.
struct ClassTable {
  struct Entry {
    let superclass: String?
    /// The superclass's spelling, to be looked up from the class's own place.
    let dynamicProperties: Set<String>
    /// The names of properties and methods, and the literals in the body: keys that the attribute sees.
    let names: Set<String>
    /// What the class says that a key depends on, by the key; by the empty key, what it says for several.
    let dependencies: [String: Set<String>]
    /// The keys that the body announces by hand, or switches off; the empty one for a name that's unknown here.
    let announced: Set<String>
    /// Whether the class itself says that its objects can be archived.
    let isCoded: Bool
    /// What its properties hold, as far as that's written.
    let values: [String: ValueType]
    /// The code of getters and methods, by name.
    let bodies: [String: CodeBlockItemListSyntax]
  }

  private var entries: [String: Entry] = [:]
  private(set) var members = MemberTable()
  private(set) var objects = ObjectTable()
  /// The values of constants outside of classes' bodies, or in other classes', by their own names.
  private var constants: [String: Set<String>] = [:]
  /// The optional requirements that get a default, `name(label:)`.
  private(set) var replacedOptionals: Set<String> = []
  /// The types that aliases of a single name stand for.
  private var aliases: [String: String] = [:]

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
    replacedOptionals.formUnion(collector.replacedOptionals)
    aliases.merge(collector.aliases) { first, _ in first }
  }

  /// The class of FoundationKVO that a class inherits from; nil if it's another one, or unknown.
  func root(of superclass: String?) -> String? {
    var name = superclass
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted {
      // A class may have the name of its superclass, `class Operation: Foundation.Operation`.
      let parts = current.split(separator: ".")
      if parts.count == 2 {
        let root = String(parts[1])
        return Self.roots.contains(root) ? root : nil
      }
      if let entry = entries[current] {
        name = entry.superclass
      } else if let alias = aliases[current] {
        name = alias
      } else {
        return Self.roots.contains(current) ? current : nil
      }
    }
    return nil
  }

  /// The first thing that the entry of a class or a superclass has.
  private func first<Found>(in name: String, _ find: (Entry) -> Found?) -> Found? {
    var name: String? = name
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if let found = find(entry) { return found }
      name = entry.superclass
    }
    return nil
  }

  /// The code of a getter without `dynamic`, or of a method.
  func body(of member: String, in name: String) -> CodeBlockItemListSyntax? {
    first(in: name) { $0.bodies[member] }
  }

  /// What a property holds; nil if there's none of that name.
  func value(of property: String, in name: String) -> ValueType? {
    first(in: name) { $0.values[property] }
  }

  /// Whether a key of a value announces its changes.
  func announces(_ key: String, of value: ValueType) -> Bool {
    switch value.content {
    case .plain, .anyObject: return false
    case .unknown: return entries.values.contains { $0.dynamicProperties.contains(key) }
    case .named(let name):
      if knows(name) {
        return inheritsDynamic(key, from: name)
          || first(in: name) { $0.dependencies[key].map { !$0.isEmpty } } == true
      }
      return root(of: name) != nil && Self.rootKeys.contains(key)
    }
  }

  /// Whether objects of a class can be archived, as it or a superclass says.
  func isCoded(_ name: String) -> Bool {
    var name: String? = name
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if entry.isCoded { return true }
      name = entry.superclass
    }
    return false
  }

  /// Whether one of the superclasses, in the ported files, declares a property `dynamic`.
  func inheritsDynamic(_ property: String, from superclass: String?) -> Bool {
    var name = superclass
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if entry.dynamicProperties.contains(property) { return true }
      name = entry.superclass
    }
    return false
  }

  /// Whether the body of a class or a superclass announces a key by hand, or any by a name that isn't a literal.
  func announces(_ key: String, _ name: String) -> Bool {
    var name: String? = name
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if entry.announced.contains(key) || entry.announced.contains("") { return true }
      name = entry.superclass
    }
    return false
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
    var name: String? = name
    var (seen, stated): (Set<String>, Set<String>) = ([], [])
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      stated.formUnion(entry.dependencies[key] ?? [])
      if let several = entry.dependencies[""], several.contains(key) {
        stated.formUnion(several.filter { $0 == path || $0.hasPrefix(path + ".") })
      }
      name = entry.superclass
    }
    return stated
  }

  /// The text of a constant; nil if none, or several with different texts, have its name.
  func constant(_ name: String) -> String? {
    constants[name].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether a class or its superclasses have a key, or show it in their bodies.
  func declares(_ key: String, _ name: String) -> Bool {
    var name: String? = name
    var seen: Set<String> = []
    let end = key.prefix(1).uppercased() + key.dropFirst()
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if entry.names.contains(where: { $0 == key || $0.hasSuffix(end) || $0.contains("\(end)At") })
      {
        return true
      }
      name = entry.superclass
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
    var aliases: [String: String] = [:]

    var replacedOptionals: Set<String> = []

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
      for method in node.memberBlock.members.compactMap({ $0.decl.as(FunctionDeclSyntax.self) })
      where method.isReplaceable && node.isReplaceable {
        replacedOptionals.insert(method.fullName)
      }
      return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
      if node.genericParameterClause == nil {
        aliases[node.name.text] = node.initializer.value.className
      }
      return .skipChildren
    }

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
      var properties: Set<String> = []
      for member in node.memberBlock.members {
        guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isDynamic else {
          continue
        }
        for binding in variable.bindings {
          if let name = binding.pattern.as(IdentifierPatternSyntax.self) {
            properties.insert(name.identifier.text)
          }
        }
      }
      found[node.name.text] = Entry(
        superclass: node.superclassName, dynamicProperties: properties,
        names: node.shownNames, dependencies: node.statedDependencies,
        announced: node.announcedKeys, isCoded: node.isCoded, values: node.values,
        bodies: node.bodies)
      return .visitChildren
    }
  }
}

extension ClassDeclSyntax {
  /// The names of the body's properties and methods, and its literals.
  fileprivate var shownNames: Set<String> {
    let finder = NameFinder(viewMode: .sourceAccurate)
    finder.walk(memberBlock)
    return finder.names
  }

  /// What the properties hold.
  fileprivate var values: [String: ValueType] {
    var values: [String: ValueType] = [:]
    for variable in variables {
      for binding in variable.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
          continue
        }
        values[name] = ValueType(binding)
      }
    }
    return values
  }

  /// The code of getters without `dynamic`, which announce nothing by themselves, and of methods.
  fileprivate var bodies: [String: CodeBlockItemListSyntax] {
    var bodies: [String: CodeBlockItemListSyntax] = [:]
    for variable in variables where !variable.isDynamic {
      guard let binding = variable.bindings.first, let getter = binding.getter else { continue }
      bodies[binding.pattern.trimmedDescription] = getter
    }
    for member in memberBlock.members {
      guard let method = member.decl.as(FunctionDeclSyntax.self), !method.modifiers.has("class"),
        !method.modifiers.has("static"), let body = method.body
      else { continue }
      bodies[method.name.text] = body.statements
    }
    return bodies
  }

  private var variables: [VariableDeclSyntax] {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .filter { !$0.modifiers.has("class") && !$0.modifiers.has("static") }
  }

  /// The last part of the first inherited type's name, which may be a protocol's; after `Foundation.`, both parts.
  var superclassName: String? {
    inheritanceClause?.inheritedTypes.first?.type.className
  }

  fileprivate var isCoded: Bool {
    inheritanceClause?.inheritedTypes.contains {
      let name = $0.type.as(MemberTypeSyntax.self)?.name.text ?? $0.type.trimmedDescription
      return ["NSCoding", "NSSecureCoding"].contains(name)
    } == true
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
    for member in memberBlock.members {
      let name =
        member.decl.as(FunctionDeclSyntax.self)?.name.text
        ?? member.decl.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription
      guard let name, name.hasPrefix(prefix) else { continue }
      let finder = NameFinder(viewMode: .sourceAccurate)
      finder.walk(member.decl)
      let keys = finder.names
      let end = name.dropFirst(prefix.count)
      // Without `forKey`, it's what the key `value` depends on.
      let parameters = member.decl.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters
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
}

extension DeclModifierListSyntax {
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
