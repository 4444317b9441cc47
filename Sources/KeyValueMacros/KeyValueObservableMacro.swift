import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@KeyValueObservable`: the members, the attributes on the class's members, and the conformance.
enum KeyValueObservableMacro: ObservableMacro {
  static let style = ObservableStyle.swift
}

/// The `@KeyValueObservable` macro of one of the two modules that declare it.
protocol ObservableMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
  static var style: ObservableStyle { get }
}

extension ObservableMacro {
  /// The emitted text is already formatted.
  static var formatMode: FormatMode { .disabled }
}

extension ObservableMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      Self.diagnose(wrongKind: declaration, node, in: context)
      return []
    }
    guard !node.isRepetition(on: declaration, in: context) else {
      context.report(.repeated(declaration.name.text), at: node, fixIts: [.remove(node)])
      return []
    }
    let model = ObservableClass(declaration, style, in: context)
    guard isReachable(declaration, node, in: context) else { return [] }
    // The compiler requests no conformance if the superclass has it.
    let isRoot = protocols.asksForObservable || model.statesConformance
    if style == .cocoa, isRoot {
      let superclass = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
      context.report(
        superclass == "NSObject"
          ? .otherNSObject(declaration.name.text) : .foreignRoot(declaration.name.text),
        at: declaration.name)
    }
    ClassDiagnostics(model: model, context: context, isRoot: isRoot).run()
    CastCheck(model: model, context: context).run()
    ShapeDiagnostics(model: model, context: context, missing: protocols).run()
    node.checkTracking(in: context)
    let refusals = CodingElsewhere(model, missing: protocols).refusals
    return MemberGeneration(model: model, isRoot: isRoot, isTracking: node.isTracking).members
      + refusals.map { .verbatim($0) }
  }
}

extension ObservableMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self),
      obstacle(to: declaration, in: context) == nil,
      !node.isRepetition(on: declaration, in: context)
    else { return [] }
    if let function = member.as(FunctionDeclSyntax.self) {
      let method = ObservableMethod(declaration: function, attributes: [], conditions: [])
      guard method.isWrappedHook else { return [] }
      return [.verbatim(EmittedNames.hookAttribute)]
    }
    if member.is(InitializerDeclSyntax.self) || member.is(DeinitializerDeclSyntax.self) {
      let model = ObservableClass(declaration, style, in: context)
      guard
        let generation = InitializerGeneration(member, in: model, isTracking: node.isTracking),
        generation.isRewritable
      else { return [] }
      return [generation.attribute]
    }
    let active = ActiveClauses(in: context)
    let ofClass = declaration.attributes.all(in: active)
    guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first, !variable.modifiers.isTypeMember,
      ofClass.observation == nil
    else { return [] }
    let attributes = variable.attributes.all(in: active)
    let actor = ofClass.first(where: \.isGlobalActor)?.plainName
    guard attributes.first(named: EmittedNames.storedAttribute) == nil,
      case .tracked = variable.kind(
        of: binding, with: attributes, inClassOf: actor, style)
    else { return [] }
    let isManual = attributes.first(named: EmittedNames.manualAttribute) != nil
    if node.isTracking, !isManual {
      return [.verbatim("\(EmittedNames.storedAttribute)(\(EmittedNames.trackingLabel): true)")]
    }
    return [.verbatim(EmittedNames.storedAttribute)]
  }
}

extension ObservableMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self),
      obstacle(to: declaration, in: context) == nil,
      !node.isRepetition(on: declaration, in: context)
    else { return [] }
    let model = ObservableClass(declaration, style, in: context)
    let availability = declaration.availability(in: context.lexicalContext)
    var extensions: [DeclSyntax] = []
    // The root class has the methods that a replacement calls.
    let hasRoot = !protocols.asksForObservable
    let replacements =
      style == .cocoa && hasRoot ? AnnouncingReplacements(model: model).members : []
    if !replacements.isEmpty {
      extensions.append(
        """
        \(raw: availability)extension \(type.trimmed) {
        \(raw: replacements.joined(separator: "\n"))
        }
        """)
    }
    if protocols.asksForObservable {
      extensions.append(
        """
        \(raw: availability)extension \(type.trimmed): \(raw: model.conformanceIsolation)\
        \(raw: EmittedNames.observable) {}
        """)
    }
    if node.isTracking, protocols.asksForTracking {
      // The protocol has no requirements, so the conformance needs no actor.
      let isolation = model.globalActor == nil ? model.conformanceIsolation : "nonisolated "
      extensions.append(
        """
        \(raw: availability)extension \(type.trimmed): \(raw: isolation)\
        \(raw: EmittedNames.tracked) {}
        """)
    }
    return extensions.map { $0.cast(ExtensionDeclSyntax.self) }
  }
}

extension AttributeSyntax {
  /// Whether the class has the macro by another of its attributes, which is expanded instead.
  ///
  /// An attribute under a condition that can't be evaluated may be the only one, and isn't counted.
  fileprivate func isRepetition(
    on declaration: ClassDeclSyntax, in context: some MacroExpansionContext
  ) -> Bool {
    let active = ActiveClauses(in: context)
    let all = declaration.attributes.all(in: active).filter {
      $0.plainName == EmittedNames.observableAttribute
    }
    guard all.count > 1 else { return false }
    let undecided = Set(declaration.attributes.undecided(in: active).map(\.id))
    // The attribute and the class arrive as separate trees.
    guard let first = all.first(where: { !undecided.contains($0.id) }),
      let place = context.location(of: first), let own = context.location(of: self)
    else { return false }
    return place.line.description != own.line.description
      || place.column.description != own.column.description
  }
}

extension ClassDeclSyntax {
  /// The `@available` attributes of the class and its enclosing types, one per line; an extension
  /// of the class needs them.
  fileprivate func availability(in context: [Syntax]) -> String {
    let lists =
      [attributes] + context.compactMap { $0.asProtocol(WithAttributesSyntax.self)?.attributes }
    var seen: Set<String> = []
    return lists.reversed().joined().filter(\.isAvailability).map { $0.trimmedDescription + "\n" }
      .filter { seen.insert($0).inserted }.joined()
  }
}

extension AttributeListSyntax.Element {
  /// Whether this is `@available`, or conditional compilation with only that inside.
  fileprivate var isAvailability: Bool {
    AttributeListSyntax([self]).all(in: .unknown).allSatisfy { $0.plainName == "available" }
  }
}
