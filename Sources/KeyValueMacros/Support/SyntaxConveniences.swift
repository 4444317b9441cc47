import SwiftSyntax

extension TokenSyntax {
  /// The identifier's spelling without backticks: the key.
  var plainName: String {
    let text = self.text
    return text.count > 2 && text.hasPrefix("`") && text.hasSuffix("`")
      ? String(text.dropFirst().dropLast()) : text
  }
}

extension [AttributeSyntax] {
  func first(named name: String) -> AttributeSyntax? { first { $0.plainName == name } }
}

extension AttributeSyntax {
  /// The attribute's name without a module qualification or generic arguments.
  var plainName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    return attributeName.trimmedDescription
  }

  /// Whether this isolates to a global actor: `@MainActor`, or a name that ends in `Actor`.
  var isGlobalActor: Bool { plainName.hasSuffix("Actor") }
}

extension AccessorBlockSyntax {
  /// The statements of a getter that is written without `get`.
  var implicitGetter: CodeBlockItemListSyntax? {
    if case .getter(let statements) = accessors { statements } else { nil }
  }

  /// The accessors with names.
  var named: [AccessorDeclSyntax] {
    if case .accessors(let list) = accessors { Array(list) } else { [] }
  }

  /// The statements that read the value.
  var getter: CodeBlockItemListSyntax? {
    implicitGetter
      ?? named.first {
        ["get", "_read", "read", "unsafeAddress"].contains($0.accessorSpecifier.text)
      }?.body?.statements
  }
}

extension ExprSyntax {
  /// The expression behind `try`, `await` or `unsafe`; nil for any other expression.
  ///
  /// Read from the children, because swift-syntax 600 has no type for `unsafe`.
  var marked: ExprSyntax? {
    let children = children(viewMode: .sourceAccurate)
    guard let mark = children.first?.as(TokenSyntax.self),
      ["try", "await", "unsafe"].contains(mark.text)
    else { return nil }
    return children.last?.as(ExprSyntax.self)
  }
}

extension DeclModifierListSyntax {
  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }

  var isTypeMember: Bool { contains(.static) || contains(.class) }
}

extension SyntaxProtocol {
  /// The text without the indentation of its first line.
  ///
  /// If another line has less, as one of a string literal may have, the others keep theirs: to
  /// move only some lines of a literal would change it.
  var outdented: String {
    let margin = leadingTrivia.lastLineIndentation.description
    let text = trimmedDescription
    // A blank line with less is in no literal.
    let isDeep = text.split(separator: "\n").dropFirst().allSatisfy { line in
      line.hasPrefix(margin) || line.allSatisfy(\.isWhitespace)
    }
    guard !margin.isEmpty, isDeep else { return text }
    return text.replacing("\n" + margin, with: "\n")
  }
}

// Only the text of an expansion reaches the compiler, which parses it itself. Parsing it here first, as a
// string interpolation does, takes longer than everything else that the macros do.

extension AttributeSyntax {
  /// An attribute given only as the text after its `@`.
  static func verbatim(_ text: String) -> AttributeSyntax {
    AttributeSyntax(attributeName: IdentifierTypeSyntax(name: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// Accessors given only as text.
  static func verbatim(_ text: String) -> AccessorDeclSyntax {
    AccessorDeclSyntax(accessorSpecifier: .identifier(text))
  }
}

extension DeclSyntax {
  /// A declaration given only as text.
  static func verbatim(_ text: String) -> DeclSyntax {
    DeclSyntax(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension Trivia {
  /// The trivia between the last line break and the token.
  var lastLineIndentation: Trivia {
    var indentation: [TriviaPiece] = []
    for piece in reversed() {
      switch piece {
      case .spaces, .tabs: indentation.insert(piece, at: 0)
      case .newlines, .carriageReturns, .carriageReturnLineFeeds:
        return Trivia(pieces: indentation)
      default: indentation = []
      }
    }
    return []
  }
}

extension String {
  /// Every line with a margin, except empty ones.
  func indented(by margin: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : margin + $0 }
      .joined(separator: "\n")
  }

  /// The name with its first letter in upper case, as in `countOfTransactions`.
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name with its first letter in lower case.
  var loweredFirst: String { prefix(1).lowercased() + dropFirst() }

  /// The rest after a prefix, if it begins like a capitalised key.
  func suffix(after prefix: String) -> String? {
    guard hasPrefix(prefix), count > prefix.count else { return nil }
    let rest = dropFirst(prefix.count)
    guard let first = rest.first, first.isUppercase || !first.isLetter else { return nil }
    return String(rest)
  }

  /// The text as a Swift string literal.
  var literal: String {
    var result = "\""
    for character in self {
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result + "\""
  }
}
