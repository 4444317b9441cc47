import KeyValueObserving
import KeyValueTestSupport
import Testing

private struct Refusal: Error {}

/// A class with keys that only it can set.
@KeyValueObservable
private class Vault {
  private(set) var balance = 1
  fileprivate(set) var notes = ["a", "b"]
  private(set) var labels: Set<String> = ["x"]
  private(set) weak var owner: Person?
  private(set) var holder: Person?
  @NotifiesManually private(set) var rate = 0.5
  @NotifiesManually fileprivate(set) var marks = ["m"]
  private(set) var seals: [String] = ["s"]
  @KeyValueIgnored var inserted: [String] = []

  private(set) var doubled: Int {
    get { balance * 2 }
    set { balance = newValue / 2 }
  }

  func insertObject(_ seal: String, inSealsAt index: Int) {
    inserted.append(seal)
    seals.insert(seal, at: index)
  }

  func removeObject(fromSealsAt index: Int) { seals.remove(at: index) }

  func change(to person: Person?) {
    balance = 10
    doubled = 22
    notes.append("c")
    notes.removeFirst()
    labels.insert("y")
    (owner, holder) = (person, person)
    withChange(of: "rate") { rate = 1 }
    withChange(of: "marks") { marks.append("n") }
    seals = []
  }
}

/// Inherits keys that only its superclass can set.
@KeyValueObservable
private final class LockedVault: Vault {
  var key = 1
}

/// A class whose hand-written schema omits a setter.
private final class HandWritten: KeyValueObservable {
  private let registrar = KeyValueRegistrar()
  var name = "a"

  static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    schema.manual("name", \HandWritten.name, get: { $0.name })
  }

  func _$kvoWithRegistrar<Result>(_ body: (borrowing KeyValueRegistrar) -> Result) -> Result {
    body(registrar)
  }

  static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
  static func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
  func value(forUndefinedKey key: String) throws -> Any? { nil }
  func setValue(_ value: Any?, forUndefinedKey key: String) throws {}
  func setNilValue(forKey key: String) throws {}
}

@Suite("Keys with a restricted setter: restored after an error, read-only to others")
struct RestrictedSetterTests {
  private let log = ChangeLog()
  private let ada = Person()
  private static let keys = [
    "balance", "doubled", "notes", "labels", "owner.age", "holder.age", "rate", "marks", "seals",
  ]

  private func fail(_ vault: Vault, _ person: Person) {
    #expect(throws: Refusal.self) {
      try vault.performChanges(rollingBack: true) {
        $0.change(to: person)
        throw Refusal()
      }
    }
  }

  private func isUnchanged(_ vault: Vault) -> Bool {
    vault.balance == 1 && vault.doubled == 2 && vault.notes == ["a", "b"] && vault.labels == ["x"]
      && vault.owner == nil && vault.holder == nil && vault.rate == 0.5 && vault.marks == ["m"]
      && vault.seals == ["s"] && vault.inserted == []
  }

  @Test("Every key is restored, and no observer is notified", arguments: [false, true])
  func restored(inSubclass: Bool) throws {
    let vault = inSubclass ? LockedVault() : Vault()
    fail(vault, ada)
    #expect(isUnchanged(vault))
    let tokens = try Self.keys.map {
      try vault.observe($0, options: [.old, .new], changeHandler: log.handler($0))
    }
    fail(vault, ada)
    #expect(isUnchanged(vault))
    ada.age = 40
    #expect(log.take() == [])
    vault.performChanges { $0.change(to: ada) }
    #expect(
      log.take() == [
        "balance: setting, old: 1, new: 11", "doubled: setting, old: 2, new: 22",
        "notes: setting, old: [\"a\", \"b\"], new: [\"b\", \"c\"]",
        "labels: setting, old: [\"x\"], new: [\"x\", \"y\"]",
        "owner.age: setting, old: nil, new: 40", "holder.age: setting, old: nil, new: 40",
        "rate: setting, old: 0.5, new: 1.0", "marks: setting, old: [\"m\"], new: [\"m\", \"n\"]",
        "seals: setting, old: [\"s\"], new: []",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer with .prior receives only the priors")
  func priors() throws {
    let vault = Vault()
    let tokens = try ["balance", "notes", "rate"].map {
      try vault.observe($0, options: [.prior, .old, .new], changeHandler: log.handler($0))
    }
    fail(vault, ada)
    #expect(
      log.take() == [
        "balance: setting, old: 1, prior", "notes: setting, old: [\"a\", \"b\"], prior",
        "rate: setting, old: 0.5, prior",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test("Key-value coding, proxies, bindings and recorders refuse to set them")
  func refused() throws {
    let vault = LockedVault()
    let recorder = KeyValueChangeRecorder()
    for (key, level) in [
      ("balance", "private"), ("doubled", "private"), ("notes", "fileprivate"),
      ("labels", "private"), ("rate", "private"), ("marks", "fileprivate"),
    ] {
      let refusal = "LockedVault.\(key) can be read but not set: its setter is \(level)."
      #expect(message { try vault.setValue(nil, forKey: key) } == refusal)
      #expect(message { try recorder.record(vault, key) } == refusal)
    }
    #expect(
      message { _ = try vault.mutableArrayValue(forKey: "notes") }
        == "LockedVault.notes can be read but not set: its setter is fileprivate, and the class has "
        + "no insertObject(_:inNotesAt:) and removeObject(fromNotesAt:) to change it through.")
    try vault.mutableArrayValue(forKey: "seals").append("t")
    #expect(vault.seals == ["s", "t"] && vault.inserted == ["t"])
    ViolationLog.record { violations in
      let token = Vault().kvo.balance.bindTwoWay(to: Person().kvo.age)
      #expect(
        violations.take() == [
          "unobservablePath: Vault.balance can be read but not set: its setter is private."
        ])
      withExtendedLifetime(token) {}
    }
  }

  @Test("A key without a setter in a hand-written schema is reported if it cannot be restored")
  func withoutSetter() {
    ViolationLog.record { violations in
      let object = HandWritten()
      #expect(throws: Refusal.self) {
        try object.performChanges(rollingBack: true) { object in
          object.withChange(of: "name") { object.name = "b" }
          throw Refusal()
        }
      }
      #expect(object.name == "b")
      #expect(
        violations.take() == [
          "tolerated: HandWritten.name was not taken back after an error: its schema has no setter "
            + "for it. Give its line in _$kvoDefineKeys(in:) a `set:`; restrictedSetter(_:to:) keeps "
            + "others from it."
        ])
    }
  }
}
