#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

/// Signals as bytes in a pipe, so that a loop can wait for them and for keys at the same time.
enum SignalPipe {
  // A handler may interrupt any code, so it only uses this number and the pipe.
  private static let writeEnd = Atomic<CInt>(-1)

  /// Delivers the signals into the pipe; returns the end to read from.
  static func deliver(_ signals: [CInt]) throws(TerminalFailure) -> CInt {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TerminalFailure(code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A full pipe must not block a handler: the signals in it suffice.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
    var handled = sigset_t()
    sigemptyset(&handled)
    for number in signals {
      sigaddset(&handled, number)
      signal(number) { number in
        let interrupted = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = interrupted
      }
    }
    // Blocked signals are inherited, and not every parent process unblocks them.
    sigprocmask(SIG_UNBLOCK, &handled, nil)
    return ends[0]
  }
}
