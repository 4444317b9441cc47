#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Logs that end where they were made, although a token of their observer is kept.
  @Suite("L3. Logs that are not kept")
  struct EndedLogTests {
    @Test("L3 A change that an ended log doesn't record is reported once, if a token of it is kept")
    func token() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        let mate = Mate()
        squad.mates = [mate]
        let token = try observed(squad)
        #expect(!token.isValid && violations.take() == [])
        squad.title = "Engines"
        #expect(violations.take() == [report])
        squad.title = "Looms"
        mate.name = "Ada"
        #expect(violations.take() == [] && isIdle(squad, mate))
        withExtendedLifetime(token) {}
      }
    }

    @Test("L3 A change that an ended recorder of a graph doesn't record is reported once")
    func recorder() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        let mate = Mate()
        squad.mates = [mate]
        do {
          let recorder = KeyValueChangeRecorder()
          try recorder.record(graph: squad)
          squad.title = "Mills"
        }
        do {
          let recorder = KeyValueChangeRecorder()
          try recorder.record(graph: squad)
          recorder.stopRecording(graph: squad)
        }
        // It ends with its graph.
        try KeyValueChangeRecorder().record(graph: Squad())
        squad.title = "Looms"
        #expect(violations.take() == [] && isIdle(squad, mate))
        try KeyValueChangeRecorder().record(graph: squad)
        #expect(violations.take() == [])
        mate.name = "Ada"
        #expect(
          violations.take() == [
            "tolerated: The recording of the graph of Squad ended at once, because its recorder was not kept, so "
              + "this change can't be undone. Keep the recorder as long as it is needed, in a property. If it was to "
              + "end, end it with stopRecording(graph:)."
          ])
        squad.title = "Wheels"
        #expect(violations.take() == [] && isIdle(squad, mate))
      }
    }

    @Test("L3 So is a change of another object of the graph")
    func mate() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        let mate = Mate()
        squad.mates = [mate]
        let tokens = [try observed(squad), try observed(squad)]
        mate.name = "Ada"
        #expect(violations.take() == [report])
        withExtendedLifetime(tokens) {}
      }
    }

    @Test("L3 The log of an object that ends with its tokens, in either order, is not reported")
    func together() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        do { _ = try LogFirst(squad) }
        do { _ = try TokenFirst(squad) }
        squad.title = "Engines"
        #expect(violations.take() == [] && isIdle(squad))
      }
    }

    @Test("L3 Nor is one whose token was invalidated, before or after the log's end, or dropped")
    func invalidated() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        var token: KeyValueObservation? = try observed(squad)
        token?.invalidate()
        #expect(isIdle(squad))
        squad.title = "Engines"
        token = try observed(squad)
        #expect(!isIdle(squad))
        token = nil
        #expect(isIdle(squad))
        squad.title = "Looms"
        do {
          let log = try KeyValueChangeLog(of: squad)
          token = log.observe { _ in }
          token?.invalidate()
        }
        squad.title = "Cards"
        #expect(violations.take() == [])
      }
    }

    @Test("L3 Nor is one that recorded a change, nor one without observers")
    func used() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let squad = Squad()
        var records = 0
        func begin() throws -> KeyValueObservation {
          let log = try KeyValueChangeLog(of: squad)
          let token = log.observe { _ in records += 1 }
          squad.title = "Engines"
          return token
        }
        let token = try begin()
        do { _ = try KeyValueChangeLog(of: squad) }
        squad.title = "Looms"
        #expect(records == 1 && violations.take() == [] && isIdle(squad))
        withExtendedLifetime(token) {}
      }
    }

    @Test("L3 The graph's objects may die before the token, and nothing keeps them")
    func deaths() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        var squad: Squad? = Squad()
        let mate = Mate()
        squad?.mates = [mate]
        weak let (root, kept) = (squad, mate)
        var token: KeyValueObservation? = try squad.map(observed)
        squad = nil
        #expect(root == nil && kept != nil)
        token = nil
        #expect(token == nil && isIdle(mate))
        mate.name = "Ada"
        #expect(violations.take() == [])
      }
    }
  }

  private func observed(_ squad: Squad) throws -> KeyValueObservation {
    let log = try KeyValueChangeLog(of: squad)
    return log.observe { _ in Issue.record("recorded") }
  }

  private let report =
    "tolerated: A KeyValueChangeLog of Squad ended at once, because nothing keeps it, so its observer gets "
    + "no record of this change, although its token is kept. A token does not keep its log: keep the log, "
    + "too. If it was to end, end the observer with invalidate()."

  @KeyValueObservable
  private final class Squad {
    var title = ""
    var mates: [Mate] = []
  }

  @KeyValueObservable
  private final class Mate {
    var name = ""
  }

  private final class LogFirst {
    let log: KeyValueChangeLog<Squad>
    let token: KeyValueObservation

    init(_ squad: Squad) throws {
      log = try KeyValueChangeLog(of: squad)
      token = log.observe { _ in }
    }
  }

  private final class TokenFirst {
    let token: KeyValueObservation
    let log: KeyValueChangeLog<Squad>

    init(_ squad: Squad) throws {
      log = try KeyValueChangeLog(of: squad)
      token = log.observe { _ in }
    }
  }
#endif
