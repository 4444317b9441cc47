import SwiftSyntax

extension ObservableMethod {
  /// Whether this is `keyPathsForValuesAffectingValue(forKey:)`.
  var isDependencyHook: Bool {
    isTypeMethod && name == EmittedNames.dependencyHook && labels == [EmittedNames.keyLabel]
  }

  /// Whether this is `automaticallyNotifiesObservers(forKey:)`.
  var isAutomaticHook: Bool {
    isTypeMethod && name == EmittedNames.automaticHook && labels == [EmittedNames.keyLabel]
  }

  /// Whether this is `automaticallyNotifiesObservers(for:)` of `NSKeyValueObservingCustomization`.
  var isAutomaticRequirement: Bool {
    isTypeMethod && name == EmittedNames.automaticHook && labels == ["for"]
  }

  /// Whether this is an instance method of that name and those labels.
  fileprivate func isMethod(_ name: String, _ labels: [String]) -> Bool {
    !isTypeMethod && self.name == name && self.labels == labels
  }

  /// Whether this is `value(forUndefinedKey:)`.
  var answersUndefinedKeys: Bool { isMethod(EmittedNames.value, [EmittedNames.undefinedKeyLabel]) }

  /// Whether this is `setValue(_:forUndefinedKey:)`.
  fileprivate var takesUndefinedKeys: Bool {
    isMethod(EmittedNames.setValue, ["_", EmittedNames.undefinedKeyLabel])
  }

  /// Whether this is `value(forKey:)` in place of the library's.
  var answersKeys: Bool {
    isMethod(EmittedNames.value, [EmittedNames.keyLabel]) && types == ["String"]
      && result == "Any?"
  }

  /// Whether this is `setValue(_:forKey:)` in place of the library's.
  var takesKeys: Bool {
    isMethod(EmittedNames.setValue, ["_", EmittedNames.keyLabel]) && types == ["Any?", "String"]
      && result == nil
  }

  private var types: [String] { parameters.map(\.type.trimmedDescription) }

  /// Whether this is `setNilValue(forKey:)`.
  fileprivate var takesNil: Bool { isMethod(EmittedNames.setNilValue, [EmittedNames.keyLabel]) }

  /// Whether the library calls the method for every key.
  var isGeneralHook: Bool {
    isDependencyHook || isAutomaticHook || answersUndefinedKeys || takesUndefinedKeys || takesNil
  }

  /// Whether the body is wrapped, so that a call returns the effective set or switch.
  ///
  /// The wrapped body needs the key.
  var isWrappedHook: Bool { (isDependencyHook || isAutomaticHook) && !hasUnnamedKey }

  /// Whether the body can't refer to the key, because the parameter is called `_`.
  var hasUnnamedKey: Bool { parameters.first?.secondName?.tokenKind == .wildcard }
}

/// Writes the customisation points that a root class doesn't declare.
struct HookGeneration {
  let model: ObservableClass

  var missingHooks: [String] {
    [
      missing(dependencies) { $0.isDependencyHook },
      missing(automatic) { $0.isAutomaticHook },
      missing(undefined) { $0.answersUndefinedKeys },
      missing(setUndefined) { $0.takesUndefinedKeys },
      missing(setNil) { $0.takesNil },
    ].compactMap(\.self)
  }

  /// A customisation point for the cases in which `#if` removes the class's own.
  private func missing(
    _ hook: String, where isDeclaration: (ObservableMethod) -> Bool
  ) -> String? {
    absence(of: model.methods.filter(isDeclaration).map(\.conditions))
      .map { conditional(hook, under: $0) }
  }

  private var access: String { model.overridableAccess }
  private var typeMethod: String { model.isFinal ? "static" : "class" }

  private var dependencies: String {
    """
    \(access)\(typeMethod) func \(EmittedNames.dependencyHook)(
      forKey key: Swift.String
    ) -> Swift.Set<Swift.String> {
      \(EmittedNames.schemaType).\(EmittedNames.dependencyHook)(forKey: key, of: self)
    }
    """
  }

  private var automatic: String {
    """
    \(access)\(typeMethod) func \(EmittedNames.automaticHook)(
      forKey key: Swift.String
    ) -> Swift.Bool {
      \(EmittedNames.schemaType).\(EmittedNames.automaticHook)(forKey: key, of: self)
    }
    """
  }

  private var undefined: String {
    """
    \(access)func value(forUndefinedKey key: Swift.String) throws -> Any? {
      throw \(EmittedNames.codingError).undefinedKey(key, of: self)
    }
    """
  }

  private var setUndefined: String {
    """
    \(access)func setValue(_ value: Any?, forUndefinedKey key: Swift.String) throws {
      throw \(EmittedNames.codingError).undefinedKey(key, of: self)
    }
    """
  }

  private var setNil: String {
    """
    \(access)func setNilValue(forKey key: Swift.String) throws {
      throw \(EmittedNames.codingError).nilValue(key, of: self)
    }
    """
  }
}
