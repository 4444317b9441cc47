/// A replacement of a part of a file.
struct SourceEdit {
  /// What an edit is for.
  enum Kind: String, CaseIterable {
    case imports = "imports of FoundationKVO"
    case attributes = "@KeyValueObservable"
    case objectiveC = "@objc and @IB… removed"
    case selectors = "methods with Cocoa's names"
    case keyPaths = "#keyPath as strings"
    case qualifications = "Foundation.X of types that FoundationKVO has"
    case casts = "casts to Foundation's NSObject"
    case undo = "undo by invocation as closures"
    case comparisons = "selectors of sort descriptors"
    case roots = "key paths without their root"
    case optionals = "optional requirements with a default"
    case sendable = "@unchecked Sendable"
    case dependencies = "dependencies as strings"
    case dynamic = "overrides made dynamic"
    case access = "private made fileprivate"
    case splits = "a declaration for each property"
    case results = "unused results"
    case arguments = "casts to CVarArg removed"
  }

  let kind: Kind
  /// In UTF-8, from the file's beginning.
  let range: Range<Int>
  let replacement: String
}

extension [SourceEdit] {
  /// The edits that are made, in the text's order: where two overlap, the one that begins first is, and was found
  /// first.
  private var made: [SourceEdit] {
    let sorted = enumerated().sorted { left, right in
      let (first, second) = (left.element.range, right.element.range)
      // Insertions come before what's removed at the same place.
      return (first.lowerBound, first.isEmpty ? 0 : 1, left.offset)
        < (second.lowerBound, second.isEmpty ? 0 : 1, right.offset)
    }
    var made: [SourceEdit] = []
    for (_, edit) in sorted where edit.range.lowerBound >= made.last?.range.upperBound ?? 0 {
      made.append(edit)
    }
    return made
  }

  /// The text with all edits.
  func applied(to text: String) -> String {
    let source = Array<UInt8>(text.utf8)
    var result: [UInt8] = []
    var place = 0
    for edit in made {
      result += source[place..<edit.range.lowerBound]
      result += edit.replacement.utf8
      place = edit.range.upperBound
    }
    result += source[place...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The lines of places in the edited text, of which each is given as its place in the text and its line there.
  ///
  /// What's inserted at a place stands in front of it; a place in what's replaced is where the replacement begins.
  func lines(of places: [(offset: Int, line: Int)], in text: String) -> [Int] {
    let source = Array<UInt8>(text.utf8)
    let newline = UInt8(ascii: "\n")
    let made = made.map { edit in
      let added = edit.replacement.utf8.count { $0 == newline }
      return (edit: edit, added: added, removed: source[edit.range].count { $0 == newline })
    }
    return places.map { offset, line in
      var line = line
      for (edit, added, removed) in made where edit.range.lowerBound <= offset {
        if edit.range.upperBound <= offset {
          line += added - removed
        } else {
          line -= source[edit.range.lowerBound..<offset].count { $0 == newline }
        }
      }
      return line
    }
  }
}
