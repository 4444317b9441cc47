import KeyValueObserving
import MachineModel

/// An aggregate of all processes, as an observer knows it from its notifications.
final class VerifiedAggregate<Value: Equatable>: Verifiable {
  private(set) var comparisonCount = 0
  private let machine: Machine
  private let keyPath: String
  private let recompute: ([ProcessEntry]) -> Value
  private var told: Value?
  private var failure: String?
  private var observation: KeyValueObservation?

  init(
    _ path: KeyValueBoundPath<Machine, Value>, of machine: Machine,
    fileID: StaticString = #fileID, line: UInt = #line,
    recompute: @escaping ([ProcessEntry]) -> Value
  ) {
    self.machine = machine
    self.keyPath = String(KeyValuePath(path))
    self.recompute = recompute
    observation = path.observe(options: [.initial, .old, .new], fileID: fileID, line: line) {
      [unowned self] _, change in
      hear(change)
    }
  }

  private func hear(_ change: KeyValueObservedChange<Value>) {
    // The first call has no old value.
    if let old = change.oldValue, old != told {
      fail("was observed as \(text(told)), but the next change says that it was \(text(old))")
    }
    told = change.newValue
    compare()
  }

  func verify() -> String? {
    compare()
    return failure
  }

  private func compare() {
    comparisonCount += 1
    let value = recompute(machine.processes)
    if told != value {
      fail("was observed as \(text(told)), but a recomputation gives \(text(value))")
    }
  }

  private func fail(_ text: String) {
    if failure == nil { failure = "\(keyPath) \(text)" }
  }

  private func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
}
