import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import KeyValueMacros

/// The macros under the names that users write.
///
/// Whether a class inherits from an observable one is the compiler's knowledge: it asks for the
/// conformance only where the superclass has not brought it.
func macroSpecs(inheriting: Bool) -> [String: MacroSpec] {
  [
    "KeyValueObservable": MacroSpec(
      type: KeyValueObservableMacro.self,
      conformances: inheriting ? [] : ["KeyValueObservable", "_KeyValueTracked"]),
    "_KeyValueStored": MacroSpec(type: KeyValueStoredMacro.self),
    "_KeyValueHook": MacroSpec(type: KeyValueHookMacro.self),
    "DependsOn": MacroSpec(type: DependsOnMacro.self),
    "NotifiesManually": MacroSpec(type: NotifiesManuallyMacro.self),
    "KeyValueIgnored": MacroSpec(type: KeyValueIgnoredMacro.self),
  ]
}

/// Compares a source's expansion with the expected text, whole.
func expectExpansion(
  of source: String, inheriting: Bool = false, is expected: String,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  assertMacroExpansion(
    source, expandedSource: expected, macroSpecs: macroSpecs(inheriting: inheriting),
    indentationWidth: .spaces(2),
    failureHandler: { failure in
      let location = SourceLocation(
        fileID: failure.location.fileID, filePath: failure.location.filePath,
        line: failure.location.line, column: failure.location.column)
      Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
    },
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Everything that the macros say about a source, as text: each report with its fix-its and the
/// lines that they take away and write.
func reports(on source: String, inheriting: Bool = false) -> String {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
  _ = file.expand(
    macroSpecs: macroSpecs(inheriting: inheriting),
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return context.diagnostics.map { diagnostic in
    let location = context.location(
      for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
    let fixes = diagnostic.fixIts.map { fix in
      "\n  \(fix.message.message)" + source.changes(by: fix, in: context)
    }
    return "\(location.line): \(diagnostic.diagMessage.severity): \(diagnostic.message)"
      + fixes.joined()
  }.joined(separator: "\n")
}

extension String {
  /// The lines that a fix-it takes away and those that it writes.
  fileprivate func changes(by fix: FixIt, in context: BasicMacroExpansionContext) -> String {
    let before = split(separator: "\n", omittingEmptySubsequences: false)
    let after = applying(fix, in: context).split(separator: "\n", omittingEmptySubsequences: false)
    return after.difference(from: before).map { change in
      switch change {
      case .remove(_, let line, _): "\n  - \(line)"
      case .insert(_, let line, _): line.allSatisfy(\.isWhitespace) ? "\n  +" : "\n  + \(line)"
      }
    }.joined()
  }

  /// The source with a fix-it carried out.
  private func applying(_ fix: FixIt, in context: BasicMacroExpansionContext) -> String {
    var text = Array(utf8)
    for case .replace(let old, let new) in fix.changes {
      let start = context.location(for: old.position, anchoredAt: old, fileName: "").offset
      text.replaceSubrange(start..<start + old.totalLength.utf8Length, with: new.description.utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
