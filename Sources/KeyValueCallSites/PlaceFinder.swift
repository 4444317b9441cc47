#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import KeyValueCore

  // Mutable state and its guard: what is known of addresses, a lock.

  /// Finds the place of a change among the code that was running, and remembers what each address is.
  ///
  /// A function's name is found in microseconds. A line takes the reading of all line tables, some ten
  /// milliseconds in a debug build. So lines are looked up only where the name doesn't suffice.
  final class PlaceFinder: Sendable {
    static let shared = PlaceFinder()

    private struct Knowledge {
      var functions: [UInt: CallFunction] = [:]
      /// What is at an address: the innermost inlined function first, the compiled one last.
      var frames: [UInt: [CallFrame]] = [:]
    }

    private let known = LockedValue(Knowledge())

    /// The place of a change of a key.
    ///
    /// It's the first line of code outside of the library. Code between the two that nothing is known of
    /// may be where the change is made, so there is no place then.
    func place(of addresses: [UInt], changing key: String) -> KeyValueTrace.Place? {
      // The key's own setter: a macro's nearly always, and a place only if it's called by nothing.
      var setters: [UInt] = []
      var place: KeyValueTrace.Place?
      loop: for (address, function) in zip(addresses, functions(at: addresses)) {
        switch function {
        case .passing: continue
        case .end: break loop
        case .other(let accessed):
          if accessed == key {
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

    /// The first of an address's functions that doesn't only pass the change on.
    ///
    /// An inlined one without a line stands in the line of the one that it's inlined in.
    private func first(at address: UInt, changing key: String) -> CallFrame {
      var result = CallFrame.passing
      for frame in frames(at: address) {
        switch frame {
        case .passing: continue
        case .unknown: result = .unknown
        case .code(_, let accessed): if accessed != key { return frame }
        }
      }
      return result
    }

    private func functions(at addresses: [UInt]) -> [CallFunction] {
      known.withLock { known in
        // Once each: recursive functions stand there often.
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
