import MachineModel
import MachineSampling
import MachineView
import ProcFiles
import TerminalSupport
import Testing

@Suite("The view")
struct ViewTests {
  private let machine = Machine()
  private let sampler: MachineSampler
  private let view: MachineView

  init() {
    sampler = MachineSampler(of: machine)
    view = MachineView(of: machine, order: .cpu, limit: nil) { _ in }
    sampler.apply(Self.sample)
  }

  private static var sample: MachineSample {
    var sample = MachineSample()
    sample.hostName = "host"
    sample.uptime = 100
    sample.loadAverages = LoadAverages(oneMinute: 0.5, fiveMinutes: 0.25, fifteenMinutes: 0.1)
    sample.cpuTimes = CPUTimes(busy: 1, total: 8)
    sample.memory = MemoryInfo(
      Array("MemTotal: 1024 kB\nMemAvailable: 768 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB".utf8))
    for (pid, command) in [(1, "init"), (20, "日本語日本語日本語"), (300, "a\u{1B}[2J b")] {
      var process = ProcessSample(pid: Int32(pid))
      process.command = command
      process.state = "S"
      process.startTicks = 0
      process.cpuTicks = pid * Int(ClockTicks.perSecond) / 10
      process.residentBytes = 65_536
      sample.processes.append(process)
    }
    sample.processes[0].residentBytes = nil
    return sample
  }

  @Test("Without a width, lines have any length")
  func endless() {
    #expect(
      view.lines(in: .init()).joined(separator: "\n") == """
        host   cpu 12.5%   memory 256.0K of 1.0M (25.0%)   3 processes, 0 running   load 0.50 0.25 0.10
        up 00:01:40   resident 128.0K (12.5%)   busiest 30.0%   no swap   sorted by cpu
            PID USER     S   CPU%  MEM%    RES COMMAND
            300 ?        S   30.0   6.3  64.0K a?[2J b
             20 ?        S    2.0   6.3  64.0K 日本語日本語日本語
              1 ?        S    0.1     ?      ? init
        """)
  }

  @Test("The view fits into 40 columns and 10 rows")
  func small() {
    #expect(
      view.lines(in: .init(columns: 40, rows: 10)).joined(separator: "\n") == """
        host   cpu 12.5%
        memory 256.0K of 1.0M (25.0%)
        3 processes, 0 running
        load 0.50 0.25 0.10   up 00:01:40
            PID S   CPU%    RES COMMAND
            300 S   30.0  64.0K a?[2J b
             20 S    2.0  64.0K 日本語日本語日本
              1 S    0.1      ? init
        """)
  }

  @Test("The view fits into any space")
  func anySpace() {
    let onScreen = MachineView(
      of: machine, order: .cpu, limit: nil, countsObservation: true
    ) { _ in }
    onScreen.note = "inspector: http://127.0.0.1:40000/0123456789abcdef0123456789abcdef/"
    for columns in 0...250 {
      for rows in [0, 1, 2, 3, 5, 24] {
        let lines = view.lines(in: .init(columns: columns, rows: rows))
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.columnCount <= columns }, "\(columns) columns")
        let screen = onScreen.lines(in: .init(columns: columns, rows: rows), isInteractive: true)
        #expect(screen.count <= rows)
        // The header has control sequences.
        #expect(
          screen.allSatisfy { $0.columnCount <= columns || $0.hasPrefix("\u{1B}[7m") },
          "\(columns) columns")
      }
    }
  }

  @Test("On a screen, the last line counts what observation did since the last sample")
  func observation() throws {
    let view = MachineView(
      of: machine, order: .cpu, limit: nil, countsObservation: true
    ) { _ in }
    let space = MachineView.Space(columns: 120, rows: 12)
    var sample = Self.sample
    sampler.apply(sample)
    sample.processes[0].state = "R"
    sample.processes[1].residentBytes = 1_048_576
    sampler.apply(sample)
    let lines = view.lines(in: space, isInteractive: true)
    #expect(lines.count == 12)
    let line = try #require(lines.last)
    // The sample changes a state, a size and its own number. The counts of changes and callbacks
    // include those of other tests, which run at the same time; the count of rows is this view's.
    let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
    try #require(numbers.count == 3)
    #expect(numbers[0] >= 3)
    #expect(numbers[1] >= 5)
    #expect(numbers[2] == 2)
    #expect(
      line
        == "observation: \(numbers[0]) changes, \(numbers[1]) callbacks, \(numbers[2]) rows redrawn"
    )
    #expect(
      view.lines(in: space, isInteractive: true, hasColor: true).last
        == "\u{1B}[2mobservation:\u{1B}[m \u{1B}[1;36m\(numbers[0])\u{1B}[m changes, "
        + "\u{1B}[1;36m\(numbers[1])\u{1B}[m callbacks, \u{1B}[1;36m2\u{1B}[m rows redrawn")
    // Drawing again, as after a key, counts nothing new.
    view.draw()
    #expect(view.lines(in: space, isInteractive: true).last == lines.last)
  }

  @Test("On a screen, the header has the same height for each order")
  func height() {
    for columns in 40...160 {
      let heights = ProcessOrder.allCases.map { order in
        view.order = order
        return view.lines(in: .init(columns: columns, rows: 24), isInteractive: true)
          .firstIndex { $0.contains("PID") }
      }
      #expect(Set(heights).count == 1, "\(columns) columns")
    }
  }

  @Test("The rows are in the chosen order", arguments: ProcessOrder.allCases)
  func order(_ order: ProcessOrder) {
    view.order = order
    let rows = view.lines(in: .init()).dropFirst(3)
    let pids = rows.compactMap { $0.split(separator: " ").first }
    switch order {
    case .cpu: #expect(pids == ["300", "20", "1"])
    case .memory: #expect(pids == ["20", "300", "1"])
    case .pid: #expect(pids == ["1", "20", "300"])
    case .command: #expect(pids == ["300", "1", "20"])
    }
  }

  @Test("The view draws once per sample, after all changes")
  func drawing() {
    let drawings = Drawings()
    let view = MachineView(of: machine, order: .pid, limit: 1) {
      drawings.all.append($0.lines(in: .init()).last ?? "")
    }
    var sample = Self.sample
    sample.processes[0].state = "R"
    sampler.apply(sample)
    sample.processes.removeFirst()
    sampler.apply(sample)
    withExtendedLifetime(view) {}
    #expect(
      drawings.all == [
        "      1 ?        R    0.1     ?      ? init",
        "     20 ?        S    2.0   6.3  64.0K 日本語日本語日本語",
      ])
  }

  @Test("The rows follow the list when processes start and end and an id is reused")
  func rows() {
    view.order = .pid
    var sample = Self.sample
    for _ in 0..<3 {
      // Processes start before and after the last one. Then another process has the first one's id.
      let (first, last) = (sample.processes[0], sample.processes[2])
      sample.processes = [10, 200, last.pid, 400].map { pid in
        var process = last
        process.pid = pid
        process.command = "p\(pid)"
        return process
      }
      sampler.apply(sample)
      #expect(pids == ["10", "200", "300", "400"])
      sample.processes = [first, sample.processes[2]]
      sample.processes[0].startTicks = (first.startTicks ?? 0) + 1
      sampler.apply(sample)
      #expect(pids == ["1", "300"])
      sample = Self.sample
      sampler.apply(sample)
      #expect(pids == ["1", "20", "300"])
    }
  }

  private var pids: [Substring] {
    view.lines(in: .init()).drop { !$0.contains("PID") }.dropFirst()
      .compactMap { $0.split(separator: " ").first }
  }

  private final class Drawings {
    var all: [String] = []
  }
}
