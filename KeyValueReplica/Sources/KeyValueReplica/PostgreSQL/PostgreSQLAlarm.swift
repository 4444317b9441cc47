import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A pipe by which other threads wake one that waits for a socket.
final class PostgreSQLAlarm: Sendable {
  enum Reason { case socket, alarm, time }

  private let reader: Int32
  private let writer: Int32

  /// Makes the pipe.
  ///
  /// - Throws: `PostgreSQLError.notConnected` if the process has too many open files.
  init() throws(PostgreSQLError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw .notConnected(
        state: nil,
        message: "A session with the server needs a pipe, which can't be made: "
          + "\(String(cString: strerror(errno))). Close files, or raise the limit of open files.")
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Wakes the thread, also if it waits only later.
  func ring() {
    var byte: UInt8 = 1
    // A full pipe wakes the thread, too.
    _ = write(writer, &byte, 1)
  }

  /// Waits.
  ///
  /// - Parameters:
  ///   - socket: A socket that can be read from, or whose end can be.
  ///   - toWrite: Whether it's also waited for that it can be written to.
  ///   - time: How long to wait; nil for as long as it takes.
  /// - Returns: Why it waits no longer.
  func wait(for socket: Int32, toWrite: Bool, atMost time: Duration?) -> Reason {
    let end = time.map { ContinuousClock.now + $0 }
    while true {
      var files = [
        pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(toWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
      ]
      var milliseconds: Int32 = -1
      if let end {
        let left = (end - ContinuousClock.now) / .milliseconds(1)
        milliseconds = Int32(max(0, min(left.rounded(.up), Double(Int32.max))))
      }
      let count = poll(&files, 2, milliseconds)
      if count < 0 { continue }
      if count == 0 { return .time }
      if files[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reader, &bytes, bytes.count) > 0 {}
        return .alarm
      }
      return .socket
    }
  }
}
