#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import KeyValueCore

  /// A key, and the names of the changed object's class and its superclasses; none if the class isn't known.
  struct ChangedKey {
    let key: String
    let classNames: [String]

    init(_ key: String, of type: AnyClass?) {
      self.key = key
      // The name of a generic class without its arguments, as in a function's name.
      classNames =
        type.map { sequence(first: $0) { _getSuperclass($0) } }?
        .map { String("\($0)".prefix { $0 != "<" }) } ?? []
    }

    /// Whether this is the key's setter, and not the one of another type's property with its name.
    func isSet(by accessed: AccessedProperty) -> Bool {
      guard accessed.name == key else { return false }
      guard let type = accessed.type, !classNames.isEmpty else { return true }
      return classNames.contains(type)
    }
  }

  // Mutable state and its guard: what is known about addresses has a lock.

  /// Finds the place of a change on the stack, and caches what each address is.
  ///
  /// Finding a function's name takes microseconds. Finding a line means reading all line tables,
  /// which takes about ten milliseconds in a debug build. So lines are looked up only if the name
  /// isn't enough.
  final class PlaceFinder: Sendable {
    static let shared = PlaceFinder()

    private struct Knowledge {
      var functions: [UInt: CallFunction] = [:]
      /// The functions at an address: the innermost inlined one first, the compiled one last.
      var frames: [UInt: [CallFrame]] = [:]
    }

    private let known = LockedValue(Knowledge())

    /// The place of a change of a key.
    ///
    /// The place is the first line of code outside the library. Unknown code in between may have
    /// made the change, so there is no place then.
    func place(of addresses: [UInt], changing key: ChangedKey) -> KeyValueTrace.Place? {
      // The key's own setter: nearly always a macro's, and the place only if nothing calls it.
      var setters: [UInt] = []
      var place: KeyValueTrace.Place?
      loop: for (address, function) in zip(addresses, functions(at: addresses)) {
        switch function {
        case .passing: continue
        case .end: break loop
        case .other(let accessed):
          if let accessed, key.isSet(by: accessed) {
            setters.append(address)
            continue
          }
          switch first(at: address, changing: key) {
          case .passing: continue
          case .unknown: break loop
          case .code(let found, _):
            place = found
            break loop
          }
        }
      }
      if place != nil { return place }
      for address in setters {
        for case .code(let found, _) in frames(at: address) { return found }
      }
      return nil
    }

    /// The first function at an address that does more than pass the change on.
    ///
    /// An inlined function without a line has the line of the function that it's inlined in.
    private func first(at address: UInt, changing key: ChangedKey) -> CallFrame {
      var result = CallFrame.passing
      for frame in frames(at: address) {
        switch frame {
        case .passing: continue
        case .unknown: result = .unknown
        case .code(_, let accessed):
          if let accessed, key.isSet(by: accessed) { continue }
          return frame
        }
      }
      return result
    }

    private func functions(at addresses: [UInt]) -> [CallFunction] {
      known.withLock { known in
        // Each address once, because recursive functions repeat on the stack.
        let missing = Set(addresses).filter { known.functions[$0] == nil }
        if !missing.isEmpty {
          known.functions.merge(Symbolication.functions(at: missing)) { $1 }
        }
        return addresses.map { known.functions[$0] ?? .end }
      }
    }

    private func frames(at address: UInt) -> [CallFrame] {
      known.withLock { known in
        if let frames = known.frames[address] { return frames }
        let frames = Symbolication.frames(at: address)
        known.frames[address] = frames
        return frames
      }
    }
  }
#endif
