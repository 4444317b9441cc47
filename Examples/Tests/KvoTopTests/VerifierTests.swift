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

  @Test("Observed aggregates equal a recomputation while the list is changed in every way")
  func everyWay() throws {
    let verifier = MachineVerifier(of: machine)
    var generator = SeededGenerator(seed: 7)
    let list = machine.mutableArrayValue(for: \.processes)
    let entries = (1...40).map { pid in
      ProcessEntry(pid: pid, startTicks: nil, command: "", state: "S", user: "")
    }
    for entry in entries { entry.cpuFraction = .random(in: 0..<1, using: &generator) }
    for _ in 0..<1000 {
      let entry = entries.randomElement(using: &generator)!
      let index = Int.random(in: 0...list.count, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: entry.residentBytes = Int.random(in: 0..<100, using: &generator)
      case 1: entry.cpuFraction = Double.random(in: 0..<1, using: &generator)
      case 2: entry.state = entry.state == "R" ? "S" : "R"
      case 3: list.insert(contentsOf: [entry, entries[0], entry], at: index)
      case 4: machine.processes.insert(contentsOf: [entry, entries[1]], at: index)
      case 5 where index < list.count: list[index] = entry
      case 6 where index < list.count: machine.processes.remove(at: index)
      case 7: list.removeSubrange(index / 2..<index)
      case 8: machine.processes.shuffle(using: &generator)
      default: machine.processes = entries.filter { _ in generator.next() % 2 == 0 }
      }
      try verifier.verify()
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
