import KeyValueTesting
import MachineModel
import MachineSampling
import ProcFiles
import Testing

@testable import MachineVerification

@Suite("The verifier", .violationsFail)
struct VerifierTests {
  private let machine = Machine()
  private let sampler: MachineSampler

  init() { sampler = MachineSampler(of: machine) }

  private func sample(_ processes: [(pid: Int32, start: Int, bytes: Int?)]) -> MachineSample {
    var sample = MachineSample()
    sample.processes = processes.map { pid, start, bytes in
      var process = ProcessSample(pid: pid)
      process.startTicks = start
      process.residentBytes = bytes
      process.state = bytes.map { $0 % 2 == 0 } == true ? "R" : "S"
      return process
    }
    return sample
  }

  @Test("Observed aggregates equal a recomputation while processes start and end")
  func random() throws {
    let verifier = MachineVerifier(of: machine)
    var generator = SeededGenerator(seed: 20_251)
    var processes: [Int32: (pid: Int32, start: Int, bytes: Int?)] = [:]
    for step in 0..<300 {
      for _ in 0..<Int.random(in: 0..<8, using: &generator) {
        let pid = Int32.random(in: 1..<40, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: processes[pid] = nil
        case 1: processes[pid]?.bytes = nil
        case 2: processes[pid]?.bytes = Int.random(in: 0..<10_000, using: &generator)
        default: processes[pid] = (pid, step, Int.random(in: 0..<10_000, using: &generator))
        }
      }
      sampler.apply(sample(processes.values.sorted { $0.pid < $1.pid }))
      try verifier.verify()
    }
    #expect(verifier.comparisonCount > 3000)
  }

  @Test("Totals follow edits, departures and repetitions of a process")
  func totals() {
    let entries = [8, 5, 6, 1].map { bytes in
      let entry = ProcessEntry(pid: 0, startTicks: nil, command: "", state: "S", user: "")
      (entry.residentBytes, entry.cpuFraction) = (bytes, Double(bytes))
      return entry
    }
    machine.processes = entries
    let (list, path) = (machine.mutableArrayValue(for: \.processes), machine.kvo.processes)
    let (sum, maximum) = (path[sum: \.residentBytes], path[maximum: \.residentBytes])
    let average = path[average: \.cpuFraction]
    expectChanges(of: sum, maximum, average) {
      list.remove(at: 0)
      entries[2].residentBytes = 3
      entries[0].residentBytes = 11
      list.append(contentsOf: [entries[0], entries[0]])
      entries[0].residentBytes = 1
      list.removeLast()
    } are: {
      for (sums, maxima, averages) in [
        ((20, 12), (8, 6), (5, 4)), ((12, 9), (6, 5), nil), ((9, 31), (5, 11), (4, 5.6)),
        ((31, 11), (11, 5), nil), ((11, 10), (5, 5), (5.6, 5)),
      ] as [((Int, Int), (Int, Int), (Double, Double)?)] {
        change(sum, old: sums.0, new: sums.1)
        change(maximum, old: maxima.0, new: maxima.1)
        if let averages { change(average, old: averages.0, new: averages.1) }
      }
    }
    machine.processes = [entries[0], entries[0]]
    expectChanges(of: path[sum: \.runningCount]) {
      entries[0].state = "R"
      machine.processes.removeLast()
    } are: {
      change(path[sum: \.runningCount], old: 0, new: 2)
      change(path[sum: \.runningCount], old: 2, new: 1)
    }
  }

  @Test("A failure states the observed and the recomputed value")
  func failure() throws {
    let aggregate = VerifiedAggregate(machine.kvo.processes[sum: \.residentBytes], of: machine) {
      processes in
      processes.count * 1000
    }
    sampler.apply(sample([(1, 0, 1000), (2, 0, 1000)]))
    #expect(aggregate.verify() == nil)
    sampler.apply(sample([(1, 0, 1000), (2, 0, 500)]))
    sampler.apply(sample([(1, 0, 1000), (2, 0, 1000)]))
    let text = try #require(aggregate.verify(), "What was wrong once is not forgotten.")
    #expect(
      text == "processes.@sum.residentBytes was observed as 1500, but a recomputation gives 2000")
    let error = VerificationFailure(sample: 2, [text, "another"])
    #expect("\(error)" == "verification failed in sample 2: \(text); another")
  }
}

/// Generates the same numbers in each run.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
