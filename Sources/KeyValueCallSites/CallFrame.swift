#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import KeyValueCore

  /// A function on the stack, compiled or inlined, as far as debug information locates it.
  enum CallFrame: Sendable, Hashable {
    /// Code that passes a change on: the library's, a macro's, the compiler's.
    case passing
    /// Code about which nothing is known.
    case unknown
    /// A line of source, and the property whose setter it's in.
    case code(KeyValueTrace.Place, accessorOf: AccessedProperty?)
  }

  extension CallFrame {
    /// Classifies a function.
    ///
    /// - Parameters:
    ///   - symbol: The function's name as the linker knows it.
    ///   - name: The name in the program.
    ///   - image: The file that it's loaded from, without its folder.
    ///   - source: The path of the source file and the line, from debug information.
    ///   - following: The line of the code that follows in the function. The call that begins an
    ///     in-place access, `age += 1`, has line 0.
    init(
      symbol: String, name: @autoclosure () -> String, image: String,
      source: (path: String, line: Int)?, following: @autoclosure () -> Int? = nil
    ) {
      guard let (path, line) = source else {
        self = .unknown
        return
      }
      let isGenerated = path.hasSuffix("<compiler-generated>") || path.contains("@__swiftmacro_")
      guard !isGenerated,
        !MangledName.libraryModules.contains(where: { path.contains("/Sources/\($0)/") })
      else {
        self = .passing
        return
      }
      guard let line = line > 0 ? line : following() else {
        self = .unknown
        return
      }
      let file = path.split(separator: "/").last.map(String.init) ?? path
      let fileID = "\(Self.module(symbol: symbol, image: image))/\(file)"
      self =
        KeyValueTrace.Place(fileID: fileID, line: line)
        .map { .code($0, accessorOf: AccessedProperty(name())) } ?? .unknown
    }

    /// The module of a function, derived from its names.
    private static func module(symbol: String, image: String) -> String {
      // The name of an extension of another module's type begins with that module.
      if let module = MangledName(symbol).module, !MangledName.libraryModules.contains(module) {
        return module
      }
      // SwiftPM's symbol for top-level code.
      if symbol.hasSuffix("_main") { return String(symbol.dropLast("_main".count)) }
      return image.replacing("-", with: "_")
    }
  }
#endif
