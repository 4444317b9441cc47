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
/// Only the compiler knows whether a class's superclass is observable: it passes no conformances to the
/// macro if the class inherits them, as with `inheriting`. `coding` names the halves of `Codable` that
/// the class inherits, or has in an extension.
///
/// `cocoa` selects `FoundationKVO`'s macro with the same name.
func macroSpecs(
  inheriting: Bool, coding: [String] = [], cocoa: Bool = false
) -> [String: MacroSpec] {
  let missing = ["Encodable", "Decodable"].filter { !coding.contains($0) }
  return [
    "KeyValueObservable": MacroSpec(
      type: cocoa ? CocoaObservableMacro.self : KeyValueObservableMacro.self,
      conformances: (missing + (inheriting ? [] : ["KeyValueObservable", "_KeyValueTracked"]))
        .map { TypeSyntax(stringLiteral: $0) }),
    "_KeyValueStored": MacroSpec(type: KeyValueStoredMacro.self),
    "_KeyValueHook": MacroSpec(type: KeyValueHookMacro.self),
    "_KeyValueInitializer": MacroSpec(type: KeyValueInitializerMacro.self),
    "DependsOn": MacroSpec(type: DependsOnMacro.self),
    "NotifiesManually": MacroSpec(type: NotifiesManuallyMacro.self),
    "KeyValueIgnored": MacroSpec(type: KeyValueIgnoredMacro.self),
    "KeyValueRedacted": MacroSpec(type: KeyValueRedactedMacro.self),
  ]
}

/// Expects the whole expansion of a source to equal a text.
///
/// Neither the source nor the expansion has syntax errors, and the macros report nothing.
func expectExpansion(
  of source: String, inheriting: Bool = false, cocoa: Bool = false, is expected: String,
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let (expanded, context) = expansion(of: source, inheriting: inheriting, cocoa: cocoa)
  let text = expanded.description.drop(while: \.isNewline)
  #expect(
    text.trimmingLastNewlines == expected.trimmingLastNewlines, sourceLocation: sourceLocation)
  #expect(context.diagnostics.map(\.message) == [], sourceLocation: sourceLocation)
  for text in [source, expanded.description] {
    let errors = ParseDiagnosticsGenerator.diagnostics(for: Parser.parse(source: text))
    #expect(errors.map(\.message) == [], "\(text)", sourceLocation: sourceLocation)
  }
}

/// All diagnostics of the macros for a source, as text: each with its fix-its and the lines that these
/// remove and insert.
func reports(
  on source: String, inheriting: Bool = false, coding: [String] = [], cocoa: Bool = false
) -> String {
  let context =
    expansion(of: source, inheriting: inheriting, coding: coding, cocoa: cocoa).context
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

/// The class that a source begins with, without expanding it.
func model(of source: String) throws -> ObservableClass {
  let statement = try #require(Parser.parse(source: source).statements.first)
  return ObservableClass(try #require(statement.item.as(ClassDeclSyntax.self)))
}

/// Expands all macros in a source.
func expansion(
  of source: String, inheriting: Bool, coding: [String] = [], cocoa: Bool
) -> (expanded: Syntax, context: BasicMacroExpansionContext) {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
  let expanded = file.expand(
    macroSpecs: macroSpecs(inheriting: inheriting, coding: coding, cocoa: cocoa),
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  return (expanded, context)
}

extension StringProtocol {
  /// The text without trailing newlines.
  fileprivate var trimmingLastNewlines: String {
    var text = String(self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}

extension String {
  /// The lines that a fix-it removes and inserts.
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

  /// The source after applying a fix-it.
  private func applying(_ fix: FixIt, in context: BasicMacroExpansionContext) -> String {
    var text = Array(utf8)
    for case .replace(let old, let new) in fix.changes {
      let start = context.location(for: old.position, anchoredAt: old, fileName: "").offset
      text.replaceSubrange(start..<start + old.totalLength.utf8Length, with: new.description.utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
