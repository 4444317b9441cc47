import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Strings and the access levels of properties.
@Suite("K2a. Private properties")
struct AccessTests {
  private let log = ChangeLog()
  private let vault = Vault()
  private let unknown = "Vault has no key 'code': the property is private."
  private let unknownInFile = "Vault has no key 'drawer': the property is fileprivate."

  @Test("K2a Strings neither read nor set a private property")
  func coding() {
    let holder = Holder(vault)
    #expect(message { _ = try vault.value(forKey: "code") } == unknown)
    #expect(message { try vault.setValue(2, forKey: "code") } == unknown)
    #expect(message { _ = try vault.value(forKey: "drawer") } == unknownInFile)
    #expect(message { try vault.setValue([], forKey: "drawer") } == unknownInFile)
    #expect(
      message { _ = try holder.value(forKeyPath: "vault.code") }
        == "Vault has no key 'code' (component 2 of 'vault.code'): the property is private.")
    #expect(
      message { try holder.setValue(2, forKeyPath: "vault.code") }
        == "Vault has no key 'code' (component 2 of 'vault.code'): the property is private.")
    #expect(
      message { _ = try holder.value(forKeyPath: "vaults.code") }
        == "Vault has no key 'code' (component 2 of 'vaults.code'): the property is private.")
    #expect(message { _ = try [vault].value(forKey: "code") } == unknown)
    var value: Any? = 1
    #expect(message { try vault.validateValue(&value, forKey: "code") } == unknown)
    #expect(message { _ = try vault.mutableArrayValue(forKey: "drawer") } == unknownInFile)
    #expect(message { _ = try vault.dictionaryWithValues(forKeys: ["code"]) } == unknown)
    #expect(message { _ = try vault.value(forKey: "cod") } == "Vault has no key 'cod'.")
    #expect(vault.opened == 1)
    #expect(Vault.keyValueKeys == ["name", "count", "isOpen", "opened", "inside"])
  }

  @Test("K2a Strings read a property with a private setter, and can't set it")
  func setter() throws {
    #expect(try vault.value(forKey: "count") as? Int == 3)
    #expect(
      message { try vault.setValue(4, forKey: "count") }
        == "Vault.count can be read but not set: its setter is private.")
  }

  @Test("K2a A string path doesn't observe a private property, now or later")
  func observing() {
    let holder = Holder(vault)
    let expected = "Vault has no key 'code' (component 2 of 'vault.code'): the property is private."
    #expect(message { _ = try vault.observe("code") { _, _ in } } == unknown)
    #expect(message { _ = try holder.observe("vault.code") { _, _ in } } == expected)
    #expect(message { _ = try holder.kvo("vault.code", as: Int?.self) } == expected)
    holder.vault = nil
    #expect(message { _ = try holder.observe("vault.code") { _, _ in } } == expected)
    #expect(
      message { _ = try holder.observe("vaults.@sum.code") { _, _ in } }
        == "Vault has no key 'code' (component 3 of 'vaults.@sum.code'): the property is private.")
    #expect(isIdle(vault) && isIdle(holder))
  }

  @Test(
    "K2a Typed paths, their bindings and proxies, dependencies and announcements aren't strings")
  func typed() throws {
    let tokens = vault.observeInside(log)
    #expect(tokens.allSatisfy { $0.isValid })
    vault.turn(to: 5)
    #expect(log.take() == ["code: setting, old: 1, new: 5", "isOpen: setting, new: true"])
    vault.put("ring")
    #expect(log.take() == ["drawer: insertion, indexes: 0, new: [\"ring\"]"])
    let dial = VaultDial()
    let binding = vault.bindInside(to: dial)
    dial.number = 9
    #expect(
      log.take() == [
        "code: setting, old: 5, new: 0", "isOpen: setting, new: false",
        "code: setting, old: 0, new: 9", "isOpen: setting, new: false",
      ])
    vault.willChangeValue(forKey: "code")
    vault.didChangeValue(forKey: "code")
    #expect(log.take() == ["code: setting, old: 9, new: 9", "isOpen: setting, new: false"])
    binding.invalidate()
    for token in tokens { token.invalidate() }
    #expect(isIdle(vault))
  }

  @Test("K2a U1 A recorder takes back changes of private properties")
  func recorder() throws {
    let recorder = KeyValueChangeRecorder()
    try vault.record(in: recorder)
    vault.turn(to: 5)
    try recorder.undo()
    #expect(vault.inside == "1 []")
    vault.put("ring")
    #expect(vault.inside == "1 [\"ring\"]")
    try recorder.undo()
    #expect(vault.inside == "1 []")
    try recorder.redo()
    #expect(vault.inside == "1 [\"ring\"]")
    let byName = KeyValueChangeRecorder()
    let holder = Holder(vault)
    try byName.record(holder, "vaults.code")
    vault.turn(to: 7)
    try byName.undo()
    #expect(vault.inside == "1 [\"ring\"]")
  }
}

@KeyValueObservable
private final class Holder {
  var vault: Vault?
  var vaults: [Vault]

  init(_ vault: Vault) {
    self.vault = vault
    vaults = [vault]
  }
}

@KeyValueObservable
private final class VaultDial {
  var number = 0
}

@KeyValueObservable
private final class Vault {
  var name = "vault"
  private var code = 1
  fileprivate var drawer: [String] = []
  private(set) var count = 3
  var isOpen: Bool { code == 5 }
  @DependsOn("code") var opened: Int { readCode() }

  private func readCode() -> Int { code }
  func turn(to code: Int) { self.code = code }
  func put(_ thing: String) { kvo.drawer.mutableArray().append(thing) }
  var inside: String { "\(code) \(drawer)" }

  func observeInside(_ log: ChangeLog) -> [KeyValueObservation] {
    [
      kvo.code.observe(options: [.old, .new], changeHandler: log.handler("code")),
      kvo.isOpen.observe(options: .new, changeHandler: log.handler("isOpen")),
      kvo.drawer.observe(options: [.old, .new], changeHandler: log.handler("drawer")),
    ]
  }

  func bindInside(to dial: VaultDial) -> KeyValueBinding {
    dial.kvo.number.bind(to: kvo.code, validates: true)
  }

  func validateCode(_ value: inout Int) throws { value = max(value, 0) }

  func record(in recorder: KeyValueChangeRecorder) throws {
    try recorder.record(kvo.code, kvo.drawer)
  }
}
