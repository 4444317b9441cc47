import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("L. Diagnostics")
struct DiagnosticsTests {
  private let log = ChangeLog()
  private let person = Person()

  // MARK: L1

  @Test("L1 The handler receives every violation with its kind and advice")
  func messages() throws {
    try ViolationLog.record { violations in
      let person = Person()
      _ = person.observe(\Person.frame.origin) { _, _ in }
      let loop = person.observe(\.age) { person, _ in person.age += 1 }
      person.age = 0
      loop.invalidate()
      person.willChangeValue(forKey: "agee")
      person.didChangeValue(forKey: "age")
      let crate = Crate()
      let token = try crate.observe("content.balance") { _, _ in }
      crate.content = 1
      token.invalidate()
      let lines = violations.take()
      #expect(
        lines.map { $0.prefix { $0 != ":" } } == [
          "unobservablePath", "runawayRecursion", "undefinedKey", "tolerated", "unobservableValue",
        ])
      let advice = ["write ", "or break the loop", "Did you mean", "Call both", "until the value"]
      for (line, words) in zip(lines, advice) { #expect(line.contains(words)) }
    }
  }

  @Test("L1 By default a tolerated violation does not trap, and debug builds print it")
  func toleratedByDefault() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Person().didChangeValue(forKey: "age")
      Person().didChangeValue(forKey: "age")
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #if DEBUG
      let lines = message.split(separator: "\n").filter { $0.hasPrefix("KeyValueObserving: ") }
      let expected =
        "KeyValueObserving: didChangeValue(forKey: \"age\") of Person was called without "
        + "willChangeValue on this thread, so no observer was notified. Call both, or use withChange(of:_:)."
      // The first report of a process names the page that explains reports.
      let page =
        "KeyValueObserving: The page Nothing is called: why? (NothingIsCalled.md) has every such "
        + "report with its cause."
      #expect(lines.map(String.init) == [expected, page, expected])
    #else
      #expect(!message.contains("didChangeValue"))
    #endif
  }

  @Test("L1 A violation is equal to itself, and prints its description")
  func violations() async {
    await #expect(processExitsWith: .success) {
      let list = AtomicList()
      KeyValueViolation.handler = { violation in
        list.append("\(violation == violation) \(violation.kind) \(violation.description)")
        list.append("\(violation)")
      }
      Person().didChangeValue(forKey: "age")
      let lines = list.take()
      #expect(lines.count == 2)
      #expect(lines.first == "true tolerated \(lines.last ?? "")")
    }
  }

  // MARK: L2

  @Test("L2 observationInfo lists what is registered, in registration order")
  func observationInfo() throws {
    let observer = LoggingObserver("observer", log)
    #expect(person.observationInfo.isEmpty)
    person.account = Account()
    let token = person.observe(\.account.balance, options: [.new]) { _, _ in }
    try person.addObserver(
      observer, forKeyPath: "fullName", options: [.old, .prior], context: context(9))
    let second = try person.observe("age") { _, _ in }
    try person.addObserver(observer, forKeyPath: "age")
    let info = person.observationInfo
    #expect(info.map(\.keyPath) == ["account.balance", "fullName", "age", "age"])
    #expect(info.map(\.options) == [.new, [.old, .prior], [], []])
    #expect(info.map(\.context) == [nil, context(9), nil, nil])
    #expect(info.map { $0.observer.hasPrefix("LoggingObserver@0x") } == [false, true, false, true])
    #expect(info[0].observer == "closure")
    #expect(info[2].observer == "closure")
    #expect("\(info[0])" == "account.balance -> closure, options: [.new]")
    #expect(
      "\(info[1])"
        == "fullName -> \(info[1].observer), options: [.old, .prior], context: 0x0000000000000009")
    // An observation through an object is not listed on that object.
    #expect(person.account?.observationInfo.isEmpty == true)

    token.invalidate()
    try person.removeObserver(observer, forKeyPath: "fullName")
    #expect(person.observationInfo.map(\.keyPath) == ["age", "age"])
    second.invalidate()
    try person.removeObserver(observer, forKeyPath: "age")
    #expect(person.observationInfo.isEmpty)
  }

  @Test("L2 A path that leads back to its own object is listed once")
  func observationInfoOfLoop() throws {
    person.account = Account()
    person.account?.owner = person
    let token = person.observe(\.account?.owner?.account?.balance) { _, _ in }
    #expect(
      person.observationInfo.map { "\($0)" } == [
        "account.owner.account.balance -> closure, options: []"
      ])
    token.invalidate()
    #expect(person.observationInfo.isEmpty)
  }

  @Test("L2 Options, kinds and changes print as they are written")
  func printing() {
    let options: [KeyValueObservingOptions] = [
      [], .new, [.prior, .old, .initial, .new], .elementChanges,
      KeyValueObservingOptions(rawValue: 66),
    ]
    #expect(
      options.map { "\($0)" } == [
        "[]", "[.new]", "[.new, .old, .initial, .prior]", "[.elementChanges]",
        "[.old, rawValue: 64]",
      ])
    #expect(
      KeyValueChangeKind.allCases.map { "\($0)" } == [
        "setting", "insertion", "removal", "replacement",
      ])
    #expect(
      KeyValueSetMutationKind.allCases.map { "\($0)" } == ["union", "minus", "intersect", "set"])
    let token = person.observe(\.nickname, options: [.old, .new, .prior]) { _, change in
      log.note("\(change)")
    }
    person.nickname = "Countess"
    #expect(
      log.take() == ["setting, old: nil, prior", "setting, old: nil, new: \"Countess\""])
    token.invalidate()
  }

  @Test("L2 Destinations and transformers describe themselves")
  func destinations() {
    let main: KeyValueDelivery<Int, @MainActor @Sendable (KeyValueObservedChange<Int>) -> Void> =
      .mainActor
    let others: [KeyValueDelivery<Int, @Sendable (KeyValueObservedChange<Int>) -> Void>] = [
      .immediate, .queue(DispatchQueue(label: "log")),
    ]
    #expect("\(main)" == "mainActor" && others.map { "\($0)" } == ["immediate", "queue(log)"])
    let digits = KeyValueTransformer<Int, String>(forward: { "\($0)" }, backward: { $0.count })
    #expect("\(digits)" == "KeyValueTransformer(Int <-> String)")
  }

  @Test("L2 A recorder says how much it records and has recorded")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    #expect("\(recorder)" == "KeyValueChangeRecorder(0 key paths, 0 levels to undo, 0 to redo)")
    try recorder.record(person.kvo.age)
    person.age = 1
    #expect("\(recorder)" == "KeyValueChangeRecorder(1 key path, 1 level to undo, 0 to redo)")
    person.age = 2
    person.age = 3
    try recorder.undo()
    #expect("\(recorder)" == "KeyValueChangeRecorder(1 key path, 2 levels to undo, 1 to redo)")
  }

  @Test("L2 Paths print as strings, even if their components are not keys")
  func paths() {
    let balance = KeyValuePath<Person, Double?>(\.account.balance)
    let chained = KeyValuePath<Person, Double?>(\.account?.balance)
    let edge = KeyValuePath<Person, Double>(\.frame.origin.x)
    #expect(
      ["\(balance)", "\(chained)", "\(edge)"] == [
        "account.balance", "account.balance", "frame.origin.x",
      ])
    #expect(balance == chained)
    #expect(balance.hashValue == chained.hashValue)
    #expect(edge != KeyValuePath<Person, Double>(\.frame.origin.y))
  }

  @Test("L2 Observing does not change the object's class")
  func sameClass() {
    let before = "\(type(of: person))"
    let token = person.observe(\.age) { person, _ in #expect("\(type(of: person))" == "Person") }
    person.age = 1
    #expect("\(type(of: person))" == before)
    token.invalidate()
    #expect(type(of: person) == Person.self)
  }
}
