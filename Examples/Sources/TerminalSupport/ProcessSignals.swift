#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What Ctrl-C sends where it is not read as a key.
package let interruptSignal = SIGINT

/// Ends this process as the signal would have, so that whoever waits for it learns why.
package func endProcess(by number: CInt) {
  signal(number, SIG_DFL)
  raise(number)
}

/// Stops this process, together with what a shell started beside it, until it is told to go on.
package func stopProcess() {
  let previous = signal(SIGTSTP, SIG_DFL)
  kill(0, SIGTSTP)
  signal(SIGTSTP, previous)
}
