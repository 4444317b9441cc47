import Testing

/// Expects a trap with exactly this message, apart from the source location in the library.
func expectTrap(
  _ result: ExitTest.Result?, says message: String, at place: SourceLocation = #_sourceLocation
) throws {
  let output = text(try #require(result, sourceLocation: place).standardErrorContent)
  let said = output.split(separator: "\n").compactMap { line in
    line.firstRange(of: "Fatal error: ").map { String(line[$0.upperBound...]) }
  }
  #expect(said == [message], "\(output)", sourceLocation: place)
}
