import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("P D K. Subclasses, annotated and not")
struct ClassSubclassTests {
  private let log = ChangeLog()

  @Test(
    "P1 inherited keys are observed in every spelling, from the subclass or its superclass")
  func inheritedKeys() throws {
    let guest = Guest()
    let asMember: Member = guest
    let tokens = [
      guest.observe(\.firstName, options: .new, changeHandler: log.handler("typed")),
      asMember.observe(\.firstName, options: .new, changeHandler: log.handler("super")),
      guest.observe(\Guest.firstName, options: .new, changeHandler: log.handler("plain")),
      asMember.observe(\Member.firstName, options: .new, changeHandler: log.handler("plain super")),
      guest.observe(
        KeyValuePath<Guest, String>(\.firstName), options: .new,
        changeHandler: log.handler("value")),
      try guest.observe("firstName", options: .new, changeHandler: log.handler("string")),
    ]
    #expect(tokens.allSatisfy { $0.keyPath == "firstName" })
    let labels = ["typed", "super", "plain", "plain super", "value", "string"]
    guest.firstName = "Grace"
    #expect(log.take() == labels.map { "\($0): setting, new: \"Grace\"" })
    guest.firstName += "!"
    #expect(log.take() == labels.map { "\($0): setting, new: \"Grace!\"" })
    #expect(guest.seat == 3)
    for token in tokens { token.invalidate() }
    #expect(isIdle(guest))
  }

  @Test("D1 an un-annotated override of a computed key has its own getter and inherited sources")
  func overriddenComputedKey() throws {
    let guest = Guest()
    let asMember: Member = guest
    let tokens = [
      guest.observe(\.fullName, options: [.old, .new], changeHandler: log.handler("typed")),
      asMember.observe(\.fullName, options: [.old, .new], changeHandler: log.handler("super")),
      guest.observe(\Guest.fullName, options: [.old, .new], changeHandler: log.handler("plain")),
      try guest.observe("fullName", options: [.old, .new], changeHandler: log.handler("string")),
    ]
    guest.firstName = "Grace"
    #expect(
      log.take()
        == ["typed", "super", "plain", "string"].map {
          "\($0): setting, old: \"guest Ada\", new: \"guest Grace\""
        })
    #expect(try guest.value(forKey: "fullName") as? String == "guest Grace")
    for token in tokens { token.invalidate() }
  }

  @Test("P1 a path through objects of un-annotated subclasses follows replacements")
  func subclassesAlongAPath() throws {
    let member = Member()
    let tokens = [
      member.observe(\.manager.fullName, options: .new, changeHandler: log.handler("typed")),
      try member.observe("manager.fullName", options: .new, changeHandler: log.handler("string")),
    ]
    let (guest, manager, tagged) = (Guest(), Chair(), TaggedGuest("tag"))
    member.manager = guest
    guest.firstName = "G"
    member.manager = manager
    manager.firstName = "M"
    member.manager = tagged
    tagged.firstName = "T"
    let expected = [
      "guest Ada", "guest G", "Ada Lovelace", "M Lovelace", "guest Ada", "guest T",
    ]
    #expect(
      log.take()
        == expected.flatMap {
          ["typed: setting, new: \"\($0)\"", "string: setting, new: \"\($0)\""]
        })
    for token in tokens { token.invalidate() }
    #expect(isIdle(guest, manager, tagged))
  }

  @Test("P1 an annotated subclass observes its own keys, and inherited keys and paths")
  func annotatedSubclass() throws {
    let manager = Manager()
    manager.account = Account(balance: 1)
    let tokens = [
      manager.observe(\.title, options: .new, changeHandler: log.handler("title")),
      manager.observe(\.level, options: .new, changeHandler: log.handler("level")),
      manager.observe(\.account.balance, options: .new, changeHandler: log.handler("balance")),
      manager.observe(\.wealth, options: .new, changeHandler: log.handler("wealth")),
      manager.observe(\Manager.lastName, options: .new, changeHandler: log.handler("plain")),
    ]
    manager.level = 2
    manager.lastName = "Hopper"
    manager.account?.balance = 2
    #expect(
      log.take() == [
        "title: setting, new: \"Lovelace, level 2\"", "level: setting, new: 2",
        "title: setting, new: \"Hopper, level 2\"", "plain: setting, new: \"Hopper\"",
        "balance: setting, new: 2.0", "wealth: setting, new: 2.0",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("K1 K2 an un-annotated subclass is read and set by key; its own properties are not keys")
  func coding() throws {
    let guest: Member = Guest()
    let token = guest.observe(\.nickname, options: .new, changeHandler: log.handler("nickname"))
    try guest.setValue("G", forKey: "nickname")
    #expect(log.take() == ["nickname: setting, new: \"G\""])
    try guest.setValue(5.0, forKeyPath: "age")
    #expect(guest.age == 5)
    #expect(
      message { _ = try guest.value(forKey: "seat") }
        == "Guest has no key 'seat': Guest, which declares it, lacks @KeyValueObservable.")
    #expect(
      message { try TaggedGuest(1).setValue(1, forKey: "agee") }
        == "TaggedGuest<Int> has no key 'agee'. Did you mean 'age'?")
    token.invalidate()
  }

  @Test("K2a A subclass may use a private name of its superclass")
  func privateName() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let retreat = Retreat()
      #expect(try retreat.value(forKey: "label") as? String == "Oslo")
      // What the superclass does by these names can't be told apart from what the subclass does.
      #expect(
        violations.take()
          == ["label", "state"].map {
            "tolerated: Retreat and its superclass Meeting each have a key '\($0)', because Retreat does not "
              + "see that of Meeting. On objects of Retreat, what Meeting observes, depends on or announces as "
              + "'\($0)' is the key of Retreat. Rename one of the two."
          })
      #expect(Retreat.keyValueKeys == ["minutes", "place", "label", "state"])
      let tokens = [
        retreat.observe(\.label, options: .new, changeHandler: log.handler("label")),
        retreat.observe(\.state, options: .new, changeHandler: log.handler("state")),
        try retreat.observe("label", options: .new, changeHandler: log.handler("label by name")),
      ]
      // Only the superclass's label depends on the minutes, and only its state is manual.
      retreat.minutes = 30
      #expect(log.take() == [])
      retreat.place = "Bergen"
      retreat.state = "booked"
      #expect(
        log.take() == [
          "label: setting, new: \"Bergen\"", "label by name: setting, new: \"Bergen\"",
          "state: setting, new: \"booked\"",
        ])
      for token in tokens { token.invalidate() }
      #expect(isIdle(retreat))
      #expect(violations.take() == [])
    }
  }

  @Test("M3 an un-annotated subclass makes a key manual without affecting its superclass")
  func overriddenSwitch() {
    #expect(!Guest.automaticallyNotifiesObservers(forKey: "age"))
    #expect(Member.automaticallyNotifiesObservers(forKey: "age"))
    let (guest, member) = (Guest(), Member())
    let tokens = [
      guest.observe(\.age, options: .new, changeHandler: log.handler("guest")),
      member.observe(\.age, options: .new, changeHandler: log.handler("member")),
    ]
    guest.age = 1
    member.age = 2
    guest.withChange(of: \.age) { guest.age = 3 }
    #expect(log.take() == ["member: setting, new: 2", "guest: setting, new: 3"])
    for token in tokens { token.invalidate() }
  }

  @Test(
    "P1 a final, un-annotated override is observed from either class and by string"
  )
  func finalOverride() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let guest = SealedGuest()
      let tokens = [
        // This key path literal identifies only the override, so the library compares what it reads.
        guest.observe(\.fullName, options: .new, changeHandler: log.handler("own")),
        (guest as Member).observe(
          \.firstName, options: .new, changeHandler: log.handler("stored")),
        (guest as Member).observe(\.fullName, options: .new, changeHandler: log.handler("super")),
        try guest.observe("fullName", options: .new, changeHandler: log.handler("string")),
      ]
      guest.firstName = "Grace"
      #expect(violations.take() == [])
      #expect(
        log.take() == [
          "own: setting, new: \"sealed Grace\"", "stored: setting, new: \"Grace\"",
          "super: setting, new: \"sealed Grace\"",
          "string: setting, new: \"sealed Grace\"",
        ])
      for token in tokens { token.invalidate() }
    }
  }

  @Test("P1 a member that is not a key is reported to the violation handler")
  func notAKey() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Guest().observe(\.seat) { _, _ in }
    }
    try expectTrap(result, says: noKeyMessage("Guest"))
    ViolationLog.record { violations in
      let token = Guest().observe(\Guest.seat) { _, _ in }
      #expect(
        violations.take() == [
          "unobservablePath: \(noKeyMessage("Guest"))"
        ])
      #expect(!token.isValid)
    }
  }

  @Test("D3 M1 changes of an override that narrows the type are delivered in the requested type")
  func narrowedType() throws {
    let gauge: Meter = PreciseMeter()
    let typed = gauge.observe(
      \.reading, options: [.old, .new, .initial], changeHandler: log.handler("typed"))
    let string = try gauge.observe(
      "reading", options: [.old, .new], changeHandler: log.handler("string"))
    gauge.level = 2
    #expect(
      log.take() == [
        "typed: setting, new: 1", "typed: setting, old: 1, new: 2",
        "string: setting, old: 1, new: 2",
      ])
    gauge.withChange(of: "reading") {}
    #expect(
      log.take() == ["typed: setting, old: 2, new: 2", "string: setting, old: 2, new: 2"])
    typed.invalidate()
    string.invalidate()
  }

  @Test("P1 M1 an override that narrows a relationship is observed through its superclass's path")
  func narrowedRelationship() {
    let gauge: Meter = PreciseMeter()
    let token = gauge.observe(\.target, options: .new) { [log] _, change in
      log.note("target \((change.newValue ?? nil).map { type(of: $0) } as Any)")
    }
    gauge.withChange(of: "target") {}
    #expect(log.take() == ["target Optional(KeyValueTestSupport.Manager)"])
    token.invalidate()
  }

  @Test("P1 C2 an un-annotated override has the proxy of its key, in every spelling")
  func overriddenCollection() throws {
    let shelf = QuietShelf()
    let token = try shelf.observe(
      "numbers", options: .new, changeHandler: log.handler("numbers"))
    shelf.mutableArrayValue(for: \.numbers).append(1)
    shelf.kvo.numbers.mutableArray().append(2)
    (shelf as Shelf).mutableArrayValue(for: \.numbers).append(3)
    try shelf.mutableArrayValue(forKey: "numbers").append(4)
    #expect(
      log.take() == (1...4).map { "numbers: insertion, indexes: \($0 - 1), new: [\($0)]" })
    #expect(shelf.numbers == [1, 2, 3, 4])
    token.invalidate()
  }

  @Test("P1 C2 the proxy of a member that is not a key traps with a message that names it")
  func proxyOfNoKey() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      QuietShelf().mutableArrayValue(for: \.plain).append(1)
    }
    try expectTrap(
      result,
      says:
        "Component 1 of a key path, 'plain', is a member of QuietShelf but not one of its keys. QuietShelf, "
        + "which declares it, lacks @KeyValueObservable. Annotate QuietShelf, or observe a key that changes "
        + "with it.")
  }
}

@KeyValueObservable
private class Meeting {
  var minutes = 60
  private var label: String { "\(minutes) minutes" }
  @NotifiesManually private var state = 1
}

@KeyValueObservable
private final class Retreat: Meeting {
  var place = "Oslo"
  var label: String { place }
  var state = "planned"
}

@KeyValueObservable
private class Shelf {
  var numbers: [Int] = []
}

/// Not annotated, and final, so that its override is called directly.
private final class QuietShelf: Shelf {
  var plain: [Int] = []
  override var numbers: [Int] {
    get { super.numbers }
    set { super.numbers = newValue }
  }
}

private func noKeyMessage(_ type: String) -> String {
  "Component 1 of a key path is a member of \(type), of type Int, but not one of its keys; by its type "
    + "it may be 'seat' or 'age'. \(type) lacks @KeyValueObservable: what is declared there is no key "
    + "until the class is annotated. An override there has an identity of its own; the object can also "
    + "be observed as its superclass. A member of an extension or of a protocol is no key, nor is one "
    + "that is marked @KeyValueIgnored: declare it in the class itself, observe the keys that it is made "
    + "of, or observe it by its name, as a string, if a key has that name."
}
