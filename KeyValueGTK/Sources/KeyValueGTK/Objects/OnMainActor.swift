import CGtk4

/// Runs what GTK calls on the main actor.
///
/// On another thread than the process's first one this stops the program. It's `MainActor.assumeIsolated`
/// with a cheaper check, and for arguments and results that aren't `Sendable`: GTK calls it for each property
/// that an expression reads.
@inline(__always)
func onMainActor<Argument, Result>(
  _ argument: Argument, _ body: @escaping @MainActor (Argument) -> Result
) -> Result {
  MainThread.require("GTK called the library")
  // The first thread runs the main actor's code, and no other: after an `async` main() has suspended, it would
  // be another, which the library's functions refuse before GTK has anything to call. The closure runs at once,
  // so nothing leaves the thread.
  return unsafeBitCast(body, to: ((Argument) -> Result).self)(argument)
}
