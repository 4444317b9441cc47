import KeyValueCore
import KeyValueFuzzing
import KeyValueTestSupport
import Testing

@Suite("Traces of random programs", .serialized)
struct TraceFuzzTests {
  @Test("Tracing changes no history, and a trace has every call in order", arguments: 0..<4)
  func programs(block: Int) {
    for seed in 0..<TestVolume.either(50, few: 5) {
      let program = Fuzzer.program(seed: UInt64(block * 1000 + seed), length: 60)
      var failure: Fuzzer.Failure?
      let trace = KeyValueTrace.recording { failure = Fuzzer.check(program) }
      if let failure {
        Issue.record("traced, \(failure)")
        return
      }
      var history: [Occurrence] = []
      let again = KeyValueTrace.recording { history = Fuzzer.actualHistory(of: program) }
      let problems = TraceCheck(again, history).problems + TraceCheck(trace, []).disorder
      if let problem = problems.first {
        Issue.record("seed \(program.seed): \(problem)\n\(again)")
        return
      }
    }
  }
}

/// Compares a trace with the history that the observers recorded.
private struct TraceCheck {
  let trace: KeyValueTrace
  let history: [Occurrence]

  init(_ trace: KeyValueTrace, _ history: [Occurrence]) {
    self.trace = trace
    self.history = history
  }

  var problems: [String] { disorder + differences }

  /// A call as described by both the trace and the history.
  private struct Call: Equatable, CustomStringConvertible {
    let path: String
    let kind: KeyValueChangeKind
    let indexes: [Int]?
    let isPrior: Bool
    var description: String { "\(path) \(kind) \(indexes ?? []) \(isPrior ? "prior" : "")" }
  }

  private var differences: [String] {
    let heard = history.compactMap { occurrence -> Call? in
      guard case .change(let told) = occurrence else { return nil }
      let path = told.who.split(separator: " ").dropFirst().joined(separator: " ")
      return Call(path: path, kind: told.kind, indexes: told.indexes, isPrior: told.isPrior)
    }
    let traced = trace.events.filter { event in
      event.kind == .delivered && event.registration?.role.isBinding == false
        && event.registration?.observer != "KeyValueChangeRecorder"
    }.map { event in
      Call(
        path: event.keyPath, kind: event.changeKind,
        indexes: event.indexes.map { $0.ranges.flatMap { Array($0) } }, isPrior: event.isPrior)
    }
    guard let index = zip(heard, traced).enumerated().first(where: { $0.1.0 != $0.1.1 })?.offset
    else {
      return heard.count == traced.count
        ? [] : ["\(heard.count) calls were heard and \(traced.count) traced"]
    }
    return ["call \(index) was \(heard[index]), and \(traced[index]) in the trace"]
  }

  /// Inconsistencies within the trace itself.
  var disorder: [String] {
    var problems: [String] = []
    var begun: [UInt64: KeyValueTrace.Event] = [:]
    var registered: Set<UInt64> = []
    for event in trace.events {
      if let cause = event.cause, begun[cause] == nil { problems.append("no cause: \(event)") }
      begun[event.id] = event
      switch event.kind {
      case .registered: registered.insert(event.registration?.number ?? 0)
      case .ended:
        if registered.remove(event.registration?.number ?? 0) == nil {
          problems.append("ended without a beginning: \(event)")
        }
      case .returned, .changeEnded:
        let beginning = event.cause.flatMap { begun.removeValue(forKey: $0) }
        if beginning?.kind != (event.kind == .returned ? .delivered : .changeBegan) {
          problems.append("what ends didn't begin: \(event)")
        }
      case .changeBegan, .delivered, .deferred, .skipped, .died, .violation: break
      }
    }
    problems += begun.values.filter { $0.kind == .delivered }.map { "doesn't return: \($0)" }
    problems += registered.map { "registration \($0) doesn't end" }
    return problems
  }
}
