import SwiftSyntax

/// Swift's access levels, least visible first.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  init?(_ token: TokenSyntax) {
    switch token.tokenKind {
    case .keyword(.private): self = .private
    case .keyword(.fileprivate): self = .fileprivate
    case .keyword(.internal): self = .internal
    case .keyword(.package): self = .package
    case .keyword(.public): self = .public
    case .keyword(.open): self = .open
    default: return nil
    }
  }

  /// The access level that the modifiers state for the declaration as a whole.
  static func stated(_ modifiers: DeclModifierListSyntax) -> AccessLevel? {
    modifiers.lazy.compactMap { $0.detail == nil ? AccessLevel($0.name) : nil }.first
  }

  /// The access level that the modifiers state for the setter alone, as in `private(set)`.
  static func statedForSetter(_ modifiers: DeclModifierListSyntax) -> AccessLevel? {
    modifiers.lazy.compactMap {
      $0.detail?.detail.text == "set" ? AccessLevel($0.name) : nil
    }.first
  }

  /// The keyword for a member that isn't overridable, with a trailing space; empty for internal.
  var forMember: String {
    switch self {
    case .private, .fileprivate: "fileprivate "
    case .internal: ""
    case .package: "package "
    case .public, .open: "public "
    }
  }

  /// The keyword for a member that subclasses may override, with a trailing space.
  var forOverridable: String { self == .open ? "open " : forMember }
}
