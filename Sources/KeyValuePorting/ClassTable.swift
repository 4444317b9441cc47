import SwiftSyntax

/// The classes of all files that are ported together.
struct ClassTable {
  struct Entry {
    let superclass: String?
    /// The superclass's spelling, to be looked up from the class's own place.
    let dynamicProperties: Set<String>
    /// Methods that get Cocoa's names, by their own.
    let renamed: [String: AccessorSelector]
    /// The names of properties and methods, and the literals in the body: keys that the attribute sees.
    let names: Set<String>
    /// What the class says that a key depends on, by the key; by the empty key, what it says for several.
    let dependencies: [String: Set<String>]
    /// The keys that the body announces by hand, or switches off; the empty one for a name that's unknown here.
    let announced: Set<String>
    /// Whether the class itself says that its objects can be archived.
    let isCoded: Bool
  }

  private var entries: [String: Entry] = [:]
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

  /// Whether a class or a superclass says that a key depends on another one.
  func states(_ key: String, dependsOn other: String, in name: String) -> Bool {
    var name: String? = name
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      if entry.dependencies[key]?.contains(other) == true { return true }
      if let several = entry.dependencies[""], several.isSuperset(of: [key, other]) { return true }
      name = entry.superclass
    }
    return false
  }

  /// The methods of a class and its superclasses that get Cocoa's names.
  func renamed(_ name: String) -> [String: AccessorSelector] {
    var (name, renamed): (String?, [String: AccessorSelector]) = (name, [:])
    var seen: Set<String> = []
    while let current = name, seen.insert(current).inserted, let entry = entries[current] {
      renamed.merge(entry.renamed) { first, _ in first }
      name = entry.superclass
    }
    return renamed
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

  private final class Collector: SyntaxVisitor {
    var found: [String: Entry] = [:]
    var constants: [String: Set<String>] = [:]
    var aliases: [String: String] = [:]

    var replacedOptionals: Set<String> = []

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
      for method in node.memberBlock.members.compactMap({ $0.decl.as(FunctionDeclSyntax.self) })
      where method.isReplaceable {
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
        superclass: node.superclassName, dynamicProperties: properties, renamed: node.renamed,
        names: node.shownNames, dependencies: node.statedDependencies,
        announced: node.announcedKeys, isCoded: node.isCoded)
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

  /// The body's methods that get Cocoa's names, by their own.
  fileprivate var renamed: [String: AccessorSelector] {
    var renamed: [String: AccessorSelector] = [:]
    for member in memberBlock.members {
      guard let method = member.decl.as(FunctionDeclSyntax.self),
        let selector = method.newSelector
      else { continue }
      renamed[method.fullName] = selector
    }
    return renamed
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
      // The first key of a path is the class's own.
      let keys = finder.names.map { String($0.prefix { $0 != "." }) }
      let end = name.dropFirst(prefix.count)
      if end == "Value" {
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
    // Which keys the general function is about isn't followed.
    switchedOff(node.name.text)
    return .visitChildren
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    switchedOff(node.identifier.text)
    return .visitChildren
  }

  private func switchedOff(_ name: String) {
    let prefix = "automaticallyNotifiesObservers"
    guard name.hasPrefix(prefix) else { return }
    let end = name.dropFirst(prefix.count + 2)
    keys.insert(end.prefix(1).lowercased() + end.dropFirst())
  }
}
