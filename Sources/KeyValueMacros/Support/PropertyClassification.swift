import SwiftParser
import SwiftSyntax

extension TokenSyntax {
  /// Whether no key path can contain the name: it's none without its backticks, as `first name`, or
  /// means something else there even in backticks, as `Type`.
  fileprivate var isRawIdentifier: Bool {
    text != plainName
      && (!EmittedNames.storage(of: plainName).isValidSwiftIdentifier(for: .variableName)
        || ["Type", "Protocol"].contains(plainName))
  }
}

extension TypeSyntax {
  /// Whether only the initial value gives the type.
  fileprivate var isOpaque: Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.some) }
  }
}

extension [AttributeSyntax] {
  /// The attributes of a stored property that aren't property wrappers.
  private static let plainAttributes: Set<String> = [
    "available", "objc", "nonobjc", "usableFromInline", "inlinable", "preconcurrency", "_spi",
    "exclusivity", "IBOutlet", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged",
    "warn_unqualified_access", "differentiable", "noDerivative", "_nonoverride", "_documentation",
    "_implementationOnly", "_semantics", "_optimize", "_alwaysEmitIntoClient", "abi",
    "backDeployed", "safe", "unsafe",
    EmittedNames.dependsOnAttribute, EmittedNames.manualAttribute, EmittedNames.ignoredAttribute,
    EmittedNames.redactedAttribute, EmittedNames.storedAttribute,
  ]

  /// The attribute that may be a property wrapper or another macro that rewrites the accessors.
  var wrapper: AttributeSyntax? {
    first { !Self.plainAttributes.contains($0.plainName) && !$0.isGlobalActor }
  }
}

extension VariableDeclSyntax {
  var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

  /// `weak` or `unowned`, as a case of the runtime's ownership.
  var ownership: String? {
    if modifiers.contains(.weak) { return "weak" }
    return modifiers.contains(.unowned) ? "unowned" : nil
  }

  /// Whether Cocoa announces its changes.
  var isDynamic: Bool { modifiers.contains { $0.name.text == "dynamic" } }

  /// How the macros treat one of the bindings of a variable with these attributes, in a class that's isolated to
  /// this actor, if any.
  func kind(
    of binding: PatternBindingSyntax, with attributes: [AttributeSyntax],
    inClassOf classActor: String?, _ style: ObservableStyle
  ) -> ObservableProperty.Kind {
    let isManual = attributes.first(named: EmittedNames.manualAttribute) != nil
    if attributes.first(named: EmittedNames.ignoredAttribute) != nil
      || attributes.contains(where: \.isUnavailability)
    {
      return .ignored
    }
    if let actor = attributes.first(where: \.isGlobalActor)?.plainName, actor != classActor {
      return .refused(.isolated(actor))
    }
    if binding.isVisiblyNoncopyable || binding.isCustomMirror { return .ignored }
    if binding.pattern.boundNames.contains(where: \.isRawIdentifier) {
      return .refused(.rawIdentifier)
    }
    if isLet { return .constant }
    if binding.isComputed {
      return binding.hasEffectfulGetter ? .refused(.effectfulGetter) : .computed
    }
    if modifiers.contains(.override) { return .observingOverride }
    // As in Cocoa, a property that isn't `dynamic` is a key, but announces nothing.
    if style == .cocoa, !isDynamic { return .manual }
    let refusal = refusal(of: binding, with: attributes, inIsolatedClass: classActor != nil)
    // Accessors that announce nothing need not be rewritten where they can't be.
    if isManual { return refusal == nil && binding.typesInObservers.isEmpty ? .tracked : .manual }
    return refusal.map { .refused($0) } ?? .tracked
  }

  /// Why the accessors of a stored property can't be rewritten; nil if they can.
  private func refusal(
    of binding: PatternBindingSyntax, with attributes: [AttributeSyntax],
    inIsolatedClass isolated: Bool
  ) -> ObservableProperty.Refusal? {
    if modifiers.contains(.lazy) { return .lazy }
    if let wrapper = attributes.wrapper {
      return wrapper.plainName == "ObservationIgnored"
        ? .observationIgnored(wrapper) : .wrapper(wrapper.plainName)
    }
    if attributes.first(named: "NSCopying") != nil { return .copying }
    if let type = binding.typeAnnotation?.type, type.isOpaque {
      return .opaque(type.trimmedDescription)
    }
    if let modifier = modifiers.first(where: { $0.name.text == "nonisolated" }),
      isolated || modifier.detail != nil
    {
      return .nonisolated(modifier)
    }
    if bindings.count > 1 { return .severalBindings }
    if !binding.pattern.is(IdentifierPatternSyntax.self) { return .tuplePattern }
    return nil
  }

  /// Whether a binding has a setter, and how visible it is.
  func setter(of binding: PatternBindingSyntax) -> ObservableProperty.Setter {
    guard !isLet, !binding.isComputed || binding.hasSetter else { return .none }
    guard let setter = AccessLevel.statedForSetter(modifiers),
      setter < AccessLevel.stated(modifiers) ?? .internal
    else { return .visible }
    return .restricted(to: setter)
  }
}
