import Following
import KeyValueObserving
import MachineModel

/// The list of processes, as an observer knows it from indexes and elements.
final class VerifiedList: Verifiable {
  private(set) var comparisonCount = 0
  private let machine: Machine
  private var known: [ProcessEntry] = []
  private var failure: String?
  private var observation: KeyValueObservation?

  init(of machine: Machine) {
    self.machine = machine
    observation = machine.kvo.processes.observe(options: [.initial, .old, .new]) {
      [unowned self] _, change in
      hear(change)
    }
  }

  private func hear(_ change: KeyValueObservedChange<[ProcessEntry]>) {
    let indexes = change.indexes ?? RangeSet()
    if change.kind == .removal || change.kind == .replacement {
      let left = indexes.isSubset(of: RangeSet(known.indices)) ? Array(known[indexes]) : []
      if !areSame(left, change.oldValue ?? []) { fail("the \(change.kind) is of other processes") }
    }
    known.follow(change) { $0 }
    compare()
  }

  func verify() -> String? {
    compare()
    return failure
  }

  private func compare() {
    comparisonCount += 1
    if !areSame(known, machine.processes) {
      fail("the changes make \(known.count) processes, but the list has \(machine.processes.count)")
    }
  }

  private func areSame(_ first: [ProcessEntry], _ second: [ProcessEntry]) -> Bool {
    first.elementsEqual(second, by: ===)
  }

  private func fail(_ text: String) {
    if failure == nil { failure = "processes: \(text)" }
  }
}
