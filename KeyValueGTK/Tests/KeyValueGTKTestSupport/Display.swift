import CGtk4
import Foundation

/// A display for tests and measurements: an Xvfb that's started for this process, or the one that there is.
@MainActor
public enum Display {
  /// Starts GTK; says why there's no display, or nil if there is one.
  public static let failure: String? = {
    setenv("GSK_RENDERER", "cairo", 1)
    setenv("GTK_A11Y", "none", 1)
    setenv("GDK_BACKEND", "x11", 1)
    setenv("GSETTINGS_BACKEND", "memory", 1)
    let environment = ProcessInfo.processInfo.environment
    // On a user's display other windows have the keyboard. A program that a test starts uses the test's.
    if environment["KVO_XVFB"] == nil {
      if let number = startXvfb() {
        setenv("DISPLAY", ":\(number)", 1)
        setenv("KVO_XVFB", "1", 1)
      } else if environment["DISPLAY"] == nil {
        return "There is no display, and no Xvfb to start one (Debian: xvfb)."
      }
    }
    return gtk_init_check() != 0 ? nil : "GTK can't open the display."
  }()

  /// Starts an Xvfb with a free number, which ends with this process.
  private static func startXvfb() -> Int? {
    let places = ["/usr/bin/Xvfb", "/usr/local/bin/Xvfb", "/opt/X11/bin/Xvfb"]
    guard let program = places.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    let server = Process()
    // It chooses a free number, and writes it when it's ready.
    var command = [
      program, "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp",
    ]
    // It also ends with a process that crashes.
    let setpriv = "/usr/bin/setpriv"
    if FileManager.default.isExecutableFile(atPath: setpriv) {
      command = [setpriv, "--pdeathsig", "TERM"] + command
    }
    server.executableURL = URL(filePath: command[0])
    server.arguments = Array(command.dropFirst())
    let output = Pipe()
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    guard (try? server.run()) != nil else { return nil }
    Xvfb.process = server.processIdentifier
    atexit { kill(Xvfb.process, SIGTERM) }
    var text = ""
    while !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      text += String(decoding: data, as: UTF8.self)
    }
    return Int(text.dropLast())
  }
}

/// What the process's end needs.
private enum Xvfb {
  // Set once, before the function that reads it is registered.
  nonisolated(unsafe) static var process: pid_t = 0
}
