#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The terminal that standard output goes to: its size, its keys, its second screen.
///
/// `leave` reverses `enter`; so does stopping or crashing the process.
package final class Terminal {
  /// Switches to the second screen, where lines are cut instead of wrapped, and hides the cursor.
  private static let enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  static let leaveScreen: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// The source of keys: standard input or, if that isn't a terminal, the terminal itself.
  let keyboard: CInt
  private let output: OutputFile
  private let usesScreen: Bool
  private var original: termios?
  private(set) var isEntered = false

  /// Nil if `output` isn't a terminal, or one without control sequences.
  package init?(output: OutputFile, usesScreen: Bool) {
    guard isatty(output.file) == 1, Terminal.understandsSequences else { return nil }
    keyboard = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC)
    self.output = output
    self.usesScreen = usesScreen
  }

  private static var understandsSequences: Bool {
    guard let kind = getenv("TERM") else { return false }
    return !["", "dumb"].contains(String(cString: kind))
  }

  /// Whether texts may have a colour: the terminal says so by its name or `COLORTERM`, and `NO_COLOR`
  /// isn't set.
  package var hasColor: Bool {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    guard value("NO_COLOR").isEmpty else { return false }
    let kind = value("TERM")
    return !value("COLORTERM").isEmpty || kind.contains("color")
      || ["xterm", "screen", "tmux", "linux", "rxvt"].contains { kind.hasPrefix($0) }
  }

  package var size: TerminalSize {
    TerminalSize.of(output) ?? TerminalSize(columns: 80, rows: 24)
  }

  /// Makes keys arrive one by one without echo, and shows the second screen.
  package func enter() {
    guard !isEntered else { return }
    isEntered = true
    var settings = termios()
    if keyboard >= 0, tcgetattr(keyboard, &settings) == 0 {
      original = settings
      settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
      settings.c_iflag &= ~tcflag_t(IXON)
      tcsetattr(keyboard, TCSAFLUSH, &settings)
    }
    CrashRescue.arm(keyboard: keyboard, settings: original, screen: usesScreen ? output.file : -1)
    if usesScreen { output.write(Terminal.enterScreen) }
  }

  /// Restores everything, once.
  package func leave() {
    guard isEntered else { return }
    isEntered = false
    if usesScreen { output.write("\(Terminal.leaveScreen)") }
    if var original { tcsetattr(keyboard, TCSAFLUSH, &original) }
    CrashRescue.disarm()
  }

  /// Replaces the shown lines without flicker.
  package func show(_ lines: [String]) {
    // The cursor goes home, each line clears the rest of the old one, the last one the rest of the
    // screen.
    let clearToLineEnd = "\u{1B}[K"
    output.write(
      "\u{1B}[H" + lines.joined(separator: clearToLineEnd + "\r\n") + clearToLineEnd + "\u{1B}[J")
  }

  deinit { leave() }
}

/// A terminal that cannot be used.
package struct TerminalFailure: Error, CustomStringConvertible {
  let code: CInt

  package var description: String { "cannot use the terminal: \(String(cString: strerror(code)))" }
}
