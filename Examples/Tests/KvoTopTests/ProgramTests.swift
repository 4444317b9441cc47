import Foundation
import TerminalSupport
import Testing

@testable import MachineSampling

#if os(Linux)
  @Suite("The output of kvo-top")
  struct ProgramTests {
    private let folder: TemporaryFolder
    private let block: String

    init() throws {
      folder = try TemporaryFolder([
        "1/stat": "1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 1",
        "sys/kernel/hostname": "host\n",
        "uptime": "60.00 0.00\n",
      ])
      // The files belong to the user that runs the tests.
      var names = UserNames()
      let user = names.name(of: geteuid()).fitted(columns: 8, alignment: .left)
      block = """
        host   cpu 0.0%   memory 0B of 0B (0.0%)   1 process, 0 running   load 0.00 0.00 0.00   up 00:01:00
        resident 4.0K (0.0%)   busiest 0.0%   no swap   sorted by cpu
            PID USER     S   CPU%  MEM%    RES COMMAND
              1 \(user) S    0.0   0.0   4.0K init

        """
    }

    @Test("--once prints one sample")
    func once() throws {
      let result = try Program.run(["--once", "--proc", folder.path])
      #expect(result.output == block)
      #expect(result.errors == "")
      #expect(result.status == 0)
    }

    @Test("Without a terminal, three samples are printed by default")
    func three() throws {
      let result = try Program.run(["--interval", "0.05", "--proc", folder.path])
      #expect(result.output == [block, block, block].joined(separator: "\n"))
      #expect(result.status == 0)
    }

    #if !Inspector
      @Test("--inspect, in a build without the inspector, prints the command that includes it")
      func inspector() throws {
        let result = try Program.run(["--inspect", "--once", "--proc", folder.path])
        #expect(result.output == "")
        #expect(
          result.errors == """
            Error: this was built without the inspector; run: \
            swift run --package-path Examples --traits Inspector kvo-top --inspect

            """)
        #expect(result.status == 1)
      }
    #endif

    @Test("On a terminal, the last line counts what observation did")
    func observation() throws {
      let terminal = try PseudoTerminal(columns: 100, rows: 12)
      let process = try terminal.start(["--interval", "60", "--proc", folder.path])
      let frame = try terminal.shown(upTo: "\u{1B}[J")
      let last = frame.components(separatedBy: "\r\n").last
      // The sample changes the host name, the uptime, the list and its own number. Each of the row's five
      // keys also calls back when it is first observed.
      #expect(
        last
          == "\u{1B}[2mobservation:\u{1B}[m \u{1B}[1;36m4\u{1B}[m changes, "
          + "\u{1B}[1;36m29\u{1B}[m callbacks, \u{1B}[1;36m1\u{1B}[m row redrawn\u{1B}[K\u{1B}[J")
      terminal.type("q")
      process.waitUntilExit()
    }

    @Test("This machine's processes are printed")
    func real() throws {
      let result = try Program.run(
        ["--iterations", "3", "--interval", "0.05", "--sort", "pid", "--limit", "2"])
      let headers = result.output.split(separator: "\n").filter { $0.hasSuffix("RES COMMAND") }
      #expect(headers.count == 3)
      #expect(result.errors == "")
      #expect(result.status == 0)
    }

    @Test("--log prints every change")
    func log() throws {
      let result = try Program.run(["--once", "--log", "--proc", folder.path])
      #expect(
        result.output == """
          hostName  setting  "" → "host"
          uptime  setting  0.0000 → 60.0000
          processes  insertion [0]  → [1 init]
          processes.@count  setting  0 → 1
          processes.@sum.residentBytes  setting  0 → 4096
          processes.@max.cpuFraction  setting  nil → 0.0000
          sampleNumber  setting  0 → 1


          """ + block + "\n")
    }

    @Test("--verify compares what observers receive with a recomputation")
    func verify() throws {
      let result = try Program.run(["--once", "--verify", "--proc", folder.path])
      #expect(
        result.output == block + "\nverified: 15 comparisons with a recomputation, all equal\n")
      #expect(result.errors == "")
      #expect(result.status == 0)

      let real = try Program.run(["--verify", "--iterations", "3", "--interval", "0.05"])
      #expect(real.output.hasSuffix("comparisons with a recomputation, all equal\n"))
      #expect(real.status == 0)
    }

    @Test("The program exits without an error when its output is closed")
    func closedPipe() throws {
      let process = Program.process(["--interval", "0.05", "--iterations", "100000"])
      let output = Pipe()
      let errors = Pipe()
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      try output.fileHandleForWriting.close()
      _ = output.fileHandleForReading.readData(ofLength: 1)
      try output.fileHandleForReading.close()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 0)
      #expect(errors.fileHandleForReading.availableData.isEmpty)
    }

    @Test("A missing proc file system is an error")
    func noProc() throws {
      let result = try Program.run(["--proc", "/nowhere"])
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("Error: cannot read processes from /nowhere: No such file"))
      #expect(result.status == 1)
    }

    @Test("A failure to write is an error")
    func fullDevice() throws {
      let process = Program.process(["--once"])
      let errors = Pipe()
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
      process.standardError = errors
      try process.run()
      let text = String(
        decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text == "Error: cannot write: No space left on device\n")
      #expect(process.terminationStatus == 1)
    }
  }
#endif
