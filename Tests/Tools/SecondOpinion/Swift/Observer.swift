import KeyValueObserving

/// Writes each notification into the history, then runs the scenario's command for that call.
final class Observer: KeyValueObserver {
  private let name: String
  private unowned let scenario: Scenario
  private var calls = 0
  /// Commands by the number of the call that runs them.
  var scripts: [Int: [[Substring]]] = [:]

  init(_ name: String, _ scenario: Scenario) {
    self.name = name
    self.scenario = scenario
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    let literals = scenario.literals
    var line = "\(name) \(literals.text(object)).\(keyPath) \(change.kind)"
    if let old = change.oldValue { line += " old \(literals.text(old))" }
    if let new = change.newValue { line += " new \(literals.text(new))" }
    if let indexes = change.indexes {
      line += " at " + indexes.ranges.flatMap { $0 }.map { "\($0)" }.joined(separator: ",")
    }
    if change.isPrior { line += " prior" }
    if let context { line += " context \(Int(bitPattern: context))" }
    scenario.say(line)
    calls += 1
    for command in scripts[calls] ?? [] { scenario.run(command) }
  }
}
