#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard output, written at once.
///
/// A failed write is remembered instead of thrown, because the texts come from change handlers,
/// which can't throw; later writes are dropped.
package final class OutputFile {
  /// Why writing failed.
  package struct Failure: Error, CustomStringConvertible {
    let code: CInt

    /// Whether the reader is gone, as when `head` has read enough.
    package var meansReaderLeft: Bool { code == EPIPE }
    package var description: String { "cannot write: \(String(cString: strerror(code)))" }
  }

  package let file: CInt
  package private(set) var failure: Failure?

  package init(file: CInt = STDOUT_FILENO) {
    self.file = file
    // Otherwise the process would end without restoring anything.
    signal(SIGPIPE, SIG_IGN)
  }

  package func write(_ text: String) {
    guard failure == nil else { return }
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let count = platformWrite(file, UnsafeRawBufferPointer(rebasing: rest))
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if errno != EINTR {
          failure = Failure(code: errno)
          return
        }
      }
    }
  }

  package func writeLines(_ lines: [String]) {
    write(lines.reduce(into: "") { $0 += $1 + "\n" })
  }
}

/// The system's function, which the method of the same name hides.
private func platformWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(file, bytes.baseAddress, bytes.count)
}
