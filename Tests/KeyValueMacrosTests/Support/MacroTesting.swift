import SwiftDiagnostics
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

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
    "_KeyValueInitializer": MacroSpec(type: KeyValueInitializerMacro.self),
    "DependsOn": MacroSpec(type: DependsOnMacro.self),
    "NotifiesManually": MacroSpec(type: NotifiesManuallyMacro.self),
    "KeyValueIgnored": MacroSpec(type: KeyValueIgnoredMacro.self),
    "KeyValueRedacted": MacroSpec(type: KeyValueRedactedMacro.self),
  ]
}

/// Compares a source's expansion with the expected text, whole.
///
/// The source and the expansion are free of syntax errors, and the macros report nothing.
func expectExpansion(
  of source: String, inheriting: Bool = false, is expected: String,
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let (expanded, context) = expansion(of: source, inheriting: inheriting)
  let text = expanded.description.drop(while: \.isNewline)
  #expect(
    text.trimmingLastNewlines == expected.trimmingLastNewlines, sourceLocation: sourceLocation)
  #expect(context.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
  for text in [source, expanded.description] {
    let errors = ParseDiagnosticsGenerator.diagnostics(for: Parser.parse(source: text))
    #expect(errors.map(\.message) == [], "\(text)", sourceLocation: sourceLocation)
  }
}

/// Everything that the macros say about a source, as text: each report with its fix-its and the
/// lines that they take away and write.
func reports(on source: String, inheriting: Bool = false) -> String {
  let context = expansion(of: source, inheriting: inheriting).context
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

/// Expands every macro of a source.
private func expansion(of source: String, inheriting: Bool)
  -> (expanded: Syntax, context: BasicMacroExpansionContext)
{
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
  let expanded = file.expand(
    macroSpecs: macroSpecs(inheriting: inheriting),
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return (expanded, context)
}

extension StringProtocol {
  /// The text without line breaks at its end.
  fileprivate var trimmingLastNewlines: String {
    var text = String(self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
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
