import SwiftSyntax

// How edits and remarks are made.
extension FilePorting {
  func replace(
    _ kind: SourceEdit.Kind, _ start: AbsolutePosition, _ end: AbsolutePosition, by text: String
  ) {
    edits.append(
      SourceEdit(kind: kind, range: start.utf8Offset..<end.utf8Offset, replacement: text))
  }

  func replace(_ kind: SourceEdit.Kind, _ node: some SyntaxProtocol, by text: String) {
    replace(
      kind, node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia, by: text)
  }

  func insert(_ kind: SourceEdit.Kind, _ text: String, at place: AbsolutePosition) {
    replace(kind, place, place, by: text)
  }

  /// Removes a node up to the next token or comment, so that what stood behind it takes its place.
  func remove(_ kind: SourceEdit.Kind, _ node: some SyntaxProtocol) {
    let behind =
      node.trailingTrivia
      + (node.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)?
        .leadingTrivia ?? [])
    let space = Trivia(pieces: behind.prefix(while: \.isWhitespace))
    replace(
      kind, node.positionAfterSkippingLeadingTrivia,
      node.endPositionBeforeTrailingTrivia + space.sourceLength, by: "")
  }

  /// Removes a node and the white space in front of it, so that what stood behind it stays where it is.
  func removeLine(_ kind: SourceEdit.Kind, _ node: some SyntaxProtocol) {
    let space = Trivia(pieces: node.leadingTrivia.reversed().prefix(while: \.isWhitespace))
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset - space.sourceLength.utf8Length
    replace(
      kind, AbsolutePosition(utf8Offset: start), node.endPositionBeforeTrailingTrivia, by: "")
  }

  /// A node's text with the edits in it, which aren't made where it stands.
  func ported(_ node: some SyntaxProtocol) -> String {
    let others = edits
    edits = []
    defer { edits = others }
    walk(node)
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let inner = edits.map { edit in
      let range = edit.range.lowerBound - start..<edit.range.upperBound - start
      return SourceEdit(kind: edit.kind, range: range, replacement: edit.replacement)
    }
    return inner.applied(to: node.trimmedDescription)
  }

  func remark(_ node: some SyntaxProtocol, _ text: String) {
    let place = node.positionAfterSkippingLeadingTrivia
    let line = places.location(for: place).line
    remarks.append(Remark(file: file, line: line, offset: place.utf8Offset, text: text))
  }
}
