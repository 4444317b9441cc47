#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Observations that end where they began, because their token or other keeper was not kept.
  @Suite("L3. Tokens that are not kept")
  struct TokenLifetimeTests {
    // Each `#line` in the body of an exit test is the line of its #expect.
    @Test("L3 A token that is not kept is reported once per class and key path")
    func token() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        let line = #line
        _ = person.observe(\.firstName) { _, _ in }
        _ = person.observe(\.firstName, options: [.old, .new]) { _, _ in }
        _ = try person.observe("account.balance") { _, _ in }
        person.firstName = "Grace"
        #expect(
          violations.take() == [
            report("firstName", "token", at: line),
            report("account.balance", "token", at: line),
          ])
      }
    }

    @Test("L3 A set of tokens that ends with its function is reported")
    func tokens() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        var line = 0
        func begin() {
          var tokens: Set<KeyValueObservation> = []
          line = #line
          person.observe(\.firstName) { _, _ in }.store(in: &tokens)
          person.observe(\.age) { _, _ in }.store(in: &tokens)
        }
        begin()
        #expect(
          Set(violations.take()) == [
            report("firstName", "token", at: line), report("age", "token", at: line),
          ])
      }
    }

    @Test("L3 A token that an async function drops on another thread of the same task is reported")
    func asynchronous() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        await begin(Person())
        #expect(
          violations.take().map { $0.prefix(63) } == [
            "tolerated: The observation of Person.firstName ended at once, b"
          ])
      }
    }

    @Test("L3 A token that another task ends is not reported")
    func anotherTask() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        let box = TokenBox()
        box.token = person.observe(\.firstName) { _, _ in }
        await Task.detached { box.token = nil }.value
        #expect(violations.take() == [])
        withExtendedLifetime(person) {}
      }
    }

    @Test("L3 A controller that ends before its owner is reported")
    func controller() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let (person, owner) = (Person(), Account())
        let line = #line
        func begin() {
          let observer = KeyValueObserverController(owner: owner)
          observer.observe(person.kvo.age) { _, _, _ in }
        }
        begin()
        #expect(
          violations.take() == [
            report("age", "controller", ending: "unobserveAll()", at: line)
          ])
      }
    }

    @Test("L3 A token that is not kept is reported even if it delivers the initial value")
    func initial() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        let line = #line
        _ = person.observe(\.age, options: .initial) { _, _ in }
        _ = person.observe(\.age, options: .initial) { _, _ in }
        #expect(
          violations.take() == [
            report("age", "token", telling: "nothing but the initial value", at: line)
          ])
      }
    }

    @Test("L3 A recorder that is not kept is reported, unless it stopped or recorded something")
    func recorder() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        let line = #line
        try KeyValueChangeRecorder().record(person, "age", "books")
        let ending = "stopRecording(_:)"
        #expect(
          Set(violations.take()) == [
            report("age", "recorder", ending: ending, at: line),
            report("books", "recorder", ending: ending, at: line),
          ])
        do {
          let recorder = KeyValueChangeRecorder()
          try recorder.record(person, "lastName")
          recorder.stopRecording(person)
        }
        do {
          let recorder = KeyValueChangeRecorder()
          try recorder.record(person, "firstName")
          person.firstName = "Grace"
        }
        do { _ = KeyValueChangeRecorder() }
        #expect(violations.take() == [])
      }
    }

    @Test("L3 A binding that is not kept is reported")
    func binding() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let (account, other) = (Account(balance: 1), Account())
        let line = #line
        _ = account.kvo.balance.bind(to: other.kvo.balance)
        _ = account.kvo.interestRate.bindTwoWay(to: other.kvo.interestRate)
        #expect(other.balance == 1)
        #expect(
          violations.take() == [
            report("balance", "binding", of: "Account", at: line),
            report("interestRate", "binding", of: "Account", at: line),
          ])
      }
    }

    @Test("L3 A token isn't reported beside a report or an error that says why nothing changed")
    func explained() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        #expect(throws: KeyValueCodingError.self) {
          let token = person.observe(\.firstName) { _, _ in }
          try person.setValue("Grace", forKey: "firstname")
          withExtendedLifetime(token) {}
        }
        #expect(throws: KeyValueLogError.self) {
          let token = person.observe(\.lastName) { _, _ in }
          _ = try KeyValueChangeLog(
            restoring: KeyValueSnapshot(root: KeyValueObjectID()), as: Account.self)
          withExtendedLifetime(token) {}
        }
        do {
          let token = person.observe(\.age) { _, _ in }
          let recorder = KeyValueChangeRecorder()
          try recorder.record(person, "nickname")
          recorder.group { _ = try? recorder.undo() }
          withExtendedLifetime((token, recorder)) {}
        }
        #expect(violations.take() == [])
        do {
          let token = person.observe(\.books) { _, _ in }
          person.didChangeValue(forKey: "books")
          withExtendedLifetime(token) {}
        }
        #expect(
          violations.take() == [
            "tolerated: didChangeValue(forKey: \"books\") of Person was called without willChangeValue "
              + "on this thread, so no observer was notified. Call both, or use withChange(of:_:)."
          ])
        // Afterwards, a token is reported as before.
        let line = #line
        _ = person.observe(\.firstName) { _, _ in }
        #expect(violations.take() == [report("firstName", "token", at: line)])
      }
    }

    @Test("L3 An observation that was used, or ended with its object or owner, is not reported")
    func silent() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let person = Person()
        let kept = person.observe(\.lastName) { _, _ in }
        // Its observer is notified, or another one is, while the token lives.
        do {
          let token = person.observe(\.firstName) { _, _ in }
          person.firstName = "Grace"
          withExtendedLifetime(token) {}
        }
        do {
          let token = person.observe(\.age) { _, _ in }
          person.lastName = "Hopper"
          withExtendedLifetime(token) {}
        }
        do {
          var manager: Person? = Person()
          person.manager = manager
          let token = person.observe(\.manager) { _, _ in }
          manager = nil
          #expect(person.manager === manager)
          withExtendedLifetime(token) {}
        }
        // Ended explicitly.
        person.observe(\.books) { _, _ in }.invalidate()
        // Ended with the object, or with the owner.
        var short: Person? = Person()
        var token = short?.observe(\.age) { _, _ in }
        short = nil
        token = nil
        #expect(token == nil)
        _ = Diarist(person)
        // Refused, or ended with a sequence.
        #expect(throws: KeyValueCodingError.self) {
          try person.observe("agee") { _, _ in }
        }
        _ = person.kvo.nickname.values()
        #expect(violations.take() == [])
        kept.invalidate()
      }
    }
  }

  private func report(
    _ keyPath: String, _ keeper: String, of type: String = "Person",
    telling told: String = "nothing", ending: String = "invalidate()", at line: Int? = nil
  ) -> String {
    "tolerated: The observation of \(type).\(keyPath) ended at once, because its \(keeper) was not "
      + "kept, so it reports \(told). Keep the \(keeper) as long as it is needed, in a property of the "
      + "object that observes. If it was kept, and only nothing changed meanwhile, end it with "
      + "\(ending)."
      + (line.map { " The observation began at TokenLifetimeTests.swift:\($0)." } ?? "")
  }

  /// Owns a controller, which ends with it.
  private final class Diarist {
    private lazy var observer = KeyValueObserverController(owner: self)

    init(_ person: Person) {
      observer.observe(person.kvo.manager) { _, _, _ in }
    }
  }

  /// Hands a token to a task; only one of the two uses it at a time.
  private final class TokenBox: @unchecked Sendable {
    var token: KeyValueObservation?
  }

  /// Begins on the main thread, and ends on another one.
  @MainActor
  private func begin(_ person: Person) async {
    await drop(person.observe(\.firstName) { _, _ in })
    withExtendedLifetime(person) {}
  }

  @concurrent
  private func drop(_ token: consuming KeyValueObservation) async {}
#endif
