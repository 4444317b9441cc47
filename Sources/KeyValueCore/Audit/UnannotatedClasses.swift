#if DEBUG || KVO_AUDIT
  /// What the program's symbols show about classes that inherit from an observable class but lack the
  /// macro (Parity L3).
  ///
  /// Such a class has no keys of its own, and nothing replaces its `dynamic` members.
  package enum UnannotatedClasses {
    #if os(Linux)
      /// The member that the macro writes into a class.
      private static let definition = "_$kvoDefineKeys"
      /// The symbol endings of the replaceable function pointers of a `dynamic` setter and method.
      private static let replaceable = ["sTX", "FTX"]

      private static let candidates = ProgramSymbols.containing(replaceable + [definition])

      static func isAnnotated(_ type: AnyClass, _ symbols: SymbolsOfType) -> Bool {
        KeyValueSchema.declaresKeys(type)
          || candidates.contains { symbols.identifier(ofMember: $0) == definition }
      }

      /// Reports the `dynamic` members of an object's classes that announce nothing.
      static func check(_ object: any KeyValueObservable) {
        var type: AnyClass? = object.schema.type
        while let next = type, next is any KeyValueObservable.Type {
          check(next)
          type = _getSuperclass(next)
        }
      }

      /// Reports a getter that a class without the macro overrides, if the class has variables that it may read.
      static func check(_ property: Property, of schema: KeyValueSchema) {
        let types = StoredField.superclasses(of: schema.type).prefix { !schema.declaresKeys($0) }
        guard let first = types.first,
          ReportOnce.isFirst("look for override", of: first, property.key)
        else { return }
        let fields = StoredField.all(of: schema.type)
        for type in types {
          let names = fields.filter { $0.owner == type }.map(\.name)
          guard !names.isEmpty, let symbols = SymbolsOfType(type), !isAnnotated(type, symbols)
          else { continue }
          let found = ProgramSymbols.containing(
            ([property.key] + names).map { "\($0.utf8.count)\($0)" })
          func declares(_ name: String, _ accessor: String) -> Bool {
            found.contains { $0.hasSuffix(accessor) && symbols.identifier(ofMember: $0) == name }
          }
          // A constant has no setter.
          let variables = names.filter { declares($0, "vs") }
          // The getter of an override with `willSet` or `didSet` reads the superclass's value.
          let isObserver = declares(property.key, "vw") || declares(property.key, "vW")
          guard !variables.isEmpty, declares(property.key, "vg"), !isObserver else { continue }
          ReportOnce.tolerated("override", of: type, property.key) {
            let className = name(of: type)
            return
              "\(className) overrides '\(property.key)' and is not @KeyValueObservable, so observers of "
              + "'\(property.key)' are not notified when its variables change: "
              + "\(variables.joined(separator: ", ")). Annotate \(className)."
          }
        }
      }

      private static func check(_ type: AnyClass) {
        guard ReportOnce.isFirst("look for dynamic", of: type, ""),
          !KeyValueSchema.declaresKeys(type),
          let symbols = SymbolsOfType(type), !isAnnotated(type, symbols)
        else { return }
        let names = Set(
          candidates.compactMap { symbol in
            replaceable.contains { symbol.hasSuffix($0) }
              ? symbols.identifier(ofMember: symbol) : nil
          })
        if names.isEmpty { return }
        ReportOnce.tolerated("dynamic", of: type, "") {
          let className = name(of: type)
          return
            "\(className) is not @KeyValueObservable, so its dynamic members announce nothing: "
            + "\(names.sorted().joined(separator: ", ")). Annotate it."
        }
      }
    #endif

    /// The class without the macro that declares a variable of this name for an object; nil if no symbol
    /// shows one.
    ///
    /// A constant, which has no setter, never changes.
    static func declaring(_ key: String, for object: any KeyValueObservable) -> AnyClass? {
      #if os(Linux)
        let found = ProgramSymbols.containing(["\(key.utf8.count)\(key)"])
        for type in StoredField.superclasses(of: object.schema.type) {
          guard let symbols = SymbolsOfType(type) else { continue }
          let accessors = found.filter { symbols.identifier(ofMember: $0) == key }
          guard accessors.contains(where: { $0.hasSuffix("vg") }) else { continue }
          let isStored = StoredField.all(of: type).contains { $0.name == key && $0.owner == type }
          let isVariable = !isStored || accessors.contains { $0.hasSuffix("vs") }
          return isVariable && !isAnnotated(type, symbols) ? type : nil
        }
      #endif
      return nil
    }

    /// Where a class declares a property that isn't a key; nil if no symbol shows one.
    ///
    /// - Complexity: One pass over the names of the program's symbols.
    package static func whereabouts(of key: String, in object: any KeyValueObservable) -> String? {
      #if os(Linux)
        let found = ProgramSymbols.containing(["\(key.utf8.count)\(key)"])
        var type: AnyClass? = object.schema.type
        while let next = type, next is any KeyValueObservable.Type {
          if let symbols = SymbolsOfType(next),
            found.contains(where: { $0.hasSuffix("vg") && symbols.identifier(ofMember: $0) == key })
          {
            let className = name(of: next)
            return isAnnotated(next, symbols)
              ? "\(className) declares it in an extension, or as one to be ignored; move it into the class."
              : "\(className) declares it, and is not @KeyValueObservable; annotate it."
          }
          type = _getSuperclass(next)
        }
      #endif
      return nil
    }
  }

  extension KeyValueSchema {
    /// Whether a class has keys of its own.
    fileprivate static func declaresKeys(_ type: AnyClass) -> Bool {
      (type as? any KeyValueObservable.Type).map { schema(of: $0).declaresKeys(type) } ?? false
    }
  }
#endif
