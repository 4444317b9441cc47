#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Waits for the first of these: a moment, a key, a signal, the end of the output's reader.
package final class EventWaiter {
  /// The event.
  package enum Event: Equatable {
    case deadline
    case keys([Character])
    case resized
    case suspended
    case resumed
    /// A signal asks to end.
    case terminated(signal: CInt)
    case outputClosed
  }

  private let output: CInt
  private let signals: CInt
  private var keyboard: CInt

  /// Without a terminal, signals have their default effect.
  package init(output: OutputFile, terminal: Terminal?) throws(TerminalFailure) {
    self.output = output.file
    keyboard = terminal?.keyboard ?? -1
    signals =
      terminal == nil
      ? -1
      : try SignalPipe.deliver([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])
  }

  package func next(until deadline: ContinuousClock.Instant) -> Event {
    while true {
      // No event of the output is requested; closing its other end is reported anyway. A negative
      // number is skipped.
      var files = [
        pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output, events: 0, revents: 0),
      ]
      let left = ContinuousClock.now.duration(to: deadline)
      if poll(&files, 3, milliseconds(left)) > 0 {
        if let event = signal(files[0]) ?? keys(files[1]) { return event }
        if files[2].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return .outputClosed }
      } else if left <= .zero {
        return .deadline
      }
    }
  }

  private func signal(_ file: pollfd) -> Event? {
    var byte: UInt8 = 0
    guard file.revents != 0, read(file.fd, &byte, 1) == 1 else { return nil }
    switch CInt(byte) {
    case SIGWINCH: return .resized
    case SIGTSTP: return .suspended
    case SIGCONT: return .resumed
    case let number: return .terminated(signal: number)
    }
  }

  private func keys(_ file: pollfd) -> Event? {
    guard file.revents != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file.fd, &bytes, bytes.count)
    if count <= 0 {
      if count < 0, errno == EINTR || errno == EAGAIN { return nil }
      // The terminal is gone; polling it further would be a busy loop.
      keyboard = -1
      return nil
    }
    return .keys(Keys.typed(Array(bytes.prefix(count))))
  }

  /// Rounded up, so that waiting doesn't end just before the deadline and start again.
  private func milliseconds(_ duration: Duration) -> CInt {
    guard duration > .zero else { return 0 }
    let (seconds, attoseconds) = duration.components
    let attosecondsInOne: Int64 = 1_000_000_000_000_000
    return CInt(clamping: seconds * 1000 + (attoseconds + attosecondsInOne - 1) / attosecondsInOne)
  }
}
