import SwiftSyntax

/// One property of an observable class, as seen by the macros.
struct ObservableProperty {
  enum Kind {
    /// A stored `var` with rewritten accessors.
    case tracked
    /// A stored `var` that announces nothing, with accessors that can't be rewritten, or need not be.
    case manual
    /// A `let`.
    case constant
    /// A property with a getter, or an override.
    case computed
    /// An override that only adds `willSet` or `didSet`: the inherited key remains.
    case observingOverride
    /// `@KeyValueIgnored`, unavailable, or refused by a diagnostic: not a key.
    case ignored
    /// Several bindings in one `var`, a tuple pattern, `lazy`, a wrapper: refused.
    case refused(Refusal)
  }

  enum Refusal {
    case severalBindings, tuplePattern, lazy
    case wrapper(String)
    case observationIgnored(AttributeSyntax)
    /// `@NSCopying`, which rewritten accessors don't obey.
    case copying
    case opaque(String)
    /// A name in backticks that only backticks make a name.
    case rawIdentifier
    case effectfulGetter
    case isolated(String)
    case nonisolated(DeclModifierSyntax)
  }

  enum Setter {
    case none
    /// At least as visible as the getter.
    case visible
    case restricted(to: AccessLevel)
  }

  let name: String
  /// The name as written, backticks included.
  let token: TokenSyntax
  let kind: Kind
  let declaration: VariableDeclSyntax
  let attributes: [AttributeSyntax]
  let binding: PatternBindingSyntax
  let setter: Setter
  let ownership: String?
  /// The conditions of the `#if` clauses around the property, outermost first.
  let conditions: [String]

  var hasSetter: Bool { if case .none = setter { false } else { true } }
  /// Whether the setter is as visible as the getter.
  var isSettable: Bool { if case .visible = setter { true } else { false } }
  var isTracked: Bool { if case .tracked = kind { true } else { false } }
  /// Whether the object stores the key, and can be set.
  var isStored: Bool {
    switch kind {
    case .tracked, .manual: true
    default: false
    }
  }
  var isComputed: Bool { if case .computed = kind { true } else { false } }
  var isIgnored: Bool { if case .ignored = kind { true } else { false } }
  var isOverride: Bool { declaration.modifiers.contains(.override) }
  /// Whether code that mentions the property is warned.
  var isDeprecated: Bool { attributes.contains(where: \.isDeprecation) }
  /// The name as code has to write it.
  var spelling: String { token.text }

  /// Whether other code can name the property as a key.
  var isKey: Bool {
    switch kind {
    case .tracked, .manual, .constant, .computed, .observingOverride: true
    case .ignored, .refused: false
    }
  }

  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.first(named: name)
  }

  var notifiesManually: Bool { attribute(EmittedNames.manualAttribute) != nil }
  /// Whether `@KeyValueRedacted` keeps the value out of traces.
  var isRedacted: Bool { attribute(EmittedNames.redactedAttribute) != nil }

  /// The getter's statements, for a computed property.
  var getter: CodeBlockItemListSyntax? { binding.accessorBlock?.getter }

  /// A stored property's `willSet` and `didSet`.
  var observers: [AccessorDeclSyntax] { binding.observers }
}

extension PatternBindingSyntax {
  /// Whether the binding has a getter of its own.
  var isComputed: Bool {
    accessorBlock?.implicitGetter != nil
      || namedAccessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }

  var hasSetter: Bool {
    namedAccessors.contains {
      ["set", "_modify", "modify", "unsafeMutableAddress"].contains($0.accessorSpecifier.text)
    }
  }

  /// Whether reading may throw or suspend, which no key path allows.
  var hasEffectfulGetter: Bool { namedAccessors.contains { $0.effectSpecifiers != nil } }

  /// The binding's `willSet` and `didSet`.
  var observers: [AccessorDeclSyntax] {
    namedAccessors.filter { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }

  /// The names of the types that an observer declares.
  var typesInObservers: [TokenSyntax] {
    let finder = TypeFinder(viewMode: .sourceAccurate)
    for observer in observers { finder.walk(observer) }
    return finder.found
  }

  /// What an `init` accessor names in `@storageRestrictions`.
  var storageRestrictions: [ExprSyntax] {
    namedAccessors.filter { $0.accessorSpecifier.text == "init" }
      .flatMap { $0.attributes.all(in: .unknown) }
      .filter { $0.plainName == "storageRestrictions" }
      .flatMap { attribute -> [ExprSyntax] in
        guard case .argumentList(let arguments) = attribute.arguments else { return [] }
        return arguments.map(\.expression)
      }
  }

  private var namedAccessors: [AccessorDeclSyntax] { accessorBlock?.named ?? [] }
}

/// Finds the types that code declares.
final class TypeFinder: SyntaxVisitor {
  var found: [TokenSyntax] = []

  private func note(_ type: some NamedDeclSyntax) -> SyntaxVisitorContinueKind {
    found.append(type.name)
    return .skipChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
}
