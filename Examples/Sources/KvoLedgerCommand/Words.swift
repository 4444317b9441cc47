/// Splits a line into words; quotes keep blanks inside a word, a backslash keeps the next
/// character.
///
/// - Throws: `CommandError.openQuote` if a quote isn't closed.
func words(of line: String) throws -> [String] {
  var words: [String] = []
  var word: String?
  var isQuoted = false
  var characters = line.makeIterator()
  while let character = characters.next() {
    switch character {
    case "\\": word = (word ?? "") + String(characters.next() ?? "\\")
    case "\"":
      isQuoted.toggle()
      word = word ?? ""
    case _ where character.isWhitespace && !isQuoted:
      if let finished = word { words.append(finished) }
      word = nil
    default: word = (word ?? "") + String(character)
    }
  }
  if isQuoted { throw CommandError.openQuote }
  if let word { words.append(word) }
  return words
}
