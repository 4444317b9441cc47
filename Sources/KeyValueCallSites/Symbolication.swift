#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  internal import FoundationEssentials
  import KeyValueCore
  internal import Runtime

  // Mutable state and its guard: `images` has a lock.

  /// Looks up addresses in the program's debug information, with Swift's `Runtime` module.
  enum Symbolication {
    /// The program and its libraries, read again when an address is in none of them.
    private static let images = LockedValue<ImageMap?>(nil)

    /// The names of the functions at return addresses.
    static func functions(at addresses: Set<UInt>) -> [UInt: CallFunction] {
      symbolicated(addresses, []).mapValues { frames in
        guard let symbol = frames.first?.symbol else { return .other(accessorOf: nil) }
        return CallFunction(
          symbol: symbol.rawName, name: symbol.name, image: symbol.imageName,
          isThunk: symbol.isSwiftThunk)
      }
    }

    /// The functions at a return address, innermost first: inlined ones before the compiled one.
    static func frames(at address: UInt) -> [CallFrame] {
      let frames =
        symbolicated([address], [.showInlineFrames, .showSourceLocations])[address] ?? []
      // An address about which nothing is known isn't looked up again.
      return frames.isEmpty
        ? [.unknown] : frames.enumerated().map { CallFrame($1, isInnermost: $0 == 0) }
    }

    fileprivate static func symbolicated(
      _ addresses: Set<UInt>, _ options: Backtrace.SymbolicationOptions
    ) -> [UInt: [SymbolicatedBacktrace.Frame]] {
      var frames: [UInt: [SymbolicatedBacktrace.Frame]] = [:]
      for address in addresses { frames[address] = [] }
      let backtrace = backtrace(of: addresses)
      let symbolicated = backtrace?.symbolicated(with: images(with: addresses), options: options)
      for frame in symbolicated?.frames ?? [] {
        if let address = frame.returnAddress { frames[address, default: []].append(frame) }
      }
      return frames
    }

    private static func images(with addresses: Set<UInt>) -> ImageMap {
      images.withLock { images in
        if let images,
          addresses.allSatisfy({ address in
            Backtrace.Address(address).map { images.indexOfImage(at: $0) != nil } ?? true
          })
        {
          return images
        }
        let current = ImageMap.capture()
        images = current
        return current
      }
    }

    /// A backtrace of addresses that were read from the stack by other means.
    ///
    /// `Backtrace` has no initializer for that, but can be decoded from Swift's documented *Compact
    /// Backtrace Format*.
    private static func backtrace(of addresses: Set<UInt>) -> Backtrace? {
      let size = MemoryLayout<UInt>.size
      // Version 0, and the size of a word: 1 for 32 bits, 2 for 64.
      var bytes: [UInt8] = [size == 8 ? 2 : 1]
      for address in addresses {
        // An absolute return address, and its number of bytes less one.
        bytes.append(0b0010_1000 | UInt8(size - 1))
        withUnsafeBytes(of: address.bigEndian) { bytes += $0 }
      }
      bytes.append(0)
      let coded = CodedBacktrace(
        architecture: architecture, backtrace: Data(bytes).base64EncodedString())
      return try? JSONDecoder().decode(Backtrace.self, from: JSONEncoder().encode(coded))
    }

    private struct CodedBacktrace: Encodable {
      let architecture: String
      let backtrace: String
    }

    private static var architecture: String {
      #if arch(x86_64)
        "x86_64"
      #elseif arch(arm64)
        "arm64"
      #elseif arch(i386)
        "i386"
      #else
        "arm"
      #endif
    }
  }

  extension SymbolicatedBacktrace.Frame {
    fileprivate var returnAddress: UInt? {
      if case .returnAddress(let address) = captured { UInt(address) } else { nil }
    }

    /// The first line that follows nearby in the same function.
    fileprivate var followingLine: Int? {
      guard let symbol, let address = returnAddress else { return nil }
      for address in stride(from: address + 1, to: address + 192, by: 4) {
        let frames = Symbolication.symbolicated(
          [address], [.showInlineFrames, .showSourceLocations])
        guard let next = frames[address]?.first?.symbol, next.rawName == symbol.rawName else {
          continue
        }
        if let line = next.sourceLocation?.line, line > 0 { return line }
      }
      return nil
    }
  }

  extension CallFrame {
    fileprivate init(_ frame: SymbolicatedBacktrace.Frame, isInnermost: Bool) {
      guard let symbol = frame.symbol else {
        self = .unknown
        return
      }
      self.init(
        symbol: symbol.rawName, name: symbol.name, image: symbol.imageName,
        source: symbol.sourceLocation.map { ($0.path, $0.line) },
        following: isInnermost ? frame.followingLine : nil)
    }
  }
#endif
