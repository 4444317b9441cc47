import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("M. Manual notification")
struct ManualNotificationTests {
  private let log = ChangeLog()
  private let ledger = Ledger()

  private func observe(
    _ keys: String..., options: KeyValueObservingOptions = [.old, .new, .prior]
  ) throws -> [KeyValueObservation] {
    try keys.map { try ledger.observe($0, options: options, changeHandler: log.handler($0)) }
  }

  // MARK: M1

  @Test("M1 A pair around an assignment notifies once, by key and by typed path")
  func pair() throws {
    let tokens = try observe("openingBalance")
    ledger.willChangeValue(forKey: "openingBalance")
    ledger.openingBalance = 1
    ledger.didChangeValue(forKey: "openingBalance")
    ledger.willChangeValue(for: \.openingBalance)
    ledger.openingBalance = 2
    ledger.didChangeValue(for: \.openingBalance)
    let written = ledger.withChange(of: \.openingBalance) {
      ledger.openingBalance = 3
      return "written"
    }
    ledger.withChange(of: "openingBalance") { ledger.openingBalance = 4 }
    #expect(written == "written")
    #expect(
      log.take()
        == (0...3).flatMap { value in
          [
            "openingBalance: setting, old: \(value).0, prior",
            "openingBalance: setting, old: \(value).0, new: \(value + 1).0",
          ]
        })
    withExtendedLifetime(tokens) {}
  }

  @Test("M1 Nested pairs of different keys each notify at their own didChange")
  func nestedKeys() throws {
    let tokens = try observe("openingBalance", "itemChanged")
    ledger.willChangeValue(forKey: "openingBalance")
    ledger.willChangeValue(forKey: "itemChanged")
    ledger.openingBalance = 1
    ledger.itemChanged += 1
    log.note("changed")
    ledger.didChangeValue(forKey: "itemChanged")
    log.note("between")
    ledger.didChangeValue(forKey: "openingBalance")
    #expect(
      log.take() == [
        "openingBalance: setting, old: 0.0, prior", "itemChanged: setting, old: 0, prior",
        "changed", "itemChanged: setting, old: 0, new: 1", "between",
        "openingBalance: setting, old: 0.0, new: 1.0",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("M1 Nested pairs of the same key each notify, innermost first, with their own values")
  func nestedSameKey() throws {
    let tokens = try observe("itemChanged", options: [.old, .new])
    ledger.willChangeValue(forKey: "itemChanged")
    ledger.itemChanged = 1
    ledger.willChangeValue(forKey: "itemChanged")
    ledger.itemChanged = 2
    ledger.didChangeValue(forKey: "itemChanged")
    ledger.itemChanged = 3
    ledger.didChangeValue(forKey: "itemChanged")
    #expect(
      log.take() == [
        "itemChanged: setting, old: 1, new: 2", "itemChanged: setting, old: 0, new: 3",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("M1 Pairs of different objects are independent")
  func twoObjects() throws {
    let other = Ledger()
    let tokens = try observe("itemChanged", options: [.old, .new])
    let there = other.observe(\.itemChanged, options: .new, changeHandler: log.handler("other"))
    ledger.willChangeValue(forKey: "itemChanged")
    other.willChangeValue(forKey: "itemChanged")
    ledger.itemChanged = 1
    ledger.didChangeValue(forKey: "itemChanged")
    other.didChangeValue(forKey: "itemChanged")
    #expect(log.take() == ["itemChanged: setting, old: 0, new: 1", "other: setting, new: 0"])
    withExtendedLifetime((tokens, there)) {}
  }

  @Test("M1 A pair notifies observers of dependent keys and of paths through the key")
  func dependents() throws {
    let tokens = try observe("closingBalance", "successor.rate", options: [.old, .new])
    ledger.rate = 1
    ledger.withChange(of: \.openingBalance) { ledger.openingBalance = 10 }
    ledger.withChange(of: \.successor) { ledger.successor = Ledger() }
    ledger.successor?.rate = 0.25
    #expect(
      log.take() == [
        "closingBalance: setting, old: 0.0, new: 0.0",
        "closingBalance: setting, old: 0.0, new: 20.0",
        "successor.rate: setting, old: nil, new: 0.5",
        "successor.rate: setting, old: 0.5, new: 0.25",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("M1 A pair without observers completes silently")
  func unobservedPair() throws {
    ledger.willChangeValue(forKey: "itemChanged")
    ledger.didChangeValue(forKey: "itemChanged")
    let tokens = try observe("itemChanged", options: .new)
    ledger.withChange(of: \.itemChanged) { ledger.itemChanged = 1 }
    #expect(log.take() == ["itemChanged: setting, new: 1"])
    withExtendedLifetime(tokens) {}
  }

  // MARK: M2

  @Test("M2 Crossed pairs each notify with their key's own values")
  func crossed() throws {
    let tokens = try observe("openingBalance", "itemChanged")
    ledger.willChangeValue(forKey: "openingBalance")
    ledger.willChangeValue(forKey: "itemChanged")
    ledger.openingBalance = 1
    ledger.itemChanged = 2
    ledger.didChangeValue(forKey: "openingBalance")
    ledger.didChangeValue(forKey: "itemChanged")
    #expect(
      log.take() == [
        "openingBalance: setting, old: 0.0, prior", "itemChanged: setting, old: 0, prior",
        "openingBalance: setting, old: 0.0, new: 1.0", "itemChanged: setting, old: 0, new: 2",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("M2 didChange without willChange does not notify, and is reported as tolerated")
  func didWithoutWill() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let ledger = Ledger()
      let token = ledger.observe(\.itemChanged, options: .new, changeHandler: log.handler("item"))
      ledger.didChangeValue(forKey: "itemChanged")
      ledger.willChangeValue(forKey: "itemChanged")
      ledger.didChangeValue(forKey: "itemChanged")
      ledger.didChangeValue(forKey: "itemChanged")
      #expect(log.take() == ["item: setting, new: 0"])
      let report =
        "tolerated: didChangeValue(forKey: \"itemChanged\") of Ledger was called without "
        + "willChangeValue on this thread, so no observer was notified. Call both, or use withChange(of:_:)."
      #expect(violations.take() == [report, report])
      token.invalidate()
      ledger.didChangeValue(forKey: "itemChanged")
      #expect(violations.take() == [report])
    }
  }

  @Test("M2 willChange without didChange sends its prior, affects no later change, and is reported")
  func willWithoutDid() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      do {
        let ledger = Ledger()
        let token = ledger.observe(
          \.itemChanged, options: [.old, .new, .prior], changeHandler: log.handler("item"))
        let rate = ledger.observe(\.rate, options: .new, changeHandler: log.handler("rate"))
        ledger.willChangeValue(forKey: "itemChanged")
        #expect(log.take() == ["item: setting, old: 0, prior"])
        ledger.withChange(of: \.itemChanged) { ledger.itemChanged = 1 }
        ledger.willChangeValue(forKey: "itemChanged")
        ledger.itemChanged = 2
        ledger.didChangeValue(forKey: "itemChanged")
        ledger.rate = 0.25
        #expect(
          log.take() == [
            "item: setting, old: 0, prior", "item: setting, old: 0, new: 1",
            "item: setting, old: 1, prior", "item: setting, old: 1, new: 2",
            "rate: setting, new: 0.25",
          ])
        #expect(violations.take() == [])
        withExtendedLifetime((token, rate)) {}
      }
      #expect(
        violations.take() == [
          "tolerated: An object of Ledger died with willChangeValue(forKey: \"itemChanged\") "
            + "called and didChangeValue not. Call both, or use withChange(of:_:)."
        ])
    }
  }

  @Test("M2 By default, half of a pair does not trap")
  func tolerated() async {
    await #expect(processExitsWith: .success) {
      let ledger = Ledger()
      let token = ledger.observe(\.itemChanged) { _, _ in }
      ledger.didChangeValue(forKey: "itemChanged")
      ledger.willChangeValue(forKey: "itemChanged")
      token.invalidate()
    }
  }

  @Test("M2 A pair for an unknown key is reported with the nearest key")
  func unknownKey() async throws {
    ViolationLog.record { violations in
      let ledger = Ledger()
      var ran = 0
      ledger.willChangeValue(forKey: "itemChange")
      ledger.withChange(of: "itemChange") { ran += 1 }
      #expect(
        violations.take() == Array(repeating: "undefinedKey: \(unknownKeyMessage)", count: 2))
      #expect(ran == 1)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Ledger().willChangeValue(forKey: "itemChange")
    }
    try expectTrap(result, says: unknownKeyMessage)
  }

  @Test("L3 A pair for a path through a collection is answered, and the mutation runs")
  func throughCollection() {
    ViolationLog.record { violations in
      let office = Office()
      office.staff = [Clerk()]
      let log = ChangeLog()
      let token = office.kvo.staff[each: \.pay].observe(changeHandler: log.handler("pay"))
      let sum = office.withChange(of: \.staff[sum: \.pay]) { 7 }
      office.willChangeValue(for: \.staff[each: \.pay])
      office.didChangeValue(for: \.staff[each: \.pay])
      office.withChange(of: \.staff.count) {}
      func answer(_ path: String) -> String {
        "undefinedKey: '\(path)' of Office was announced as changing, but it is no key of one object. "
          + "Announce the key of the elements, or that of the collection."
      }
      #expect(
        violations.take() == [
          answer("staff.@sum.pay"), answer("staff.pay"), answer("staff.pay"),
          answer("staff.@count"),
        ])
      #expect(sum == 7 && log.take() == [])
      token.invalidate()
    }
  }
}

private let unknownKeyMessage =
  "Ledger has no key 'itemChange'. Did you mean 'itemChanged'? It was announced as changing, but "
  + "no observer can be registered for it."
