import SwiftSyntax

extension AccessorDeclSyntax {
  /// The observer with an additional first statement on a line of its own.
  func beginning(with statement: String) -> AccessorDeclSyntax {
    guard var body else { return self }
    let margin = leadingTrivia.lastLineIndentation
    var items = Array(body.statements)
    if let first = items.first, !first.leadingTrivia.containsLineBreak {
      items[0] = first.with(\.leadingTrivia, .newline + margin + .spaces(2))
    }
    let indentation = items.first?.leadingTrivia.lastLineIndentation ?? margin + .spaces(2)
    if !body.rightBrace.leadingTrivia.containsLineBreak {
      if let last = items.last { items[items.count - 1] = last.with(\.trailingTrivia, []) }
      body.rightBrace.leadingTrivia = .newline + margin
    }
    if body.leftBrace.trailingTrivia.allSatisfy(\.isWhitespace) {
      body.leftBrace.trailingTrivia = []
    }
    let inserted: CodeBlockItemSyntax = "\(raw: statement)"
    items.insert(inserted.with(\.leadingTrivia, .newline + indentation), at: 0)
    body.statements = CodeBlockItemListSyntax(items)
    return with(\.body, body)
  }
}

extension Trivia {
  fileprivate var containsLineBreak: Bool { contains(where: \.isNewline) }
}
