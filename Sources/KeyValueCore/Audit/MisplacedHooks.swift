#if (DEBUG || KVO_AUDIT) && os(Linux)
  /// Reports a class's customisation points in extensions, and in a class without the macro (Parity L3).
  ///
  /// The macro sees only the class's body, so it doesn't call `keyPathsForValuesAffecting<Key>()`,
  /// `automaticallyNotifiesObserversOf<Key>()` or `validate<Key>(_:)` in an extension. At run time
  /// only the program's symbols show them.
  enum MisplacedHooks {
    enum Kind: String, CaseIterable {
      case dependencies = "keyPathsForValuesAffecting"
      case automatic = "automaticallyNotifiesObserversOf"
      case validator = "validate"

      /// The symbol endings of functions with the right parameters and result, of class properties, and of
      /// Cocoa's validators, which `FoundationKVO` recognises.
      fileprivate var signatures: [String] {
        switch self {
        case .dependencies: ["ShySSGyFZ", "ShySSGvgZ"]
        case .automatic: ["SbyFZ", "SbvgZ"]
        case .validator: ["zKF", "SpyyXlSgGKF"]
        }
      }
    }

    /// The program's symbols that may be customisation points.
    private static let candidates = ProgramSymbols.containing(Kind.allCases.map(\.rawValue))

    /// Reports methods of these kinds for a key in an extension of the class or a superclass.
    static func check(_ kinds: Kind..., of key: String, in schema: KeyValueSchema) {
      for kind in kinds where !has(kind, key, schema) {
        guard ReportOnce.isFirst("look for \(kind)", of: schema.type, key) else { continue }
        var type: AnyClass? = schema.type
        while let next = type, next is any KeyValueObservable.Type {
          check(kind, key, next)
          type = _getSuperclass(next)
        }
      }
    }

    private static func check(_ kind: Kind, _ key: String, _ type: AnyClass) {
      guard let symbols = SymbolsOfType(type) else { return }
      let name = kind.rawValue + capitalized(key)
      let declared = candidates.first { symbol in
        symbols.identifier(ofMember: symbol) == name
          && kind.signatures.contains { symbol.hasSuffix($0) }
      }
      guard let declared else { return }
      let parameters =
        switch kind {
        case .validator: "(_:)"
        case .dependencies, .automatic: declared.hasSuffix("vgZ") ? "" : "()"
        }
      ReportOnce.tolerated(name, of: type, key) {
        let className = KeyValueCore.name(of: type)
        let function = "\(className).\(name)\(parameters)"
        return UnannotatedClasses.isAnnotated(type, symbols)
          ? "\(function) is declared in an extension, where @KeyValueObservable does not see it, so it is not "
            + "called. Move it into the class."
          : "\(function) is not called, because \(className) is not @KeyValueObservable. Annotate it."
      }
    }

    private static func has(_ kind: Kind, _ key: String, _ schema: KeyValueSchema) -> Bool {
      switch kind {
      case .dependencies: schema.hasDependencyFunction(key)
      case .automatic: schema.hasAutomaticFunction(key)
      case .validator: schema.validator(key) != nil
      }
    }
  }
#endif
