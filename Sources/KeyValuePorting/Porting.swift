import SwiftParser
import SwiftSyntax

/// What the tool does with files of a Cocoa source that are ported together.
package struct Porting {
  package struct File {
    package let name: String
    package let text: String
    /// The text after the edits.
    package let ported: String
    let edits: [SourceEdit]

    package var isChanged: Bool { ported != text }
  }

  package let files: [File]
  /// What's left to a person, in the order of files and lines.
  package let remarks: [Remark]
  /// The same with the lines that the edited files have.
  package let portedRemarks: [Remark]

  /// Ports files, which are given by name and text.
  package init(_ sources: [(name: String, text: String)]) {
    let trees = sources.map { Parser.parse(source: $0.text) }
    var classes = ClassTable()
    for tree in trees { classes.collect(tree) }
    var files: [File] = []
    var (remarks, portedRemarks): ([Remark], [Remark]) = ([], [])
    for ((name, text), tree) in zip(sources, trees) {
      let porting = FilePorting(name, tree, classes)
      porting.walk(tree)
      files.append(
        File(
          name: name, text: text, ported: porting.edits.applied(to: text), edits: porting.edits))
      remarks += porting.remarks
      let lines = porting.edits.lines(
        of: porting.remarks.map { ($0.offset, $0.line) }, in: text)
      portedRemarks += zip(porting.remarks, lines).map { remark, line in
        Remark(file: name, line: line, text: remark.text)
      }
    }
    self.files = files
    self.remarks = remarks.sorted()
    self.portedRemarks = portedRemarks.sorted()
  }

  /// How many edits there are of each kind, one line for each.
  package var counts: [String] {
    SourceEdit.Kind.allCases.compactMap { kind in
      let count = files.reduce(0) { $0 + $1.edits.count { $0.kind == kind } }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
  }

  package var editCount: Int { files.reduce(0) { $0 + $1.edits.count } }
}
