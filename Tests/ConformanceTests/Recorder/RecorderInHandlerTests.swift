import KeyValueObserving
import KeyValueTestSupport
import Testing

private let refused =
  "undo() or redo() was called inside a group or inside a recorded change, and did nothing. Call it "
  + "when the change is complete."

@Suite("X. Undoing inside a recorded change")
struct RecorderInHandlerTests {
  /// What is recorded of a firm.
  enum Recorded: CaseIterable {
    case key
    case path
    case elements
    case graph

    fileprivate func begin(_ recorder: KeyValueChangeRecorder, _ firm: Firm) throws {
      switch self {
      case .key: try recorder.record(firm, "name")
      case .path: try recorder.record(firm, "site.city")
      case .elements: try recorder.record(firm, "workers.salary")
      case .graph: try recorder.record(graph: firm)
      }
    }

    /// Observes what `change` changes.
    fileprivate func observe(
      _ firm: Firm, _ options: KeyValueObservingOptions, _ handler: @escaping () -> Void
    ) -> KeyValueObservation {
      switch self {
      case .key, .graph: firm.kvo.name.observe(options: options) { _, _ in handler() }
      case .path: firm.site.kvo.city.observe(options: options) { _, _ in handler() }
      case .elements: firm.workers[0].kvo.salary.observe(options: options) { _, _ in handler() }
      }
    }

    fileprivate func change(_ firm: Firm) {
      switch self {
      case .key, .graph: firm.name = "A"
      case .path: firm.site.city = "Rome"
      case .elements: firm.workers[0].salary = 7
      }
    }

    fileprivate func isChanged(_ firm: Firm) -> Bool {
      switch self {
      case .key, .graph: firm.name == "A"
      case .path: firm.site.city == "Rome"
      case .elements: firm.workers[0].salary == 7
      }
    }
  }

  @Test("X3 undo() in an observer throws and does nothing, before the recorder and after it")
  func order() throws {
    try ViolationLog.record { violations in
      for recorded in Recorded.allCases {
        for isTransaction in [false, true] {
          let (firm, recorder) = (Firm(), KeyValueChangeRecorder())
          firm.workers = [Worker("Ada")]
          var answers: [String] = []
          let undo = { answers.append(message { try recorder.undo() }) }
          let early = recorded.observe(firm, .prior, undo)
          try recorded.begin(recorder, firm)
          let late = recorded.observe(firm, .prior, undo)
          if isTransaction {
            firm.performChanges { recorded.change($0) }
          } else {
            recorded.change(firm)
          }
          #expect(answers == Array(repeating: refused, count: 4), "\(recorded) \(isTransaction)")
          #expect(recorded.isChanged(firm))
          early.invalidate()
          late.invalidate()
          #expect(try recorder.undo() && !recorded.isChanged(firm) && !recorder.canUndo)
          #expect(violations.take() == [])
        }
      }
    }
  }

  @Test("X3 undo() in an observer of a log does nothing, before the recorder and after it")
  func logs() throws {
    try ViolationLog.record { violations in
      for recorded in [Recorded.key, .graph] {
        for isTransaction in [false, true] {
          let (firm, recorder) = (Firm(), KeyValueChangeRecorder())
          var answers: [String] = []
          let early = try KeyValueChangeLog(of: firm)
          let earlyToken = early.observe { _ in answers.append(message { try recorder.undo() }) }
          try recorded.begin(recorder, firm)
          let late = try KeyValueChangeLog(of: firm)
          let lateToken = late.observe { _ in answers.append(message { try recorder.undo() }) }
          if isTransaction {
            firm.performChanges { $0.name = "A" }
          } else {
            firm.name = "A"
          }
          #expect(answers == [refused, refused], "\(recorded) \(isTransaction)")
          #expect(violations.take() == [])
          earlyToken.invalidate()
          lateToken.invalidate()
          #expect(try recorder.undo() && firm.name == "Engines" && !recorder.canUndo)
          withExtendedLifetime((early, late)) {}
        }
      }
    }
  }

  @Test("X3 an observer of what isn't recorded may undo")
  func unrecorded() throws {
    let (firm, recorder) = (Firm(), KeyValueChangeRecorder())
    try recorder.record(firm, "name")
    firm.name = "A"
    let token = firm.site.kvo.city.observe { _, _ in _ = try? recorder.undo() }
    firm.site.city = "Rome"
    #expect(firm.name == "Engines" && !recorder.canUndo)
    token.invalidate()
  }
}
