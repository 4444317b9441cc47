import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

// Of the package, version 603 is the first that tells a macro the build's configuration. The module
// comes with `SwiftSyntaxMacros`; version 600, which is allowed too, has no product of that name.
#if KVO_TOOLCHAIN_SYNTAX || canImport(SwiftSyntax603)
  import SwiftIfConfig
#endif

/// Tells which clauses of an `#if` are compiled.
///
/// Compilers before Swift 6.3 don't say, and none answers `canImport`.
struct ActiveClauses {
  /// The clauses that are compiled; nil if a condition can't be evaluated.
  private let evaluate: (IfConfigDeclSyntax) -> [IfConfigClauseSyntax]?

  /// Evaluates no condition.
  static var unknown: ActiveClauses { ActiveClauses { _ in nil } }

  private init(evaluate: @escaping (IfConfigDeclSyntax) -> [IfConfigClauseSyntax]?) {
    self.evaluate = evaluate
  }

  init(in context: some MacroExpansionContext) {
    #if KVO_TOOLCHAIN_SYNTAX || canImport(SwiftSyntax603)
      guard let configuration = context.buildConfiguration else {
        self = .unknown
        return
      }
      evaluate = { config in
        let (active, diagnostics) = config.activeClause(in: configuration)
        guard !diagnostics.contains(where: { $0.diagMessage.severity == .error }) else {
          return nil
        }
        return active.map { [$0] } ?? []
      }
    #else
      self = .unknown
    #endif
  }

  /// The clauses that are compiled, or all if that's unknown.
  func clauses(of config: IfConfigDeclSyntax) -> [IfConfigClauseSyntax] {
    evaluate(config) ?? Array(config.clauses)
  }

  func isKnown(_ config: IfConfigDeclSyntax) -> Bool { evaluate(config) != nil }

  /// Whether a feature of the language is on; nil if that's unknown.
  func hasFeature(_ name: String) -> Bool? {
    let test: DeclSyntax =
      """
      #if hasFeature(\(raw: name))
      #endif
      """
    return test.as(IfConfigDeclSyntax.self).flatMap(evaluate).map { !$0.isEmpty }
  }
}

extension AttributeListSyntax {
  /// The attributes, including those of active clauses of `#if`.
  func all(in active: ActiveClauses) -> [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      // Not a switch: of the toolchain's library it needs a default, which the package's never reaches.
      if case .attribute(let attribute) = element { return [attribute] }
      guard case .ifConfigDecl(let config) = element else { return [] }
      return config.attributes(in: active)
    }
  }

  /// The attributes under a condition that can't be evaluated.
  func undecided(in active: ActiveClauses) -> [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      guard case .ifConfigDecl(let config) = element else { return [] }
      if !active.isKnown(config) { return config.attributes(in: active) }
      return active.clauses(of: config).flatMap { clause -> [AttributeSyntax] in
        if case .attributes(let list) = clause.elements { list.undecided(in: active) } else { [] }
      }
    }
  }
}

extension IfConfigDeclSyntax {
  fileprivate func attributes(in active: ActiveClauses) -> [AttributeSyntax] {
    active.clauses(of: self).flatMap { clause -> [AttributeSyntax] in
      if case .attributes(let list) = clause.elements { list.all(in: active) } else { [] }
    }
  }
}
