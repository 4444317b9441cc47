#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Registers an observation while a value is being modified in place.
  private func register(
    while value: inout some Equatable, _ body: () -> KeyValueObservation
  ) -> KeyValueObservation {
    body()
  }

  /// Compares what the getters of dependent keys read with the keys' known dependencies.
  @Suite("L3. The dependency audit")
  struct DependencyAuditTests {
    @Test("L3 A getter that passes self to a helper is reported once for each key that it reads")
    func helper() {
      ViolationLog.record { violations in
        let reader = Reader()
        let first = reader.observe(\.helped) { _, _ in }
        let second = Reader().observe(\.helped, options: [.new]) { _, _ in }
        reader.first = "Grace"
        #expect(
          violations.take() == [
            "tolerated: Reader.helped read Reader.middle, which it is not known to depend on, so it is "
              + "not notified when that changes. Write @DependsOn(\"middle\").",
            "tolerated: Reader.helped read Reader.last, which it is not known to depend on, so it is "
              + "not notified when that changes. Write @DependsOn(\"last\").",
          ])
        first.invalidate()
        second.invalidate()
      }
    }

    @Test("L3 Reading a key of a singleton is reported with advice")
    func singleton() async {
      await #expect(processExitsWith: .success) {
        #expect(
          reports(of: "themed") == [
            "Reader.themed read ReadSettings.theme, which it is not known to depend on, so it is not "
              + "notified when that changes. No keys of Reader lead to that object. Keep it in a "
              + "property of Reader and write @DependsOn with the path through it, or write "
              + "@DependsOn() if themed need not follow it."
          ])
      }
    }

    @Test(
      "L3 Reads in extensions, in protocol extensions and of other objects are reported",
      arguments: [
        ("extended", "Reader.extended", "Reader.middle", "middle"),
        ("protocolExtended", "Reader.protocolExtended", "Reader.middle", "middle"),
        ("distant", "Reader.distant", "ReadAccount.balance", "account.balance"),
        ("summed", "Reader.summed", "ReadAccount.balance", "accounts.balance"),
        ("account.helped", "ReadAccount.helped", "ReadAccount.rate", "rate"),
        ("accounts.helped", "ReadAccount.helped", "ReadAccount.rate", "rate"),
        ("accounts.@sum.helped", "ReadAccount.helped", "ReadAccount.rate", "rate"),
        ("viaOther", "ReadAccount.helped", "ReadAccount.rate", "rate"),
      ])
    func members(key: String, owner: String, read: String, path: String) async {
      await #expect(processExitsWith: .success) { [key, owner, read, path] in
        #expect(
          reports(of: key) == [
            "\(owner) read \(read), which it is not known to depend on, so it is not notified when that "
              + "changes. Write @DependsOn(\"\(path)\")."
          ])
      }
    }

    @Test("L3 A key of an object in a dictionary is reported with the path through one entry")
    func dictionary() async {
      await #expect(processExitsWith: .success) {
        #expect(
          reports(of: "tabled") == [
            "Reader.tabled read ReadAccount.balance, which it is not known to depend on, so it is not "
              + "notified when that changes. Write @DependsOn(\"table.a.balance\"). That is one entry of "
              + "a dictionary; one path leads to all elements of an array."
          ])
      }
    }

    @Test("L3 A key of an object in a structure is reported, since no keys lead to it")
    func structure() async {
      await #expect(processExitsWith: .success) {
        #expect(
          reports(of: "unwrapped") == [
            "Reader.unwrapped read ReadAccount.balance, which it is not known to depend on, so it is not "
              + "notified when that changes. No keys of Reader lead to that object. Keep it in a property "
              + "of Reader and write @DependsOn with the path through it, or write @DependsOn() if "
              + "unwrapped need not follow it."
          ])
      }
    }

    @Test(
      "L3 Reads in an un-annotated class and in an inherited member that is not a key are reported")
    func inherited() {
      ViolationLog.record { violations in
        let override = HiddenReader().observe(\.fullName) { _, _ in }
        let member = HeirReader().observe(\.inherited, options: [.initial, .new]) { _, _ in }
        #expect(
          violations.take() == [
            "tolerated: HiddenReader.fullName read HiddenReader.middle, which it is not known to depend on, so "
              + "it is not notified when that changes. Write @DependsOn(\"middle\").",
            "tolerated: HeirReader.inherited read HeirReader.first, which it is not known to depend on, so it "
              + "is not notified when that changes. Write @DependsOn(\"first\").",
            "tolerated: HeirReader.inherited read HeirReader.middle, which it is not known to depend on, so it "
              + "is not notified when that changes. Write @DependsOn(\"middle\").",
          ])
        override.invalidate()
        member.invalidate()
      }
    }

    @Test("L3 A branch that is taken later is audited when the value is read")
    func branch() {
      ViolationLog.record { violations in
        let reader = Reader()
        let token = reader.observe(\.branching, options: [.new]) { _, _ in }
        reader.first = "Grace"
        #expect(violations.take() == [])
        reader.isLong = true
        reader.first = "Barbara"
        #expect(violations.take().count == 2)
        reader.first = "Grace"
        #expect(violations.take() == [])
        token.invalidate()
      }
    }

    @Test(
      "L3 Keys that are followed, notify manually or are complete by @DependsOn() are not reported",
      arguments: [
        "fullName", "greeting", "complete", "manual", "onManual", "onComplete", "sumOfAll",
        "operated",
        "temporary", "ignoring", "odd", "even", "account.balance", "accounts.balance",
        "accounts.@sum.balance",
      ])
    func silent(key: String) async {
      await #expect(processExitsWith: .success) { [key] in #expect(reports(of: key) == []) }
    }

    @Test("L3 The audit runs the getter once per registration, and not in addition to a read")
    func calls() {
      let counted = CountedReader()
      let token = counted.observe(\.sum) { _, _ in }
      #expect(counted.count.take() == 1)
      counted.left = 2
      #expect(counted.count.take() == 0)
      token.invalidate()
      let values = counted.observe(\.sum, options: [.initial, .old, .new]) { _, _ in }
      #expect(counted.count.take() == 1)
      counted.left = 3
      #expect(counted.count.take() == 2)
      values.invalidate()
    }

    @Test("L3 A read during an open change of a path counts as a dependency of the path")
    func openChange() {
      ViolationLog.record { violations in
        let reader = PairedReader()
        let token = reader.observe(\.worth, options: [.old, .new]) { _, _ in }
        // The path stays attached to the old account until the pair is complete.
        reader.willChangeValue(forKey: "account")
        reader.account = ReadAccount()
        reader.bonus = 1
        reader.didChangeValue(forKey: "account")
        reader.bonus = 2
        #expect(violations.take() == [])
        token.invalidate()
      }
    }

    @Test("L3 A getter is not audited while something that it reads is being modified in place")
    func modifiedInPlace() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let (reader, paired) = (Reader(), PairedReader())
        let tokens = [
          register(while: &reader.first) { reader.observe(\.helped, options: .new) { _, _ in } },
          register(while: &paired.account.balance) { paired.observe(\.worth) { _, _ in } },
        ]
        #expect(violations.take() == [])
        // The value that the observer is given is audited.
        reader.first = "Grace"
        #expect(violations.take().count == 2)
        for token in tokens { token.invalidate() }
      }
    }

    @Test("L3 N10 Auditing getters on several threads causes no report, deadlock or crash")
    func threads() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        await withTaskGroup { group in
          for _ in 0..<4 {
            group.addTask {
              for _ in 0..<200 {
                let reader = Reader()
                let token = reader.observe(\.greeting, options: [.old, .new]) { _, _ in }
                reader.first = "Grace"
                reader.account = nil
                token.invalidate()
              }
            }
          }
        }
        #expect(violations.take() == [])
      }
    }
  }

  /// The reports when a key is observed without values and again with all values, and changes.
  private func reports(of key: String) -> [String] {
    let violations = ViolationLog.install()
    let reader = Reader()
    do {
      let plain = try reader.observe(key) { _, _ in }
      let valued = try reader.observe(key, options: [.initial, .old, .new]) { _, _ in }
      reader.first = "Grace"
      reader.account?.balance = 5
      reader.accounts[0].balance = 7
      plain.invalidate()
      valued.invalidate()
    } catch {
      return ["\(error)"]
    }
    return violations.take().map { String($0.dropFirst("tolerated: ".count)) }
  }

  @KeyValueObservable
  private final class CountedReader {
    @KeyValueIgnored let count = ReadCounter()
    var left = 1
    var sum: Int {
      count.count += 1
      return left
    }
  }

  @KeyValueObservable
  private final class PairedReader {
    @NotifiesManually var account = ReadAccount()
    var bonus = 0
    var worth: Int { account.balance + bonus }
  }
#endif
