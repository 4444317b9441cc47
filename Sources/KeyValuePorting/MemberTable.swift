import SwiftSyntax

/// What the types of all files declare, in their bodies and extensions, by the last part of their names.
///
/// Functions and variables outside of types have the empty name.
struct MemberTable {
  /// A method, by the types of its parameters.
  private struct Overload {
    let parameters: [String]
    let values: [ValueType]
    /// Cocoa's name for it.
    let selector: AccessorSelector?
  }

  private struct Members {
    /// The superclass, and protocols.
    var inherited: [String] = []
    /// The methods of a name, `name(label:)`.
    var overloads: [String: [Overload]] = [:]
    /// The keys of properties that have another name in Objective-C, by their own.
    var keys: [String: String] = [:]
    /// What properties hold, as far as that's written.
    var values: [String: ValueType] = [:]
    /// What properties of the type itself hold.
    var typeValues: [String: ValueType] = [:]
    /// What methods return, `name(label:)`.
    var results: [String: ValueType] = [:]
    /// A protocol's optional requirements that get a default, `name(label:)`.
    var optionals: Set<String> = []
    /// Those of them that return nothing.
    var procedures: Set<String> = []

    /// The methods that get Cocoa's names, by their own.
    func renamed(_ isNamed: (String) -> Bool, _ isCalled: (Overload) -> Bool = { _ in true }) -> [(
      method: String, selector: AccessorSelector
    )] {
      overloads.filter { isNamed($0.key) }.sorted { $0.key < $1.key }.flatMap { method, overloads in
        let called = overloads.filter(isCalled)
        return (called.isEmpty ? overloads : called).compactMap { $0.selector.map { (method, $0) } }
      }
    }
  }

  private var types: [String: Members] = [:]
  /// The types that are declared, and not only extended, and aliases: how many there are of each name.
  private var names: [String: Int] = [:]
  /// The types that aliases of a single name stand for.
  private var aliases: [String: String] = [:]

  mutating func collect(_ file: SourceFileSyntax) {
    for item in file.statements {
      if let declaration = item.item.as(DeclSyntax.self) { add(declaration, to: "") }
    }
    let collector = Collector(viewMode: .sourceAccurate)
    collector.walk(file)
    aliases.merge(collector.aliases) { first, _ in first }
    for name in collector.names { names[name, default: 0] += 1 }
    for (name, inherited, members) in collector.groups {
      types[name, default: Members()].inherited += inherited
      for member in members { add(member, to: name) }
    }
  }

  private mutating func add(_ declaration: DeclSyntax, to type: String) {
    var members = types[type] ?? Members()
    if let method = declaration.as(FunctionDeclSyntax.self) {
      members.overloads[method.fullName, default: []].append(
        Overload(
          parameters: method.parameterTypes, values: method.parameterValues,
          selector: method.newSelector))
      let result = method.signature.returnClause.map { ValueType($0.type) } ?? ValueType(.plain)
      // Methods of the same name that return something else.
      let isAmbiguous = members.results[method.fullName].map { $0 != result } == true
      members.results[method.fullName] = isAmbiguous ? ValueType(.unknown) : result
      if method.isReplaceable, !method.isInLeftProtocol {
        members.optionals.insert(method.fullName)
        if method.returnsNothing { members.procedures.insert(method.fullName) }
      }
    } else if let variable = declaration.as(VariableDeclSyntax.self) {
      for binding in variable.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
          continue
        }
        let value = ValueType(binding)
        if variable.modifiers.isOfType {
          members.typeValues[name] = members.typeValues[name] ?? value
          continue
        }
        members.values[name] = members.values[name] ?? value
        if let key = variable.attributes.objectiveCSelector, key != name {
          members.keys[name] = key
        }
      }
    }
    types[type] = members
  }

  // MARK: Finding

  /// The type that a name means, which may be an alias.
  func resolved(_ name: String) -> String {
    types[name] == nil ? aliases[name] ?? name : name
  }

  /// Whether a type, a superclass or a protocol of theirs inherits from a type that may not be in the files.
  func inherits(_ name: String, from ancestors: Set<String>) -> Bool {
    line(of: name).lazy.flatMap(\.inherited).contains {
      ancestors.contains($0.replacing("Foundation.", with: ""))
    }
  }

  /// A type, its superclasses, and the protocols of all of them.
  private func line(of name: String) -> [Members] {
    var (names, seen): ([String], Set<String>) = ([name], [])
    var found: [Members] = []
    while !names.isEmpty {
      let name = resolved(names.removeFirst())
      guard seen.insert(name).inserted, let members = types[name] else { continue }
      found.append(members)
      names += members.inherited
    }
    return found
  }

  /// Whether the files declare a type, or a property, of a name.
  func declares(_ name: String) -> Bool {
    names[name] != nil
      || types.values.contains { $0.values[name] != nil || $0.typeValues[name] != nil }
  }

  /// Whether several types, which are nested or private, have a name: the table has their members together.
  func isAmbiguous(_ type: String) -> Bool { names[type, default: 0] > 1 }

  /// Whether the files declare a function with this name before its labels.
  func declares(function name: String) -> Bool {
    types.values.contains { $0.results.keys.contains { $0.hasPrefix(name + "(") } }
  }

  /// Whether the files declare a method, `name(label:)`.
  func declares(method: String) -> Bool { types.values.contains { $0.results[method] != nil } }

  /// The optional requirement that gets a default, and that's called with a number of closures behind its
  /// parentheses; nil where another method is called.
  func requirement(_ name: String, _ labels: String, closures: Int) -> String? {
    let count = labels.count { $0 == ":" } + closures
    return types.values.flatMap(\.optionals).filter { method in
      method.hasPrefix("\(name)(\(labels)") && method.count { $0 == ":" } == count
    }.min()
  }

  /// The same where it's named and not called, with or without its labels; the type whose member it is may not be
  /// known.
  func requirement(named name: String, in type: String?) -> String? {
    let isMeant = { (method: String) in method == name || method.hasPrefix(name + "(") }
    guard let type else {
      return declares(name) ? nil : types.values.flatMap(\.optionals).filter(isMeant).min()
    }
    if value(of: name, in: type) != nil { return nil }
    // A class that implements the requirement has a method of its own.
    let members = line(of: type).first { $0.overloads.keys.contains(where: isMeant) }
    return members?.optionals.filter(isMeant).min()
  }

  /// Whether such a requirement returns nothing.
  func isProcedure(_ method: String) -> Bool {
    types.values.contains { $0.procedures.contains(method) }
  }

  /// Whether a method is such a requirement of a protocol to which a type, or a superclass, conforms.
  func isOptional(_ method: String, in type: String) -> Bool {
    line(of: type).contains { $0.optionals.contains(method) }
  }

  /// The names that methods of a type get whose own name is this, nil where one of several keeps it; none if all do.
  ///
  /// `parameters` are those of one of them, and `arguments` those that one of them is called with.
  func newNames(
    of method: String, in type: String, parameters: [String]? = nil, arguments: [ValueType] = []
  ) -> Set<AccessorSelector?> {
    for members in line(of: type) {
      var overloads = members.overloads[method] ?? []
      guard overloads.contains(where: { $0.selector != nil }) else { continue }
      if let parameters, overloads.count > 1 { overloads.removeAll { $0.parameters != parameters } }
      let called = overloads.filter { takes(arguments, $0) }
      if !called.isEmpty { overloads = called }
      if !overloads.isEmpty { return Set(overloads.map(\.selector)) }
    }
    return []
  }

  /// Whether a method takes arguments, as far as their types are visible.
  private func takes(_ arguments: [ValueType], _ method: Overload) -> Bool {
    zip(arguments, method.values).allSatisfy { argument, parameter in
      if argument.isCollection { return parameter.isCollection || parameter.name == nil }
      if parameter.isCollection { return argument.content == .unknown }
      guard let type = argument.name, let parameter = parameter.name else { return true }
      return type == parameter || names[type] == nil || inherits(type, from: [parameter])
    }
  }

  /// The methods of a type that get Cocoa's names, by their own, with this name before the labels.
  func renamed(_ baseName: String, in type: String) -> [(
    method: String, selector: AccessorSelector
  )] {
    line(of: type).flatMap { $0.renamed { $0.hasPrefix(baseName + "(") } }
  }

  /// The types in which a method gets another name that may be called with these arguments.
  func types(renaming method: String, arguments: [ValueType] = []) -> [(
    type: String, selector: AccessorSelector
  )] {
    types.sorted { $0.key < $1.key }.flatMap { type, members in
      members.renamed({ $0 == method }, { takes(arguments, $0) }).map { (type, $0.selector) }
    }
  }

  /// The key of a property that has another name in Objective-C.
  func key(of property: String, in type: String) -> String? {
    line(of: type).lazy.compactMap { $0.keys[property] }.first
  }

  /// The types in which a property has another name in Objective-C.
  func types(naming property: String) -> [(type: String, key: String)] {
    types.compactMap { type, members in members.keys[property].map { (type, $0) } }
      .sorted { $0.type < $1.type }
  }

  /// What a property holds; nil if there's none of that name.
  func value(of property: String, in type: String) -> ValueType? {
    line(of: type).lazy.compactMap { $0.values[property] }.first
  }

  /// Whether a type, or an object of it, has a property.
  func hasProperty(_ name: String, in type: String) -> Bool {
    value(of: name, in: type) != nil || typeValue(of: name, in: type) != nil
  }

  /// What a property of the type itself holds; nil if there's none of that name.
  func typeValue(of property: String, in type: String) -> ValueType? {
    line(of: type).lazy.compactMap { $0.typeValues[property] }.first
  }

  /// What a method returns; nil if there's none of that name.
  func result(of method: String, in type: String) -> ValueType? {
    line(of: type).lazy.compactMap { $0.results[method] }.first
  }

  private final class Collector: SyntaxAnyVisitor {
    var groups: [(name: String, inherited: [String], members: [DeclSyntax])] = []
    var names: [String] = []
    var aliases: [String: String] = [:]

    override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
      guard let group = node.asProtocol((any DeclGroupSyntax).self), let name = node.nameAsType
      else {
        return .visitChildren
      }
      let inherited = group.inheritanceClause?.inheritedTypes.flatMap(\.type.classNames) ?? []
      groups.append((name, inherited, group.declarations))
      if !node.is(ExtensionDeclSyntax.self) { names.append(name) }
      return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
      names.append(node.name.text)
      if node.genericParameterClause == nil {
        aliases[node.name.text] = node.initializer.value.classNames.first
      }
      return .skipChildren
    }
  }
}

extension TypeSyntax {
  /// The parts of `NSObject & Watching`, of which a class stands in front.
  var classNames: [String] {
    (self.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [self]).compactMap(\.className)
  }
}

extension ExtensionDeclSyntax {
  /// The last part of the type's name.
  var typeName: String {
    extendedType.as(MemberTypeSyntax.self)?.name.text ?? extendedType.trimmedDescription
  }
}
