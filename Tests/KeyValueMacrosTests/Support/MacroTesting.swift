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
      type: KeyValueObservableMacro.self, conformances: inheriting ? [] : ["KeyValueObservable"]),
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

/// One report of the macros, as a user sees it.
struct Report: Equatable, CustomStringConvertible {
  let severity: DiagnosticSeverity
  let message: String
  /// The messages of the fix-its, and the source after each of them.
  var fixes: [Fix] = []

  struct Fix: Equatable {
    let message: String
    let result: String
  }

  var description: String {
    "\(severity): \(message)" + fixes.map { "\n  fix: \($0.message)\n\($0.result)" }.joined()
  }
}

/// Everything that the macros say about a source.
func reports(on source: String, inheriting: Bool = false) -> [Report] {
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
    Report(
      severity: diagnostic.diagMessage.severity, message: diagnostic.message,
      fixes: diagnostic.fixIts.map { fix in
        Report.Fix(message: fix.message.message, result: source.applying(fix))
      })
  }
}

extension String {
  /// The source with a fix-it carried out.
  fileprivate func applying(_ fix: FixIt) -> String {
    var result = self
    for change in fix.changes {
      guard case .replace(let old, let new) = change else { continue }
      let text = old.description
      if let range = result.range(of: text) { result.replaceSubrange(range, with: new.description) }
    }
    return result
  }

  /// Where a text first stands in this one.
  private func range(of text: String) -> Range<String.Index>? {
    guard !text.isEmpty else { return nil }
    return indices.lazy.first { self[$0...].hasPrefix(text) }.map { start in
      start..<index(start, offsetBy: text.count)
    }
  }
}
