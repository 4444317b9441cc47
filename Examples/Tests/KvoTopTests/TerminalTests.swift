import Foundation
import Testing

#if os(Linux)
  @Suite("kvo-top on a terminal")
  struct TerminalTests {
    private let enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private let leaveScreen = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    private let endOfFrame = "\u{1B}[J"

    @Test("Typing q or Ctrl-C restores the terminal", arguments: ["q", "\u{3}"].indices)
    func quit(_ index: Int) throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--interval", "60"])
      let frame = try terminal.shown(upTo: endOfFrame)
      #expect(frame.hasPrefix(enterScreen))
      #expect(frame.contains("COMMAND"))
      #expect(!terminal.isAsShellsExpect)
      terminal.type(["q", "\u{3}"][index])
      #expect(try terminal.shown(upTo: leaveScreen) == leaveScreen)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(terminal.isAsShellsExpect)
    }

    @Test("The terminal is restored when a signal ends the program", arguments: [SIGTERM, SIGHUP])
    func signal(_ number: CInt) throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--interval", "60"])
      _ = try terminal.shown(upTo: endOfFrame)
      kill(process.processIdentifier, number)
      _ = try terminal.shown(upTo: leaveScreen)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal)
      #expect(process.terminationStatus == number)
      #expect(terminal.isAsShellsExpect)
    }

    @Test("The terminal is restored when the program crashes", arguments: [SIGSEGV, SIGILL])
    func crash(_ number: CInt) throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--interval", "60"])
      _ = try terminal.shown(upTo: endOfFrame)
      kill(process.processIdentifier, number)
      _ = try terminal.shown(upTo: leaveScreen)
      process.waitUntilExit()
      #expect(process.terminationStatus == number)
      #expect(terminal.isAsShellsExpect)
    }

    @Test("The terminal is restored when an error ends the program")
    func error() throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--proc", "/nowhere"])
      _ = try terminal.shown(upTo: leaveScreen)
      _ = try terminal.shown(upTo: "Error: cannot read processes from /nowhere")
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      #expect(terminal.isAsShellsExpect)
    }

    @Test("A new size or order redraws the screen without a new sample")
    func redraw() throws {
      let terminal = try PseudoTerminal(columns: 120, rows: 12)
      let process = try terminal.start(["--interval", "60"])
      let wide = try terminal.shown(upTo: endOfFrame)
      #expect(wide.contains("sorted by cpu"))
      #expect(wide.count(of: "\r\n") == 11)

      terminal.resize(columns: 40, rows: 10)
      // The system sends this if the terminal is the process's controlling terminal.
      kill(process.processIdentifier, SIGWINCH)
      let narrow = try terminal.shown(upTo: endOfFrame)
      #expect(narrow.count(of: "\r\n") == 9)
      #expect(!narrow.contains("USER"))

      terminal.resize(columns: 200, rows: 10)
      terminal.type("m")
      #expect(try terminal.shown(upTo: endOfFrame).contains("sorted by memory"))
      terminal.type("q")
      _ = try terminal.shown(upTo: leaveScreen)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    @Test("After the last iteration, its sample stays on the terminal")
    func iterations() throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--iterations", "2", "--interval", "0.05", "--limit", "1"])
      _ = try terminal.shown(upTo: leaveScreen)
      #expect(try terminal.shown(upTo: "COMMAND\r\n").contains("sorted by cpu"))
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    @Test("--log prints changes as lines, and keys still work")
    func log() throws {
      let terminal = try PseudoTerminal(columns: 80, rows: 24)
      let process = try terminal.start(["--log", "--interval", "60"])
      let text = try terminal.shown(upTo: "COMMAND\r\n")
      #expect(text.contains("sampleNumber  setting  0 → 1\r\n"))
      #expect(!text.contains("\u{1B}"))
      terminal.type("q")
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(terminal.isAsShellsExpect)
    }
  }

  extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
  }
#endif
