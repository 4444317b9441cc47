#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ctrl-C's signal where it isn't read as a key.
package let interruptSignal = SIGINT

/// Ends this process as the signal would, so that its parent process learns why.
package func endProcess(by number: CInt) {
  signal(number, SIG_DFL)
  raise(number)
}

/// Stops this process and the shell's other processes in its group, until it's continued.
package func stopProcess() {
  let previous = signal(SIGTSTP, SIG_DFL)
  kill(0, SIGTSTP)
  signal(SIGTSTP, previous)
}
