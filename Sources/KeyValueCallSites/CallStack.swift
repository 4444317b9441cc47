import KeyValueCore

#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import Glibc

  /// The return addresses of the code that makes a change.
  // Immutable.
  final class CallStack: CallSite {
    /// Innermost first.
    private let addresses: [UInt]

    /// How many frames are kept: the library's own, and those up to the place.
    ///
    /// In a debug build nothing is inlined, so the library's frames alone are about twenty.
    #if DEBUG
      private static let depth = 64
    #else
      private static let depth = 32
    #endif

    private typealias Unwind =
      @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt

    /// The C library's `backtrace` function.
    ///
    /// Swift's module of the C library omits its header. The function unwinds by tables, so it
    /// needs no frame pointers and copes with any frame. The `Runtime` module's `Backtrace.capture`
    /// follows the contexts of asynchronous functions, and crashes in optimized ones.
    private static let unwind: Unwind? = {
      guard let symbol = dlsym(nil, "backtrace") else { return nil }
      // The type is the one that the header declares.
      return unsafeBitCast(symbol, to: Unwind.self)
    }()

    /// The type of call site that the core makes at each change; nil if the stack can't be read.
    static var type: (any CallSite.Type)? { unwind == nil ? nil : CallStack.self }

    init?() {
      guard let unwind = Self.unwind else { return nil }
      addresses = withUnsafeTemporaryAllocation(
        of: UnsafeMutableRawPointer?.self, capacity: Self.depth
      ) { buffer in
        guard let start = buffer.baseAddress else { return [] }
        // The function initializes as many elements as it returns.
        let count = Int(unwind(start, CInt(Self.depth)))
        return UnsafeBufferPointer(start: start, count: count).map { UInt(bitPattern: $0) }
      }
    }

    func place(ofChanging key: String, of type: AnyClass?) -> KeyValueTrace.Place? {
      PlaceFinder.shared.place(of: addresses, changing: ChangedKey(key, of: type))
    }
  }
#else
  /// A stand-in for platforms where the stack can't be read, or its contents can't be resolved.
  enum CallStack {
    static var type: (any CallSite.Type)? { nil }
  }
#endif
