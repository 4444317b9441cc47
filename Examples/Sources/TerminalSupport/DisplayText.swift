extension String {
  /// The text without characters that could move the cursor, ring, hide, reorder or break a line; a
  /// question mark replaces each.
  package var harmless: String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse,
        .unassigned:
        result.append("?")
      default:
        // A variation selector changes the width of the preceding character on some terminals.
        if !scalar.properties.isVariationSelector { result.append(scalar) }
      }
    }
    return String(result)
  }

  /// The number of a terminal's columns that the text takes.
  package var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }

  /// The longest prefix that fits into the columns.
  package func prefix(columns: Int) -> String {
    var result = ""
    var free = columns
    for character in self {
      free -= String(character).columnCount
      if free < 0 { break }
      result.append(character)
    }
    return result
  }

  /// The text cut or padded to exactly the columns.
  package func fitted(columns: Int, alignment: Alignment) -> String {
    let text = prefix(columns: columns)
    let blanks = String(repeating: " ", count: max(0, columns - text.columnCount))
    return alignment == .left ? text + blanks : blanks + text
  }
}

/// The position of a cell's text in its column.
package enum Alignment: Sendable {
  case left, right
}

extension Unicode.Scalar {
  /// Zero for combining characters, two for characters that East Asian and emoji fonts draw twice
  /// as wide, otherwise one.
  fileprivate var columnCount: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F,  // Hangul initial consonants
      0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,  // CJK
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,  // Yi, Hangul
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,  // full width forms
      0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
