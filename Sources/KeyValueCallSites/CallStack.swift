import KeyValueCore

#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import Glibc

  /// The return addresses of the code that makes a change.
  // Immutable.
  final class CallStack: CallSite {
    /// The innermost first.
    private let addresses: [UInt]

    /// How many frames are kept: the library's own, and those up to the place.
    ///
    /// In a debug build nothing is inlined, so that the library's alone are some twenty.
    #if DEBUG
      private static let depth = 64
    #else
      private static let depth = 32
    #endif

    private typealias Unwind =
      @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt

    /// The C library's function.
    ///
    /// Swift's module of the library leaves its header out. It unwinds by tables, so it needs no frame
    /// pointers and survives any frame. The `Runtime` module's `Backtrace.capture` follows the contexts of
    /// asynchronous functions, and crashes in optimized ones.
    private static let unwind: Unwind? = {
      guard let symbol = dlsym(nil, "backtrace") else { return nil }
      // The type is the one that the header declares.
      return unsafeBitCast(symbol, to: Unwind.self)
    }()

    /// What the core makes at each change; nil where the stack can't be read.
    static var type: (any CallSite.Type)? { unwind == nil ? nil : CallStack.self }

    init?() {
      guard let unwind = Self.unwind else { return nil }
      addresses = withUnsafeTemporaryAllocation(
        of: UnsafeMutableRawPointer?.self, capacity: Self.depth
      ) { buffer in
        guard let start = buffer.baseAddress else { return [] }
        // It initializes as many as it returns.
        let count = Int(unwind(start, CInt(Self.depth)))
        return UnsafeBufferPointer(start: start, count: count).map { UInt(bitPattern: $0) }
      }
    }

    func place(ofChanging key: String) -> KeyValueTrace.Place? {
      PlaceFinder.shared.place(of: addresses, changing: key)
    }
  }
#else
  /// Where the stack can't be read, or what is on it isn't known.
  enum CallStack {
    static var type: (any CallSite.Type)? { nil }
  }
#endif
