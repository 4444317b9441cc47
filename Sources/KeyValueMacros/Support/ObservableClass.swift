import SwiftSyntax
import SwiftSyntaxMacros

/// An annotated class: its properties and methods, and its relation to its superclass.
struct ObservableClass {
  let declaration: ClassDeclSyntax
  let attributes: [AttributeSyntax]
  let properties: [ObservableProperty]
  /// The properties that are keys, by their capitalised names.
  private let capitalised: [String: String]
  let methods: [ObservableMethod]
  /// The methods that may be accessors, validators or customisation points by their names.
  let namedMethods: [ObservableMethod]
  /// The names of static and class properties and functions.
  let typeMembers: Set<String>
  /// The instance subscripts that have a getter.
  let subscripts: [SubscriptDeclSyntax]
  let initializers: [InitializerDeclSyntax]
  /// The class's own `CodingKeys`; several only in different clauses of `#if`.
  let codingKeys: [CodingKeysDeclaration]

  let style: ObservableStyle
  let active: ActiveClauses
  let announcements: Announcements
  /// Whether the class is inside of another type.
  let isNested: Bool

  /// The access level that the extension around the class gives it.
  private let accessOfExtension: AccessLevel?

  init(
    _ declaration: ClassDeclSyntax, _ style: ObservableStyle = .swift,
    in context: (any MacroExpansionContext)? = nil
  ) {
    let innermost = context?.surroundings(of: declaration).first
    isNested = innermost != nil
    accessOfExtension = innermost?.as(ExtensionDeclSyntax.self).flatMap {
      AccessLevel.stated($0.modifiers)
    }
    self.declaration = declaration
    self.style = style
    announcements = Announcements(in: declaration.memberBlock)
    let active = context.map { ActiveClauses(in: $0) } ?? .unknown
    self.active = active
    attributes = declaration.attributes.all(in: active)
    var members = MemberCollector(
      style: style, active: active,
      actor: attributes.first(where: \.isGlobalActor)?.plainName,
      isRewrittenElsewhere: attributes.observation != nil)
    members.collect(declaration.memberBlock.members, conditions: [])
    properties = members.properties
    capitalised = Dictionary(
      properties.filter(\.isKey).map { ($0.name.capitalisedFirst, $0.name) },
      uniquingKeysWith: { first, _ in first })
    methods = members.methods
    namedMethods = methods.filter(\.isFoundByName)
    typeMembers = members.typeMembers
    subscripts = members.subscripts
    initializers = members.initializers
    codingKeys = members.codingKeys
  }

  var name: String { declaration.name.text }
  var access: AccessLevel {
    AccessLevel.stated(declaration.modifiers) ?? accessOfExtension ?? .internal
  }
  /// The modifiers of an emitted member that isn't overridable, with a trailing space.
  var memberAccess: String { inlining + access.forMember }
  /// The modifiers of an emitted member that subclasses may override, with a trailing space.
  var overridableAccess: String { inlining + access.forOverridable }
  /// A class that inlinable code may use needs members that such code may use.
  private var inlining: String {
    let isUsable = attributes.first(named: "usableFromInline") != nil
    return isUsable ? "@usableFromInline " : ""
  }
  var isFinal: Bool { declaration.modifiers.contains(.final) }
  /// Whether a subclass could have its own accessors for the property.
  func mayOverride(_ property: ObservableProperty) -> Bool {
    !isFinal && !property.declaration.modifiers.contains(.final)
      && AccessLevel.stated(property.declaration.modifiers) != .private
  }

  var hasInheritanceClause: Bool { declaration.inheritanceClause != nil }

  /// The attribute that isolates the class to a global actor.
  var globalActor: AttributeSyntax? { attributes.first(where: \.isGlobalActor) }

  /// The conformance's isolation, which is the class's, with a trailing space.
  var conformanceIsolation: String {
    if let globalActor { return "@\(globalActor.attributeName.trimmedDescription) " }
    return declaration.modifiers.contains(.nonisolated) ? "nonisolated " : ""
  }

  /// Whether a conformance that states no isolation may have the class's.
  var infersIsolatedConformances: Bool {
    active.hasFeature("InferIsolatedConformances") ?? true
  }

  /// The properties with rewritten accessors, in declaration order.
  var tracked: [ObservableProperty] { properties.filter(\.isTracked) }

  var hasParameterPack: Bool {
    declaration.genericParameterClause?.parameters.contains { parameter in
      parameter.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.each) }
    } ?? false
  }

  /// Whether the inheritance clause itself names the protocol, alone or in a composition.
  var statesConformance: Bool {
    declaration.inheritanceClause?.inheritedTypes.contains { inherited in
      inherited.type.protocolNames.contains { name in
        name.split(separator: ".").last.map(String.init) == EmittedNames.observableAttribute
      }
    } ?? false
  }

  func property(_ name: String) -> ObservableProperty? { properties.first { $0.name == name } }

  func methods(_ name: String) -> [ObservableMethod] { methods.filter { $0.name == name } }

  /// The prefixes of a key's own class functions.
  static let customisations = ["keyPathsForValuesAffecting", "automaticallyNotifiesObserversOf"]

  /// Class properties in place of those functions; Cocoa treats both alike.
  var customisingProperties: [String] {
    customisingVariables.flatMap { $0.1.pattern.boundNames.map(\.plainName) }
      .filter { name in Self.customisations.contains { name.suffix(after: $0) != nil } }
  }

  /// The class properties that may be such a one, with their declarations.
  var customisingVariables: [(VariableDeclSyntax, PatternBindingSyntax)] {
    guard style == .cocoa else { return [] }
    return declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .filter(\.modifiers.isTypeMember)
      .flatMap { variable in variable.bindings.map { (variable, $0) } }
  }

  /// The types of a key's class functions and properties that return key paths as objects, by their names.
  var typesOfKeysAsObjects: [String: TypeSyntax] {
    var found: [String: TypeSyntax] = [:]
    for member in declaration.memberBlock.members {
      if let method = member.decl.as(FunctionDeclSyntax.self), method.modifiers.isTypeMember,
        method.signature.parameterClause.parameters.isEmpty
      {
        found[method.name.plainName] = method.signature.returnClause?.type
      } else if let variable = member.decl.as(VariableDeclSyntax.self),
        variable.modifiers.isTypeMember
      {
        for binding in variable.bindings {
          for name in binding.pattern.boundNames {
            found[name.plainName] = binding.typeAnnotation?.type
          }
        }
      }
    }
    return found.filter { name, type in
      name.suffix(after: Self.customisations[0]) != nil
        && ["NSSet", "Set<NSObject>", "Set<NSString>", "Set<AnyHashable>"]
          .contains(type.trimmedDescription)
    }
  }

  /// The key that a method's suffix names, as `Transactions` in `countOfTransactions`.
  func key(forSuffix suffix: String) -> String {
    capitalised[suffix] ?? suffix.loweredFirst
  }
}

/// Walks a member list, including the clauses of `#if` that are compiled, or may be.
private struct MemberCollector {
  let style: ObservableStyle
  let active: ActiveClauses
  /// The global actor that the class is isolated to.
  let actor: String?
  /// Whether another macro writes the accessors, so that they don't announce changes.
  let isRewrittenElsewhere: Bool
  var properties: [ObservableProperty] = []
  var methods: [ObservableMethod] = []
  var typeMembers: Set<String> = []
  var subscripts: [SubscriptDeclSyntax] = []
  var initializers: [InitializerDeclSyntax] = []
  var codingKeys: [CodingKeysDeclaration] = []

  mutating func collect(_ members: MemberBlockItemListSyntax, conditions: [String]) {
    for member in members {
      if let variable = member.decl.as(VariableDeclSyntax.self) {
        collect(variable, conditions: conditions)
      } else if let function = member.decl.as(FunctionDeclSyntax.self) {
        methods.append(
          ObservableMethod(
            declaration: function, attributes: function.attributes.all(in: active),
            conditions: conditions, style: style))
        if function.modifiers.isTypeMember { typeMembers.insert(function.name.plainName) }
      } else if let declaration = member.decl.as(SubscriptDeclSyntax.self) {
        collect(declaration)
      } else if let declaration = member.decl.as(InitializerDeclSyntax.self) {
        initializers.append(declaration)
      } else if let keys = CodingKeysDeclaration(member.decl, conditions: conditions) {
        codingKeys.append(keys)
      } else if let config = member.decl.as(IfConfigDeclSyntax.self) {
        let compiled = Set(active.clauses(of: config).map(\.id))
        var earlier: [String] = []
        for clause in config.clauses {
          let own = clause.condition?.trimmedDescription
          let terms = earlier.map { "!(\($0))" } + (own.map { [$0] } ?? [])
          if let own { earlier.append(own) }
          if compiled.contains(clause.id), case .decls(let inner) = clause.elements {
            collect(inner, conditions: conditions + [terms.joined(separator: " && ")])
          }
        }
      }
    }
  }

  private mutating func collect(_ declaration: SubscriptDeclSyntax) {
    guard !declaration.modifiers.isTypeMember, declaration.accessorBlock?.getter != nil else {
      return
    }
    subscripts.append(declaration)
  }

  private mutating func collect(_ variable: VariableDeclSyntax, conditions: [String]) {
    guard !variable.modifiers.isTypeMember else {
      typeMembers.formUnion(variable.bindings.flatMap(\.pattern.boundNames).map(\.plainName))
      return
    }
    let attributes = variable.attributes.all(in: active)
    let availability = attributes.compactMap(\.conditionOfAvailability)
    for binding in variable.bindings {
      let names = binding.pattern.boundNames
      var kind = variable.kind(
        of: binding, with: attributes, inClassOf: actor, style)
      if isRewrittenElsewhere {
        switch kind {
        case .tracked, .refused(.observationIgnored): kind = .manual
        default: break
        }
      }
      for token in names {
        properties.append(
          ObservableProperty(
            name: token.plainName, token: token,
            kind: kind,
            declaration: variable, attributes: attributes, binding: binding,
            setter: variable.setter(of: binding),
            ownership: variable.ownership,
            // Where a stored property is unavailable, the compiler rejects it.
            conditions: binding.isComputed ? conditions + availability : conditions))
      }
    }
  }
}

extension PatternSyntax {
  /// The names that the pattern binds.
  var boundNames: [TokenSyntax] {
    if let identifier = self.as(IdentifierPatternSyntax.self) { return [identifier.identifier] }
    if let tuple = self.as(TuplePatternSyntax.self) {
      return tuple.elements.flatMap(\.pattern.boundNames)
    }
    if let valueBinding = self.as(ValueBindingPatternSyntax.self) {
      return valueBinding.pattern.boundNames
    }
    return []
  }
}
