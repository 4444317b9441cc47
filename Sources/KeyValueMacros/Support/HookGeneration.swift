import SwiftSyntax
import SwiftSyntaxBuilder

extension ObservableMethod {
  /// Whether this is `keyPathsForValuesAffectingValue(forKey:)`.
  var isDependencyHook: Bool {
    isTypeMethod && name == EmittedNames.dependencyHook && labels == [EmittedNames.keyLabel]
  }

  /// Whether this is `automaticallyNotifiesObservers(forKey:)`.
  var isAutomaticHook: Bool {
    isTypeMethod && name == EmittedNames.automaticHook && labels == [EmittedNames.keyLabel]
  }

  /// Whether this is an instance method of that name and those labels.
  fileprivate func isMethod(_ name: String, _ labels: [String]) -> Bool {
    !isTypeMethod && self.name == name && self.labels == labels
  }

  /// Whether the body is wrapped, so that a call returns the effective set or switch.
  var isWrappedHook: Bool { isDependencyHook || isAutomaticHook }
}

/// Writes the customisation points that a root class doesn't declare.
struct HookGeneration {
  let model: ObservableClass

  var missingHooks: [DeclSyntax] {
    [
      missing(dependencies) { $0.isDependencyHook },
      missing(automatic) { $0.isAutomaticHook },
      missing(undefined) { $0.isMethod(EmittedNames.value, [EmittedNames.undefinedKeyLabel]) },
      missing(setUndefined) {
        $0.isMethod(EmittedNames.setValue, ["_", EmittedNames.undefinedKeyLabel])
      },
      missing(setNil) { $0.isMethod(EmittedNames.setNilValue, [EmittedNames.keyLabel]) },
    ].compactMap(\.self)
  }

  /// A customisation point for the cases in which `#if` removes the class's own.
  private func missing(
    _ hook: DeclSyntax, where isDeclaration: (ObservableMethod) -> Bool
  ) -> DeclSyntax? {
    let declarations = model.methods.filter(isDeclaration).map { conjunction(of: $0.conditions) }
    if declarations.isEmpty { return hook }
    let conditions = declarations.compactMap(\.self)
    guard conditions.count == declarations.count else { return nil }
    return "\(raw: conditional(hook.description, under: conditions.map { "!(\($0))" }))"
  }

  private var access: String { model.access.forOverridable }
  private var typeMethod: String { model.isFinal ? "static" : "class" }

  private var dependencies: DeclSyntax {
    """
    \(raw: access)\(raw: typeMethod) func \(raw: EmittedNames.dependencyHook)(
      forKey key: Swift.String
    ) -> Swift.Set<Swift.String> {
      \(raw: EmittedNames.schemaType).\(raw: EmittedNames.dependencyHook)(forKey: key, of: self)
    }
    """
  }

  private var automatic: DeclSyntax {
    """
    \(raw: access)\(raw: typeMethod) func \(raw: EmittedNames.automaticHook)(
      forKey key: Swift.String
    ) -> Swift.Bool {
      \(raw: EmittedNames.schemaType).\(raw: EmittedNames.automaticHook)(forKey: key, of: self)
    }
    """
  }

  private var undefined: DeclSyntax {
    """
    \(raw: access)func value(forUndefinedKey key: Swift.String) throws -> Any? {
      throw \(raw: EmittedNames.codingError).undefinedKey(key, of: self)
    }
    """
  }

  private var setUndefined: DeclSyntax {
    """
    \(raw: access)func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
      throw \(raw: EmittedNames.codingError).undefinedKey(key, of: self)
    }
    """
  }

  private var setNil: DeclSyntax {
    """
    \(raw: access)func setNilValue(forKey key: Swift.String) throws {
      throw \(raw: EmittedNames.codingError).nilValue(key, of: self)
    }
    """
  }
}
