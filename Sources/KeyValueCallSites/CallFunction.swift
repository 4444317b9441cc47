#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  /// A function's part in a change, as far as its name shows it.
  enum CallFunction: Sendable, Hashable {
    /// Code of the library or of Swift, a thunk, or a sanitizer's wrapper of a C function: it
    /// passes a change on.
    case passing
    /// Frames further out have nothing to do with the change.
    case end
    /// The change may be made here; `accessorOf` is the property in whose setter this is, if any.
    case other(accessorOf: AccessedProperty?)
  }

  extension CallFunction {
    /// Classifies a function.
    ///
    /// - Parameters:
    ///   - symbol: The function's name as the linker knows it.
    ///   - name: The function's name in the program.
    ///   - image: The file that it's loaded from, without its folder.
    ///   - isThunk: Whether the compiler generated the function to pass a call on.
    init(symbol: String, name: @autoclosure () -> String, image: String, isThunk: Bool) {
      // Below a task's job is the thread, not the code that created the task.
      if symbol == "swift_job_run" {
        self = .end
      } else if isThunk || MangledName(symbol).isPassing || image.hasPrefix("libswift")
        || symbol.hasPrefix("swift_") || symbol.contains("_interceptor_")
      {
        self = .passing
      } else {
        self = .other(accessorOf: AccessedProperty(name()))
      }
    }
  }

  /// A property that a setter sets.
  struct AccessedProperty: Sendable, Hashable {
    /// The property's name.
    let name: String
    /// The unqualified name of the type that declares it; nil if the function's name doesn't show it.
    let type: String?

    /// The property in whose setter, or in a closure of it, a function is: `age` of `Person` for
    /// `Person.age.setter`.
    init?(_ function: String) {
      let parts = function.split(separator: ".")
      guard parts.count > 1, ["setter", "modify", "modify2"].contains(parts[parts.count - 1]) else {
        return nil
      }
      name = String(parts[parts.count - 2])
      // A type in a function has that function's name here.
      let type = parts.count > 2 ? parts[parts.count - 3].split(separator: " ").last : nil
      let isName = type?.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } == true
      self.type = isName ? type.map(String.init) : nil
    }
  }

  /// A name as the linker knows it, in which the compiler encodes the module and much else.
  struct MangledName {
    private let name: Substring

    /// The modules whose code passes changes on.
    static let libraryModules = [
      "FoundationKVO", "KeyValueCallSites", "KeyValueCore", "KeyValueObserving", "OpenCombineKVO",
    ]

    init(_ symbol: String) {
      name = symbol.hasPrefix("$s") ? symbol.dropFirst(2) : ""
    }

    /// The first part, which is the module of the function or of the type that it extends.
    var module: String? { Self.identifier(at: name.startIndex, in: name).map { String($0.text) } }

    /// Whether all code in the function is the library's or the standard library's.
    ///
    /// Another module may extend their types, and a specialization may contain another module's closure.
    var isPassing: Bool {
      let isTheirs = name.hasPrefix("s") || Self.libraryModules.contains { $0 == module }
      return isTheirs && !isSpecialized && !isForeignExtension
    }

    /// Whether the name ends like `…Tg5` or `…Tf4nn_n`.
    private var isSpecialized: Bool {
      guard let mark = name.lastIndex(of: "T"), mark != name.startIndex else { return false }
      let rest = name[name.index(after: mark)...]
      return rest.first.map { "gGfB".contains($0) } == true
    }

    /// Whether a type is followed by a module and the letter for an extension: `…V3AppE…`.
    private var isForeignExtension: Bool {
      for index in name.indices where "PCVO".contains(name[index]) {
        guard let part = Self.identifier(at: name.index(after: index), in: name) else { continue }
        if part.end < name.endIndex, name[part.end] == "E",
          !Self.libraryModules.contains(String(part.text))
        {
          return true
        }
      }
      return false
    }

    /// The text after its length: `3App`.
    private static func identifier(
      at start: Substring.Index, in name: Substring
    ) -> (text: Substring, end: Substring.Index)? {
      let digits = name[start...].prefix { $0.isASCII && $0.isNumber }
      guard let count = Int(digits), count > 0,
        let end = name.index(digits.endIndex, offsetBy: count, limitedBy: name.endIndex)
      else { return nil }
      return (name[digits.endIndex..<end], end)
    }
  }
#endif
