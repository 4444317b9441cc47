import SwiftSyntax

/// Makes `Codable` encode and decode a class's properties under their own names.
///
/// The compiler's synthesis sees the hidden storage. If the class has no `CodingKeys`, the macro
/// writes them: each case is named after the storage, and its raw value is the property's name. For the
/// program's own code, a static property with the property's name stands for the case. The compiler does
/// the rest. If the class declares `CodingKeys`, the cases aren't stored properties, so the macro also
/// writes `init(from:)` and `encode(to:)`. It doesn't replace other declarations of the class.
struct CodingGeneration {
  let model: ObservableClass

  var members: [String] {
    guard decodes || encodes else { return [] }
    let implementations = model.codingKeys.flatMap { keys in
      methods(keys).map { conditional($0, under: keys.conditions) }
    }
    guard let conditions = absence(of: model.codingKeys.map(\.conditions)) else {
      return implementations
    }
    return implementations + [conditional(codingKeys, under: conditions)] + refusals
  }

  /// The missing halves of the conformance, for the class's own keys.
  private func methods(_ keys: CodingKeysDeclaration) -> [String] {
    var members: [String] = []
    if decodes {
      members.append(initializer(keys))
      // Adding an initialiser removes the one that Swift provides where every property has a value.
      if model.lacksDesignatedInitializer, model.isPlainlyRoot,
        model.properties.allSatisfy({ $0.hasInitialValue || $0.attributes.wrapper != nil })
      {
        members.append("init() {}")
      }
    }
    if encodes { members.append(encoder(keys)) }
    return members
  }

  /// Whether the macro makes the class decodable.
  var decodes: Bool { model.statedCoding.decodes && lacksDecoding }

  /// Whether the macro makes the class encodable.
  var encodes: Bool { model.statedCoding.encodes && lacksEncoding }

  /// Whether the body has no `init(from:)`.
  var lacksDecoding: Bool {
    !model.initializers.contains { initializer in
      let parameters = initializer.signature.parameterClause.parameters
      return parameters.count == 1 && parameters.first?.firstName.text == "from"
        && parameters.first?.type.trimmedDescription.hasSuffix("Decoder") == true
    }
  }

  /// Whether the body has no `encode(to:)`.
  var lacksEncoding: Bool {
    !model.methods("encode").contains { method in
      !method.isTypeMethod && method.labels == ["to"]
        && method.parameters.first?.type.trimmedDescription.hasSuffix("Encoder") == true
    }
  }

  /// The properties that plain Swift encodes and decodes.
  var stored: [ObservableProperty] { model.properties.filter(\.isCodable) }

  /// The properties that decoding leaves without a value because these keys omit them.
  func properties(without keys: CodingKeysDeclaration) -> [ObservableProperty] {
    guard decodes, let cases = keys.cases else { return [] }
    let names = Set(cases.map(\.plainName))
    return stored.filter { property in
      // A wrapper may have a value to begin with, which its type says.
      guard !names.contains(property.name), property.attributes.wrapper == nil else {
        return false
      }
      return property.binding.initializer == nil
        && (property.declaration.isLet || !property.binding.isOptional)
    }
  }

  // MARK: Keys

  private var codingKeys: String {
    let cases = stored.map { property in
      conditional(
        property.isTracked
          ? "  case \(property.codedStorage) = \(property.name.literal)"
          : "  case \(property.spelling)",
        under: property.conditions)
    }
    // An extension, which the macro doesn't see, may use them.
    let aliases = stored.filter(\.isTracked).map { property in
      conditional(
        "  static var \(property.spelling): Self { .\(property.codedStorage) }",
        under: property.conditions)
    }
    let rawType = cases.isEmpty ? "" : "Swift.String, "
    return """
      private enum CodingKeys: \(rawType)Swift.CodingKey {
      \((cases + aliases).joined(separator: "\n"))
      }
      """
  }

  // MARK: Isolation

  /// An encoding that can't be called, in place of the one that the compiler can't write.
  ///
  /// Without isolation, the conformance of an isolated class can't read variables. The compiler's error would
  /// name the hidden storage; of this method it prints the message. An `encode(to:)` in an extension fits better,
  /// and then this one means nothing. Decoding is an initialiser, which may set the variables.
  private var refusals: [String] {
    guard encodes, model.codingKeys.isEmpty, !model.infersIsolatedConformances,
      let attribute = model.globalActor, let conformance = unattributedEncoding,
      stored.contains(where: \.isIsolatedVariable)
    else { return [] }
    let actor = "@\(attribute.attributeName.trimmedDescription)"
    return [
      """
      @available(*, unavailable, message: "\(model.name) is isolated, and its conformance is not; write \
      '\(actor) \(conformance)'")
      nonisolated \(model.memberAccess)func encode<_$Coder>(to encoder: _$Coder) throws {
        Swift.fatalError()
      }
      """
    ]
  }

  /// The protocol in the inheritance clause that asks for encoding, if nothing is said about its isolation.
  private var unattributedEncoding: String? {
    model.declaration.inheritanceClause?.inheritedTypes
      .filter { !$0.type.is(AttributedTypeSyntax.self) }
      .flatMap { $0.type.protocolNames }
      .first { $0 == "Codable" || $0 == "Encodable" }
  }

  // MARK: Methods

  private func coded(_ keys: CodingKeysDeclaration) -> [ObservableProperty] {
    guard let cases = keys.cases else { return stored }
    return cases.compactMap { key in stored.first { $0.name == key.plainName } }
  }

  private func initializer(_ keys: CodingKeysDeclaration) -> String {
    let lines = coded(keys).filter { !$0.isInitializedConstant }.map { property in
      conditional(
        "  self.\(property.codedStorage) = try \(EmittedNames.coder).decode(.\(property.spelling), "
          + "from: container)", under: property.conditions)
    }
    let required = model.isFinal ? "" : "required "
    // If the macro has reported an error, the body doesn't matter.
    let body =
      properties(without: keys).isEmpty
      ? container("let", "try decoder", lines) : "  Swift.fatalError()"
    return """
      \(model.memberAccess)\(required)init(from decoder: any Swift.Decoder) throws {
      \(body)
      }
      """
  }

  private func encoder(_ keys: CodingKeysDeclaration) -> String {
    let lines = coded(keys).map { property in
      conditional(
        "  try \(EmittedNames.coder).encode(self.\(property.encodedName), .\(property.spelling), "
          + "to: &container)", under: property.conditions)
    }
    return """
      \(model.overridableAccess)func encode(to encoder: any Swift.Encoder) throws {
      \(container("var", "encoder", lines))
      }
      """
  }

  /// The line that creates the container, and a line that encodes or decodes each property.
  private func container(_ specifier: String, _ coder: String, _ lines: [String]) -> String {
    let name = lines.isEmpty ? "_" : "\(specifier) container"
    return (["  \(name) = \(coder).container(keyedBy: CodingKeys.self)"] + lines)
      .joined(separator: "\n")
  }
}

extension ObservableProperty {
  /// Whether plain Swift encodes and decodes the property: it's stored, and not lazy.
  fileprivate var isCodable: Bool {
    switch kind {
    case .computed, .observingOverride, .refused: false
    case .tracked, .manual, .constant, .ignored:
      !binding.isComputed && !declaration.modifiers.contains(.lazy)
        && !declaration.modifiers.contains(.override)
    }
  }

  /// Whether only code of the class's actor may read the property.
  fileprivate var isIsolatedVariable: Bool {
    !declaration.isLet && !declaration.modifiers.contains(.nonisolated)
  }

  /// Whether an object needs no argument for the property; computed ones don't.
  var hasInitialValue: Bool {
    binding.isComputed || binding.initializer != nil || !declaration.isLet && binding.isOptional
  }

  /// Whether the property already has its only value.
  var isInitializedConstant: Bool { declaration.isLet && binding.initializer != nil }

  /// The target of a decoded value: the storage, as in plain Swift's initialisers.
  fileprivate var codedStorage: String { isTracked ? EmittedNames.storage(of: name) : readName }

  /// The source of the encoded value: the property, or the storage of one whose name causes a warning.
  fileprivate var encodedName: String { isDeprecated ? codedStorage : readName }

  /// The property's name; for a wrapped property, the wrapper's.
  fileprivate var readName: String { attributes.wrapper == nil ? spelling : "_\(name)" }
}

extension PatternBindingSyntax {
  /// Whether the type is written as an optional, which starts as nil.
  var isOptional: Bool {
    guard let type = typeAnnotation?.type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}

extension ObservableClass {
  /// Whether Swift provides the class's initialisers.
  var lacksDesignatedInitializer: Bool {
    initializers.allSatisfy { $0.modifiers.contains(.convenience) }
  }

  /// Whether no type in the inheritance clause can be a superclass.
  var isPlainlyRoot: Bool {
    (declaration.inheritanceClause?.inheritedTypes ?? []).allSatisfy { type in
      type.type.protocolNames.allSatisfy { name in
        name.split(separator: ".").last.map { Self.protocols.contains(String($0)) } ?? false
      }
    }
  }

  /// Names of protocols, behind which no superclass can be.
  private static let protocols: Set<String> = [
    "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomReflectable",
    "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Error", "Hashable",
    "Identifiable", "KeyValueObservable", "KeyValueObserver", "ObservableObject", "Sendable",
  ]
}
