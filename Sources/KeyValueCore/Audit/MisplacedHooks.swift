#if (DEBUG || KVO_AUDIT) && os(Linux)
  /// Reports a class's customisation points in extensions (Parity L3).
  ///
  /// The macro sees only the class's body, so it doesn't call `keyPathsForValuesAffecting<Key>()`,
  /// `automaticallyNotifiesObserversOf<Key>()` or `validate<Key>(_:)` in an extension. At run time
  /// only the program's symbols show them.
  enum MisplacedHooks {
    enum Kind: String, CaseIterable {
      case dependencies = "keyPathsForValuesAffecting"
      case automatic = "automaticallyNotifiesObserversOf"
      case validator = "validate"

      /// The end of the symbol of a function with the right parameters and result.
      fileprivate var signature: String {
        switch self {
        case .dependencies: "ShySSGyFZ"
        case .automatic: "SbyFZ"
        case .validator: "zKF"
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
      let isDeclared = candidates.contains { symbol in
        symbols.member(symbol).map { identifier($0) == name } ?? false
          && symbol.hasSuffix(kind.signature)
      }
      guard isDeclared else { return }
      let function = kind == .validator ? "\(name)(_:)" : "\(name)()"
      ReportOnce.tolerated(name, of: type, key) {
        "\(KeyValueCore.name(of: type)).\(function) stands in an extension, where "
          + "@KeyValueObservable does not see it, so it is not called. Move it into the class."
      }
    }

    /// The identifier at the start of a mangled name: its length, then its letters.
    private static func identifier(_ mangled: Substring) -> String? {
      let digits = mangled.prefix(while: \.isNumber)
      guard let count = Int(digits) else { return nil }
      let name = mangled.dropFirst(digits.count).prefix(count)
      return name.count == count ? String(name) : nil
    }

    private static func has(_ kind: Kind, _ key: String, _ schema: KeyValueSchema) -> Bool {
      switch kind {
      case .dependencies: schema.hasDependencyFunction(key)
      case .automatic: schema.hasAutomaticFunction(key)
      case .validator: schema.validator(key) != nil
      }
    }
  }

  /// The start of the symbols of a type's members.
  private struct SymbolsOfType {
    private let start: String
    /// The length after the start of the file's discriminator, if the type is private to its file.
    private let discriminatorLength: Int
    private let end: String

    init?(_ type: AnyClass) {
      guard let mangled = _mangledTypeName(type) else { return nil }
      // At run time a private type's scope is an address, `13$562d7a2d13c4yXZ5SheepC`. In symbols
      // it's a hash of the file's name after the type's,
      // `5Sheep33_F3388FBAA0297E3C726B67F885BE42C9LLC`.
      guard let dollar = mangled.firstIndex(of: "$") else {
        (start, discriminatorLength, end) = ("$s" + mangled, 0, "")
        return
      }
      let scope = mangled[..<dollar]
      let module = scope.prefix(scope.count - scope.reversed().prefix(while: \.isNumber).count)
      let parts = mangled[dollar...].split(separator: "yXZ", maxSplits: 1)
      guard parts.count == 2, parts[1].last == "C" else { return nil }
      (start, discriminatorLength, end) = ("$s" + module + parts[1].dropLast(), 35, "LLC")
    }

    /// The rest of a symbol after the type; nil if it isn't a symbol of a member of the type.
    func member(_ symbol: String) -> Substring? {
      guard symbol.hasPrefix(start) else { return nil }
      let rest = symbol.dropFirst(start.count + discriminatorLength)
      return rest.hasPrefix(end) ? rest.dropFirst(end.count) : nil
    }
  }
#endif
