#if (DEBUG || KVO_AUDIT) && os(Linux)
  /// The start of the symbols of a type's members.
  struct SymbolsOfType {
    private let start: String
    /// The length of the file's discriminator, which follows `start` if the type is private to its file.
    private let discriminatorLength: Int
    private let end: String

    init?(_ type: AnyClass) {
      guard let mangled = _mangledTypeName(type) else { return nil }
      // At run time a private type's scope is an address: `13$562d7a2d13c4yXZ5SheepC`. In symbols
      // it's a hash of the file's name, after the type's name:
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

    /// The name at the start of a member's symbol: its length, then its letters.
    ///
    /// Nil for a symbol of another type or a nested type, and for a name that the compiler has shortened.
    func identifier(ofMember symbol: String) -> String? {
      guard let rest = member(symbol) else { return nil }
      let digits = rest.prefix(while: \.isNumber)
      guard let count = Int(digits), digits.first != "0" else { return nil }
      let name = rest.dropFirst(digits.count).prefix(count)
      let next = rest.dropFirst(digits.count + count).first
      return name.count == count && !"CVO".contains(next ?? " ") ? String(name) : nil
    }
  }
#endif
