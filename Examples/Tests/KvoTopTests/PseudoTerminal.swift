import Foundation
import Testing

/// A terminal with a screen that a test reads and a keyboard that it types on.
final class PseudoTerminal {
  private let master: CInt
  private let slave: CInt
  private var text = ""

  init(columns: UInt16, rows: UInt16) throws {
    var ends: (master: CInt, slave: CInt) = (-1, -1)
    try #require(openpty(&ends.master, &ends.slave, nil, nil, nil) == 0)
    (master, slave) = ends
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(slave)
    close(master)
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Whether keys are echoed and arrive in lines, as a shell expects.
  var isAsShellsExpect: Bool {
    var settings = termios()
    tcgetattr(slave, &settings)
    let flags = tcflag_t(ECHO | ICANON | ISIG)
    return settings.c_lflag & flags == flags
  }

  func start(_ arguments: [String]) throws -> Process {
    let process = Program.process(arguments)
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    return process
  }

  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Returns the output since the previous call, up to and including a text.
  func shown(upTo end: String) throws -> String {
    while true {
      if let range = text.range(of: end) {
        let result = String(text[..<range.upperBound])
        text = String(text[range.upperBound...])
        return result
      }
      var file = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      try #require(poll(&file, 1, 600_000) == 1, "Waited for \(end.debugDescription) in vain.")
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &bytes, bytes.count)
      try #require(count > 0)
      text += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }
}
