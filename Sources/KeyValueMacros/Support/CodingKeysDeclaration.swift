import SwiftSyntax

/// The `CodingKeys` that a class's body declares.
struct CodingKeysDeclaration {
  /// The cases in order; nil if they're elsewhere, behind a typealias.
  let cases: [TokenSyntax]?
  /// The conditions of the `#if` clauses around the declaration, outermost first.
  let conditions: [String]

  /// Nil for a member that isn't `CodingKeys`.
  init?(_ member: DeclSyntax, conditions: [String]) {
    self.conditions = conditions
    if let alias = member.as(TypeAliasDeclSyntax.self), alias.name.text == Self.name {
      cases = nil
      return
    }
    guard let keys = member.as(EnumDeclSyntax.self), keys.name.text == Self.name else {
      return nil
    }
    let elements = keys.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
    // Only the compiler knows which of an enum's cases `#if` keeps.
    let isConditional = keys.memberBlock.members.contains { $0.decl.is(IfConfigDeclSyntax.self) }
    cases = isConditional ? nil : elements.flatMap { $0.elements.map(\.name) }
  }

  static let name = "CodingKeys"
}

extension ObservableClass {
  /// The halves of `Codable` in the inheritance clause.
  var statedCoding: (decodes: Bool, encodes: Bool) { declaration.statedCoding }
}

extension ClassDeclSyntax {
  /// The halves of `Codable` in the inheritance clause.
  var statedCoding: (decodes: Bool, encodes: Bool) {
    let names = (inheritanceClause?.inheritedTypes).map { types in
      types.flatMap { $0.type.protocolNames }
    }
    let stated = Set(names ?? [])
    return (
      stated.contains("Codable") || stated.contains("Decodable"),
      stated.contains("Codable") || stated.contains("Encodable")
    )
  }
}

extension TypeSyntax {
  /// The names of the types in an entry of an inheritance clause, without attributes and module.
  var protocolNames: [String] {
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.protocolNames
    }
    if let composition = self.as(CompositionTypeSyntax.self) {
      return composition.elements.flatMap { $0.type.protocolNames }
    }
    if let member = self.as(MemberTypeSyntax.self), member.baseType.trimmedDescription == "Swift" {
      return [member.name.text]
    }
    return [trimmedDescription]
  }
}
