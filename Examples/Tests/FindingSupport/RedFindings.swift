import KeyValueObserving

extension KeyValueTrace {
  /// The findings that the inspector shows in red, because they are probably mistakes.
  package var redFindings: [String] {
    let findings = self.findings
    let leaks = findings.growing.filter { $0.count > $0.propertyCount }
    return findings.cycles.map { "\($0)" } + findings.avalanches.map { "\($0)" }
      + leaks.map { "leak: \($0.count) on \($0.objectCount) objects, \($0.event)" }
      + findings.endedAtOnce.map { "ended at once: \($0.event)" }
      + events.filter { $0.kind == .violation }.map { "\($0)" }
  }
}
