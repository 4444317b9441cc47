#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

/// Restores the terminal when the process crashes, before the backtrace is printed.
enum CrashRescue {
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  private static let isArmed = Atomic<Bool>(false)

  // Handlers can't take a lock or allocate, so they only use memory that exists from the first
  // `arm` on. Safe without a lock: `arm` writes it while `isArmed` is false, which is before any
  // handler reads it, and on the thread that owns the terminal.
  nonisolated(unsafe) private static let previous =
    UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
  nonisolated(unsafe) private static let state = {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    return state
  }()

  private struct State {
    var keyboard: CInt = -1
    var settings = termios()
    var hasSettings = false
    var screen: CInt = -1
    var leaveScreen = Terminal.leaveScreen
  }

  static func arm(keyboard: CInt, settings: termios?, screen: CInt) {
    state.pointee.keyboard = keyboard
    state.pointee.settings = settings ?? termios()
    state.pointee.hasSettings = settings != nil
    state.pointee.screen = screen
    guard !isArmed.exchange(true, ordering: .sequentiallyConsistent) else { return }
    for number in signals {
      sigaction(number, nil, previous + Int(number))
      signal(number) { CrashRescue.rescue($0) }
    }
  }

  static func disarm() {
    guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
    for number in signals { sigaction(number, previous + Int(number), nil) }
  }

  /// Called in a signal handler: uses only functions that are allowed there.
  private static func rescue(_ number: CInt) {
    let state = CrashRescue.state
    if state.pointee.screen >= 0 {
      let text = state.pointee.leaveScreen
      _ = write(state.pointee.screen, text.utf8Start, text.utf8CodeUnitCount)
    }
    if state.pointee.hasSettings {
      tcsetattr(state.pointee.keyboard, TCSANOW, &state.pointee.settings)
    }
    // Restores the previous handler, which often prints a backtrace.
    sigaction(number, previous + Int(number), nil)
    raise(number)
  }
}
