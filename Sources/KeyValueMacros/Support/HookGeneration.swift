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

  /// Whether the body is wrapped, so that a call answers the effective set or switch.
  var isWrappedHook: Bool { isDependencyHook || isAutomaticHook }
}

/// Writes the customisation points that a root class does not declare itself.
struct HookGeneration {
  let model: ObservableClass

  var missingHooks: [DeclSyntax] {
    var hooks: [DeclSyntax] = []
    if !model.methods.contains(where: \.isDependencyHook) { hooks.append(dependencies) }
    if !model.methods.contains(where: \.isAutomaticHook) { hooks.append(automatic) }
    if !declares(EmittedNames.value, [EmittedNames.undefinedKeyLabel]) { hooks.append(undefined) }
    if !declares(EmittedNames.setValue, ["_", EmittedNames.undefinedKeyLabel]) {
      hooks.append(setUndefined)
    }
    if !declares(EmittedNames.setNilValue, [EmittedNames.keyLabel]) { hooks.append(setNil) }
    return hooks
  }

  private func declares(_ name: String, _ labels: [String]) -> Bool {
    model.methods.contains { !$0.isTypeMethod && $0.name == name && $0.labels == labels }
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
