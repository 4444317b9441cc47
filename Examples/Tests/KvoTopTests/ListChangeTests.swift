import MachineModel
import ProcFiles
import Testing

@testable import MachineSampling

@Suite("Changes of the process list")
struct ListChangeTests {
  private func entry(_ pid: Int32, start: Int? = 1) -> ProcessEntry {
    ProcessEntry(pid: pid, startTicks: start, command: "c", state: "S", user: "u")
  }

  private func process(_ pid: Int32, start: Int? = 1) -> ProcessSample {
    var process = ProcessSample(pid: pid)
    process.startTicks = start
    return process
  }

  private func expect(
    _ change: ProcessListChange, replaced: [Int] = [], removed: [Range<Int>] = [],
    inserted: [Range<Int>] = [], started: [Int32] = [], kept: [Int32] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(change.replaced.map(\.index) == replaced, sourceLocation: sourceLocation)
    #expect(Array(change.removed.ranges) == removed, sourceLocation: sourceLocation)
    #expect(Array(change.inserted.ranges) == inserted, sourceLocation: sourceLocation)
    #expect(change.started.map(\.pid) == started, sourceLocation: sourceLocation)
    #expect(change.kept.map(\.entry.pid) == kept, sourceLocation: sourceLocation)
  }

  @Test("An unchanged list keeps all its processes")
  func nothing() {
    expect(ProcessListChange(from: [], to: []))
    expect(
      ProcessListChange(from: [entry(1), entry(2)], to: [process(1), process(2)]), kept: [1, 2])
  }

  @Test("A full list after an empty one, or an empty after a full, is one range of indexes")
  func all() {
    expect(
      ProcessListChange(from: [], to: [process(1), process(5)]), inserted: [0..<2], started: [1, 5])
    expect(ProcessListChange(from: [entry(1), entry(5)], to: []), removed: [0..<2])
  }

  @Test("Ended processes are removed, and started ones inserted, at their indexes")
  func some() {
    let change = ProcessListChange(
      from: [entry(2), entry(3), entry(5), entry(9)],
      to: [process(1), process(3), process(4), process(9), process(12)])
    expect(
      change, removed: [0..<1, 2..<3],
      inserted: [0..<1, 2..<3, 4..<5], started: [1, 4, 12],
      kept: [3, 9])
  }

  @Test("A process with a reused id replaces the ended one")
  func reused() {
    let change = ProcessListChange(
      from: [entry(1), entry(2), entry(3, start: 10)],
      to: [process(2), process(3, start: 11)])
    expect(change, replaced: [2], removed: [0..<1], kept: [2])
  }

  @Test("An unreadable start time matches any other")
  func unknownStart() {
    expect(ProcessListChange(from: [entry(1)], to: [process(1, start: nil)]), kept: [1])
    expect(ProcessListChange(from: [entry(1, start: nil)], to: [process(1)]), kept: [1])
  }
}
