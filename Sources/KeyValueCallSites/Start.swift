#if canImport(Runtime) && os(Linux) && canImport(Glibc)
  import Glibc
  import KeyValueCore

  /// Begins to record call sites if `KVO_TRACE` in the environment requests that events are printed.
  private func startIfAsked() {
    guard let setting = getenv("KVO_TRACE").map({ String(cString: $0) }),
      !["", "0"].contains(setting)
    else { return }
    KeyValueTrace.recordCallSites()
  }

  #if compiler(>=6.3) && objectFormat(ELF)
    // The loader calls the functions in this section before the program begins.
    @section(".init_array") @used
    private let start: @convention(c) () -> Void = { startIfAsked() }
  #endif
#endif
