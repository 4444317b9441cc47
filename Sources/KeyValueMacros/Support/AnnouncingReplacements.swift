import SwiftSyntax

/// Writes the replacements that announce changes of a Cocoa class's `dynamic` members other than stored
/// properties: computed properties with a setter, and collection accessors that change something.
///
/// Cocoa replaces these methods at run time, in a subclass that it creates. Swift can replace `dynamic`
/// members, too. Inside the replacement, but not in a closure there, the member's name refers to the
/// original.
///
/// An override that calls `super` isn't replaced: the method that it calls announces.
struct AnnouncingReplacements {
  let model: ObservableClass

  /// A type that a replacement names.
  private struct NamedType {
    let type: TypeSyntax
    /// The conditions of the `#if` clauses around the member.
    let conditions: [String]
  }

  /// The types that a nested class's replacements name.
  private var types: [NamedType] = []

  init(model: ObservableClass) {
    self.model = model
    guard model.isNested, model.style == .cocoa else { return }
    for property in properties {
      guard let type = property.binding.typeAnnotation?.type else { continue }
      types.append(NamedType(type: type.unwrapped, conditions: property.conditions))
    }
    for method in model.namedMethods where !method.isPrivate && isReplaced(method) {
      for type in method.writtenTypes {
        // What `inout` and `@escaping` say is part of the parameter.
        if type.is(AttributedTypeSyntax.self) { continue }
        types.append(NamedType(type: type.unwrapped, conditions: method.callConditions))
      }
    }
  }

  var members: [String] {
    properties.map { conditional(replacement(of: $0), under: $0.conditions) }
      + model.namedMethods.compactMap { method in
        method.isPrivate
          ? nil : replacement(of: method).map { conditional($0, under: method.callConditions) }
      }
  }

  /// The properties that are replaced.
  private var properties: [ObservableProperty] {
    model.properties.filter { property in
      model.announcesItself(property)
        && !property.declaration.modifiers.contains(where: \.isPrivate)
    }
  }

  // MARK: The types of a nested class

  /// The member of a nested class that names the types of its replacements; nil if they need none.
  ///
  /// An extension of a nested class doesn't see what the types around the class declare. The class's body does.
  var typeNames: String? {
    if types.isEmpty { return nil }
    let names = types.enumerated().map { index, named in
      conditional(
        "  typealias \(EmittedNames.typeName(index)) = \(named.type.trimmedDescription)",
        under: named.conditions)
    }
    // A struct, because Swift allows no enum in a class with a parameter pack.
    return """
      fileprivate struct \(EmittedNames.types) {
      \(names.joined(separator: "\n"))
      }
      """
  }

  /// A member's type as the extension has to write it.
  private func spelling(of type: TypeSyntax) -> String {
    let wrapped = type.unwrapped
    guard let index = types.firstIndex(where: { $0.type.id == wrapped.id }) else {
      return type.trimmedDescription
    }
    let name = "\(EmittedNames.types).\(EmittedNames.typeName(index))"
    return wrapped.id == type.id ? name : name + "!"
  }

  /// A method's signature as the extension has to write it.
  private func signature(of method: ObservableMethod) -> String {
    var signature = method.declaration.signature
    if types.isEmpty { return signature.trimmedDescription }
    let parameters = method.parameters.map { $0.with(\.type, respelled($0.type)) }
    signature.parameterClause.parameters = FunctionParameterListSyntax(parameters)
    if let result = method.declaration.signature.returnClause {
      signature.returnClause = result.with(\.type, respelled(result.type))
    }
    return signature.trimmedDescription
  }

  private func respelled(_ type: TypeSyntax) -> TypeSyntax {
    TypeSyntax(IdentifierTypeSyntax(name: .identifier(spelling(of: type))))
      .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
  }

  // MARK: The replacements

  /// Whether direct calls of a method are announced.
  func isReplaced(_ method: ObservableMethod) -> Bool { replacement(of: method) != nil }

  private func replacement(of property: ObservableProperty) -> String {
    let type = property.binding.typeAnnotation.map { spelling(of: $0.type) } ?? "_"
    return """
      @_dynamicReplacement(for: \(property.spelling))
      private var \(EmittedNames.announced(property.name)): \(type) {
        get { \(property.spelling) }
        set {
          let \(EmittedNames.announcement) = \(EmittedNames.announce)(\(property.name.literal))
          defer { \(EmittedNames.announcement)?.end() }
          \(property.spelling) = newValue
        }
      }
      """
  }

  private func replacement(of method: ObservableMethod) -> String? {
    guard method.declaration.modifiers.contains(where: { $0.name.text == "dynamic" }),
      !method.isOverride || !method.declaration.body.mentionsSuper(method.name), method.isPlain,
      let shape = CollectionAccessorShape.of(method),
      let announcement = announcement(of: method, shape)
    else { return nil }
    let name = method.declaration.name.text
    let labels = method.declaration.signature.parameterClause.parameters
      .map { $0.firstName.text + ":" }.joined()
    let arguments = zip(method.labels, method.names).map { label, name in
      label == "_" ? name : "\(label): \(name)"
    }.joined(separator: ", ")
    return """
      @_dynamicReplacement(for: \(name)(\(labels)))
      private func \(EmittedNames.announced(method.name))\
      \(signature(of: method)) {
        let \(EmittedNames.announcement) = \(EmittedNames.announce)(\(announcement))
        defer { \(EmittedNames.announcement)?.end() }
        return \(name)(\(arguments))
      }
      """
  }

  /// What a call of a collection accessor announces; nil for one that only reads.
  private func announcement(
    of method: ObservableMethod, _ shape: CollectionAccessorShape
  ) -> String? {
    let key = model.key(forSuffix: shape.suffix).literal
    let names = method.names
    switch shape.label {
    case "insertAt", "insertAtIndexes": return ".insertion, at: \(names[1]), \(key)"
    case "removeAt", "removeAtIndexes": return ".removal, at: \(names[0]), \(key)"
    case "replaceAt", "replaceAtIndexes": return ".replacement, at: \(names[0]), \(key)"
    case "addObject": return ".union, object: \(names[0]), \(key)"
    case "removeObject": return ".minus, object: \(names[0]), \(key)"
    case "addSet": return ".union, \(names[0]), \(key)"
    case "removeSet": return ".minus, \(names[0]), \(key)"
    case "intersectSet": return ".intersect, \(names[0]), \(key)"
    case "setSet": return ".set, \(names[0]), \(key)"
    default: return nil
    }
  }
}

extension ObservableClass {
  /// Whether setting this computed property is announced, as in Cocoa where it's `dynamic`.
  func announcesItself(_ property: ObservableProperty) -> Bool {
    style == .cocoa && property.isComputed && property.hasSetter && !property.notifiesManually
      && property.declaration.isDynamic && !property.setsSuper
  }

  /// Whether setting this override is announced neither by itself nor by the superclass, although the
  /// superclass may announce sets of its own property.
  func isMuteOverride(_ property: ObservableProperty) -> Bool {
    style == .cocoa && property.isOverride && property.isComputed && property.hasSetter
      && !property.declaration.isDynamic && !property.notifiesManually && !property.setsSuper
      && DeclaredDependencies(property) == nil && !announcesByName(property.name)
  }

  /// Whether the class announces every change of this computed property, so that changes of what its
  /// getter reads aren't changes of the property.
  ///
  /// Cocoa infers no dependencies, so a class that announces the property by hand is complete.
  func announcesAll(_ property: ObservableProperty) -> Bool {
    announcesItself(property) || style == .cocoa && announcesByName(property.name)
  }

  /// Whether only key-value coding, proxies and accessors announce this stored property's changes, as in
  /// Cocoa where it isn't `dynamic`.
  func isSilent(_ property: ObservableProperty) -> Bool {
    guard style == .cocoa, case .manual = property.kind else { return false }
    return !property.notifiesManually
  }
}

extension ObservableProperty {
  /// Whether an override's setter leaves the value to the superclass.
  var setsSuper: Bool {
    isOverride
      && (binding.accessorBlock?.named ?? []).contains {
        ["set", "_modify", "modify"].contains($0.accessorSpecifier.text)
          && $0.body.mentionsSuper(name)
      }
  }
}

extension TypeSyntax {
  /// The type without the `!` behind it, which only a member's own declaration may have.
  fileprivate var unwrapped: TypeSyntax {
    self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? self
  }
}

extension ObservableMethod {
  fileprivate var isPrivate: Bool { declaration.modifiers.contains(where: \.isPrivate) }

  /// The types of the parameters and of the result.
  fileprivate var writtenTypes: [TypeSyntax] {
    parameters.map(\.type) + [declaration.signature.returnClause?.type].compactMap(\.self)
  }

  fileprivate var isOverride: Bool { declaration.modifiers.contains(.override) }

  /// The parameters' names inside the method.
  fileprivate var names: [String] { parameters.map { ($0.secondName ?? $0.firstName).text } }
}

extension CodeBlockSyntax? {
  /// Whether the code uses a member of `super`.
  fileprivate func mentionsSuper(_ name: String) -> Bool {
    guard let self else { return false }
    let finder = SuperFinder(name: name)
    finder.walk(self)
    return finder.isFound
  }
}

/// Finds a use of a member of `super`.
private final class SuperFinder: SyntaxVisitor {
  private let name: String
  private(set) var isFound = false

  init(name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if node.base?.is(SuperExprSyntax.self) == true, node.declName.baseName.plainName == name {
      isFound = true
    }
    return .visitChildren
  }
}
