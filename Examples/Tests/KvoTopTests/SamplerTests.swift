import KeyValueTesting
import MachineModel
import MachineSampling
import MachineView
import ProcFiles
import Testing

/// A model, its sampler, and an observer's history.
private final class Bench {
  let machine = Machine()
  let sampler: MachineSampler
  private let log: ChangeLog
  private let lines = Lines()

  private final class Lines {
    var all: [String] = []
  }

  init() throws {
    sampler = MachineSampler(of: machine)
    log = try ChangeLog(of: machine) { [lines] in lines.all.append($0) }
  }

  /// Applies a sample, and returns the changes that the observer receives.
  func heard(_ sample: MachineSample) -> [String] {
    lines.all = []
    sampler.apply(sample)
    return lines.all
  }
}

private func sample(uptime: Double, _ processes: [ProcessSample]) -> MachineSample {
  var sample = MachineSample()
  sample.uptime = uptime
  sample.processes = processes
  return sample
}

private func process(
  _ pid: Int32, _ command: String, start: Int = 0, ticks: Int = 0, bytes: Int? = 1000
) -> ProcessSample {
  var process = ProcessSample(pid: pid)
  process.command = command
  process.state = "S"
  process.startTicks = start
  process.cpuTicks = ticks
  process.residentBytes = bytes
  return process
}

@Suite("The sampler", .violationsFail)
struct SamplerTests {
  private let ticks = Int(ClockTicks.perSecond)

  @Test("Only the properties that changed are set")
  func onlyChanges() throws {
    let bench = try Bench()
    let first = sample(uptime: 10, [process(1, "init"), process(7, "sh")])
    #expect(
      bench.heard(first) == [
        "uptime  setting  0.0000 → 10.0000",
        "processes  insertion [0...1]  → [1 init, 7 sh]",
        "processes.@count  setting  0 → 2",
        "processes.@sum.residentBytes  setting  0 → 2000",
        "processes.@max.cpuFraction  setting  nil → 0.0000",
        "sampleNumber  setting  0 → 1",
      ])
    #expect(bench.heard(first) == ["sampleNumber  setting  1 → 2"])

    var changed = first
    changed.processes[1].command = "a\u{1B}b"
    changed.processes[1].state = "R"
    #expect(
      bench.heard(changed) == [
        #"processes[7 a?b].command  setting  "sh" → "a?b""#,
        "processes.@sum.runningCount  setting  0 → 1",
        #"processes[7 a?b].state  setting  "S" → "R""#,
        "processes[7 a?b].runningCount  setting  0 → 1",
        "sampleNumber  setting  2 → 3",
      ])
  }

  @Test("Dependent keys notify when their sources are set")
  func dependentKeys() throws {
    let bench = try Bench()
    var sample = MachineSample()
    sample.memory = MemoryInfo(Array("MemTotal: 8 kB\nMemAvailable: 8 kB".utf8))
    sample.cpuTimes = CPUTimes(busy: 100, total: 400)
    _ = bench.heard(sample)
    #expect(bench.machine.memoryUsedFraction == 0)
    #expect(bench.machine.cpuFraction == 0.25)

    sample.memory = MemoryInfo(Array("MemTotal: 8 kB\nMemAvailable: 6 kB".utf8))
    sample.cpuTimes = CPUTimes(busy: 150, total: 500)
    #expect(
      bench.heard(sample) == [
        "cpuUsage  setting  100 of 400 ticks → 50 of 100 ticks",
        "cpuFraction  setting  0.2500 → 0.5000",
        "memoryAvailable  setting  8192 → 6144",
        "memoryUsed  setting  0 → 2048",
        "memoryUsedFraction  setting  0.0000 → 0.2500",
        "sampleNumber  setting  1 → 2",
      ])
  }

  @Test("A process that keeps running keeps its entry")
  func identity() throws {
    let bench = try Bench()
    _ = bench.heard(sample(uptime: 10, [process(1, "init"), process(7, "sh", start: 5)]))
    let before = bench.machine.processes
    _ = bench.heard(
      sample(uptime: 11, [process(1, "init"), process(3, "new"), process(7, "other", start: 6)]))
    let after = bench.machine.processes
    #expect(after.map(\.pid) == [1, 3, 7])
    #expect(after[0] === before[0])
    #expect(after[2] !== before[1], "The id is the same, the process another one.")
  }

  @Test("Changes of the list have the indexes of started and ended processes")
  func indexes() throws {
    let bench = try Bench()
    _ = bench.heard(
      sample(uptime: 10, [process(1, "a"), process(3, "b"), process(5, "c"), process(7, "d")]))
    let next = sample(
      uptime: 10,
      [
        process(2, "new"), process(3, "b"), process(4, "new"), process(6, "new"),
        process(7, "other", start: 5, bytes: 3000), process(8, "new"),
      ])
    #expect(
      bench.heard(next) == [
        "processes  replacement [3]  [7 d] → [7 other]",
        "processes.@sum.residentBytes  setting  4000 → 6000",
        "processes  removal [0, 2]  [1 a, 5 c] →",
        "processes.@count  setting  4 → 2",
        "processes.@sum.residentBytes  setting  6000 → 4000",
        "processes  insertion [0, 2...3, 5]  → [2 new, 4 new, 6 new, 8 new]",
        "processes.@count  setting  2 → 6",
        "processes.@sum.residentBytes  setting  4000 → 8000",
        "sampleNumber  setting  1 → 2",
      ])
  }

  @Test("CPU use is computed over the time between two samples")
  func cpu() throws {
    let bench = try Bench()
    _ = bench.heard(sample(uptime: 10, [process(1, "busy", start: 6 * ticks, ticks: ticks)]))
    let entry = bench.machine.processes[0]
    #expect(entry.cpuFraction == 0.25, "At first over its life.")
    _ = bench.heard(sample(uptime: 12, [process(1, "busy", start: 6 * ticks, ticks: 2 * ticks)]))
    #expect(entry.cpuFraction == 0.5)
    _ = bench.heard(sample(uptime: 12, [process(1, "busy", start: 6 * ticks, ticks: 3 * ticks)]))
    #expect(entry.cpuFraction == 0.5, "No time went by, so nothing is known.")
    _ = bench.heard(sample(uptime: 13, [process(1, "busy", start: 6 * ticks, ticks: 3 * ticks)]))
    #expect(entry.cpuFraction == 0)
  }

  @Test("A process's unreadable fields are unknown; the machine's keep their values")
  func unreadable() throws {
    let bench = try Bench()
    _ = bench.heard(sample(uptime: 10, [ProcessSample(pid: 4)]))
    let entry = bench.machine.processes[0]
    #expect(entry.command == "?")
    #expect(entry.residentBytes == nil)

    _ = bench.heard(sample(uptime: 11, [process(4, "sh")]))
    #expect(bench.machine.processes[0] === entry)
    #expect(
      bench.heard(sample(uptime: 11, [process(4, "sh", bytes: nil)])) == [
        "processes.@sum.residentBytes  setting  1000 → 0",
        "processes[4 sh].residentBytes  setting  1000 → nil",
        "sampleNumber  setting  2 → 3",
      ])
    // All fields missing: the machine's known values stay.
    #expect(
      bench.heard(MachineSample()) == [
        "processes  removal [0]  [4 sh] →",
        "processes.@count  setting  1 → 0",
        "processes.@max.cpuFraction  setting  0.0000 → nil",
        "sampleNumber  setting  3 → 4",
      ])
    #expect(bench.machine.uptime == 11)
  }

  @Test("Numbers that overflow have no effect")
  func absurd() throws {
    let bench = try Bench()
    let huge = [process(1, "a", ticks: .max, bytes: .max), process(2, "b", bytes: .max)]
    _ = bench.heard(sample(uptime: 1, huge))
    #expect(bench.machine.processes.map(\.residentBytes) == [nil, nil])
    _ = bench.heard(sample(uptime: 2, [process(1, "a", ticks: 0, bytes: 1)]))
    #expect(bench.machine.processes[0].cpuFraction == 0)
  }
}
