import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("C. To-many: accessor methods that announce changes themselves")
struct AccessorNestingTests {
  private let log = ChangeLog()
  private let album = Album()

  @Test("C4 Through the proxy, a method that changes the property is one notification")
  func mutating() {
    let token = album.observe(
      \.tracks, options: [.old, .new, .prior], changeHandler: log.handler("tracks"))
    let tracks = album.mutableArrayValue(for: \.tracks)
    tracks.append("a")
    tracks.append(contentsOf: ["b", "c"])
    tracks[0] = "A"
    #expect(album.takeCalls() == ["insert", "insert", "insert", "remove", "insert"])
    #expect(
      log.take() == [
        "tracks: insertion, indexes: 0, prior", "tracks: insertion, indexes: 0, new: [\"a\"]",
        "tracks: insertion, indexes: 1–2, prior",
        "tracks: insertion, indexes: 1–2, new: [\"b\", \"c\"]",
        "tracks: removal, indexes: 0, old: [\"a\"], prior",
        "tracks: removal, indexes: 0, old: [\"a\"]",
        "tracks: insertion, indexes: 0, prior", "tracks: insertion, indexes: 0, new: [\"A\"]",
      ])
    // Called directly, the method announces the mutation that it makes.
    album.insertObject("z", inTracksAt: 0)
    #expect(
      log.take() == [
        "tracks: setting, old: [\"A\", \"b\", \"c\"], prior",
        "tracks: setting, old: [\"A\", \"b\", \"c\"], new: [\"z\", \"A\", \"b\", \"c\"]",
      ])
    token.invalidate()
  }

  @Test("C4 Other changes that a method makes notify as usual, during the mutation")
  func others() {
    let tokens = [
      album.observe(\.tracks, options: .new, changeHandler: log.handler("tracks")),
      album.observe(\.edits, options: .new, changeHandler: log.handler("edits")),
    ]
    album.mutableArrayValue(for: \.tracks).append("a")
    #expect(
      log.take() == ["edits: setting, new: 1", "tracks: insertion, indexes: 0, new: [\"a\"]"])
    for token in tokens { token.invalidate() }
  }

  @Test("N2 An observer added in a prior isn't notified of the change or of its parts")
  func observedSincePrior() {
    var late: [KeyValueObservation] = []
    let token = album.observe(\.tracks, options: .prior) { album, change in
      log.note("early", change)
      guard late.isEmpty else { return }
      late = [album.observe(\.tracks, options: [.prior, .new], changeHandler: log.handler("late"))]
    }
    let tracks = album.mutableArrayValue(for: \.tracks)
    tracks.append("a")
    #expect(
      log.take() == [
        "early: insertion, indexes: 0, prior", "early: insertion, indexes: 0",
      ])
    tracks.append("b")
    #expect(
      log.take() == [
        "early: insertion, indexes: 1, prior", "late: insertion, indexes: 1, prior",
        "early: insertion, indexes: 1", "late: insertion, indexes: 1, new: [\"b\"]",
      ])
    for token in late + [token] { token.invalidate() }
  }

  @Test("C4 Through the proxy, methods that announce themselves and call each other notify once")
  func bracketing() throws {
    let token = try album.observe(
      "sides", options: [.old, .new, .prior], changeHandler: log.handler("sides"))
    let sides = try album.mutableArrayValue(forKey: "sides")
    sides.append("a")
    sides.append(contentsOf: ["b", "c"])
    sides.removeAll()
    #expect(
      log.take() == [
        "sides: insertion, indexes: 0, prior", "sides: insertion, indexes: 0, new: [\"a\"]",
        "sides: insertion, indexes: 1–2, prior",
        "sides: insertion, indexes: 1–2, new: [\"b\", \"c\"]",
        "sides: removal, indexes: 0–2, old: [\"a\", \"b\", \"c\"], prior",
        "sides: removal, indexes: 0–2, old: [\"a\", \"b\", \"c\"]",
      ])
    album.insertObject("x", inSidesAt: 0)
    #expect(
      log.take() == [
        "sides: insertion, indexes: 0, prior", "sides: insertion, indexes: 0, new: [\"x\"]",
      ])
    token.invalidate()
  }

  @Test("C4 An incomplete set of methods isn't used: the proxy changes the property")
  func half() {
    let token = album.observe(\.half, options: .new, changeHandler: log.handler("half"))
    album.mutableArrayValue(for: \.half).append("a")
    #expect(album.calls == [])
    #expect(log.take() == ["half: insertion, indexes: 0, new: [\"a\"]"])
    token.invalidate()
  }

  @Test("C4 A callback during a method may change the same collection, which notifies")
  func reentrant() {
    album.tracks = ["a"]
    var isFirst = true
    let tokens = [
      album.observe(\.edits) { album, _ in
        if isFirst {
          isFirst = false
          album.tracks.append("late")
        }
      },
      album.observe(\.tracks, options: [.old, .new], changeHandler: log.handler("tracks")),
    ]
    album.mutableArrayValue(for: \.tracks).insert("b", at: 0)
    #expect(album.tracks == ["b", "a", "late"])
    #expect(
      log.take() == [
        "tracks: setting, old: [\"b\", \"a\"], new: [\"b\", \"a\", \"late\"]",
        "tracks: insertion, indexes: 0, new: [\"b\"]",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N5 C4 Through the proxy, methods that use another key's proxy are one notification")
  func proxies() {
    let roll = Roll()
    let tokens = [
      roll.observe(\.names, options: [.old, .new, .prior], changeHandler: log.handler("names")),
      roll.observe(\.stored, options: .new, changeHandler: log.handler("stored")),
    ]
    let names = roll.mutableArrayValue(for: \.names)
    names.append("a")
    names.append(contentsOf: ["b", "c"])
    names.remove(at: 0)
    #expect(
      log.take() == [
        "names: insertion, indexes: 0, prior", #"stored: insertion, indexes: 0, new: ["a"]"#,
        #"names: insertion, indexes: 0, new: ["a"]"#, "names: insertion, indexes: 1–2, prior",
        #"stored: insertion, indexes: 1, new: ["b"]"#,
        #"stored: insertion, indexes: 2, new: ["c"]"#,
        #"names: insertion, indexes: 1–2, new: ["b", "c"]"#,
        #"names: removal, indexes: 0, old: ["a"], prior"#, "stored: removal, indexes: 0",
        #"names: removal, indexes: 0, old: ["a"]"#,
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("N8 C7 A callback between the two halves of a replacement may shorten the collection")
  func shortened() async {
    await #expect(processExitsWith: .success) {
      let log = ChangeLog()
      let album = Album()
      album.tracks = ["a", "b", "c"]
      let token = album.observe(\.tracks, options: [.old, .new]) { album, change in
        log.note("tracks", change)
        if change.kind == .removal { album.tracks = [] }
      }
      album.mutableArrayValue(for: \.tracks)
        .replace(at: RangeSet([0..<1, 2..<3]), with: ["x", "y"])
      #expect(album.tracks == ["x", "y"])
      #expect(
        log.take() == [
          #"tracks: removal, indexes: 0, 2, old: ["a", "c"]"#,
          #"tracks: setting, old: ["b"], new: []"#,
          #"tracks: insertion, indexes: 0–1, new: ["x", "y"]"#,
        ])
      token.invalidate()
    }
  }

  @Test("N8 C7 A prior's handler may shorten the collection that an accessor changes")
  func shortenedInPrior() async {
    await #expect(processExitsWith: .success) {
      let log = ChangeLog()
      let album = Album()
      album.tracks = ["a", "b", "c"]
      let token = album.observe(\.tracks, options: [.old, .new, .prior]) { album, change in
        if change.kind == .setting { return }
        if change.isPrior { return album.tracks = ["x"] }
        log.note("tracks", change)
      }
      let tracks = album.mutableArrayValue(for: \.tracks)
      tracks.append("d")
      #expect(album.tracks == ["x", "d"])
      tracks.remove(at: 1)
      #expect(album.tracks == ["x"])
      #expect(
        log.take() == [
          #"tracks: insertion, indexes: 3, new: ["d"]"#,
          #"tracks: removal, indexes: 1, old: ["d"]"#,
        ])
      token.invalidate()
    }
  }

  @Test("P7 An aggregate is correct if the method changes elements during an insertion")
  func elementsChange() throws {
    let payroll = Payroll()
    let (ada, ben) = (Employee("Ada", salary: 1), Employee("Ben", salary: 10))
    payroll.staff = [ada]
    let tokens = [
      try payroll.observe(
        "staff.@sum.salary", options: [.old, .new], changeHandler: log.handler("sum")),
      payroll.observe(
        \.staff[sum: \.salary], options: [.old, .new], changeHandler: log.handler("typed")),
    ]
    payroll.mutableArrayValue(for: \.staff).append(ben)
    #expect(
      log.take() == ["sum: setting, old: 1, new: 12", "typed: setting, old: 1, new: 12"])
    ben.salary = 20
    #expect(
      log.take() == ["sum: setting, old: 12, new: 22", "typed: setting, old: 12, new: 22"])
    for token in tokens { token.invalidate() }
  }

  @Test("P2 A path is correct if the method replaces an intermediate object during a removal")
  func intermediatesChange() throws {
    let payroll = Payroll()
    let (ada, ben) = (Employee("Ada"), Employee("Ben"))
    payroll.staff = [ada, ben]
    let token = try payroll.observe(
      "staff.account.balance", options: .new, changeHandler: log.handler("balances"))
    payroll.mutableArrayValue(for: \.staff).remove(at: 1)
    #expect(log.take() == ["balances: setting, new: [100.0]"])
    ada.account?.balance = 7
    #expect(log.take() == ["balances: setting, new: [7.0]"])
    token.invalidate()
  }

  @Test("N8 A callback during a method may remove the elements")
  func takenAway() async {
    await #expect(processExitsWith: .success) {
      let album = Album()
      album.tracks = ["a"]
      var told = 0
      let tokens = [
        album.observe(\.edits) { album, _ in album.tracks = [] },
        album.observe(\.tracks, options: [.old, .new]) { _, _ in told += 1 },
      ]
      album.mutableArrayValue(for: \.tracks).append("b")
      #expect(album.tracks == [])
      #expect(told == 2)
      for token in tokens { token.invalidate() }
    }
  }

  @Test("P7 An aggregate is correct if the method refuses an element")
  func refused() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate()
      let log = ChangeLog()
      let ada = Employee("Ada", salary: 1)
      let tokens = [
        try gate.observe("inside.@sum.salary", options: .new, changeHandler: log.handler("sum")),
        gate.observe(\.inside, options: [.new]) { _, _ in },
      ]
      let inside = gate.mutableArrayValue(for: \.inside)
      inside.append(ada)
      inside.insert(ada, at: 0)
      inside.append(ada)
      inside.append(Employee())
      #expect(log.take() == Array(repeating: "sum: setting, new: 1", count: 4))
      ada.salary = 2
      #expect(log.take() == ["sum: setting, new: 2"])
      inside.removeAll()
      #expect(log.take() == ["sum: setting, new: 0"])
      for token in tokens { token.invalidate() }
    }
  }

  // MARK: Sets

  /// The log of a fixed series of changes through the proxy of one key.
  private func edit(_ key: String) throws -> [String] {
    let club = Club()
    let token = try club.observe(key, options: [.old, .new], changeHandler: log.handler("heard"))
    let members = try club.mutableSetValue(forKey: key)
    func note() {
      for call in club.takeCalls() { log.note(call) }
    }
    members.insert("a")
    note()
    members.formUnion(["a", "b"])
    note()
    members.remove("b")
    note()
    members.formIntersection(["x"])
    note()
    members.replaceAll(with: ["c"])
    note()
    #expect(club.stored == ["c"])
    token.invalidate()
    return log.take()
  }

  @Test("C4 With set methods for one element at a time, each operation is one notification")
  func setSingle() throws {
    #expect(
      try edit("single").filter { $0.hasPrefix("heard") } == [
        "heard: insertion, new: [\"a\"]", "heard: insertion, new: [\"b\"]",
        "heard: removal, old: [\"b\"]", "heard: removal, old: [\"a\"]",
        "heard: replacement, old: [], new: [\"c\"]",
      ])
  }

  @Test("C4 With set methods for several elements, each operation is one notification")
  func setBatch() throws {
    #expect(
      try edit("full") == [
        "heard: insertion, new: [\"a\"]", "add a",
        "heard: insertion, new: [\"b\"]", "add [\"a\", \"b\"]",
        "heard: removal, old: [\"b\"]", "remove b",
        "heard: removal, old: [\"a\"]", "intersect [\"x\"]",
        "heard: replacement, old: [], new: [\"c\"]", "set [\"c\"]",
      ])
    #expect(
      try edit("batch").filter { $0.hasPrefix("heard") } == [
        "heard: insertion, new: [\"a\"]", "heard: insertion, new: [\"b\"]",
        "heard: removal, old: [\"b\"]", "heard: removal, old: [\"a\"]",
        "heard: replacement, old: [], new: [\"c\"]",
      ])
  }

  @Test("C4 Through the proxy, set methods that change a property are one notification")
  func setMutating() {
    let club = Club()
    let token = club.observe(
      \.guests, options: [.old, .new], changeHandler: log.handler("guests"))
    let guests = club.mutableSetValue(for: \.guests)
    guests.formUnion(["a", "b"])
    guests.replaceAll(with: ["b", "c"])
    #expect(club.guests == ["b", "c"])
    #expect(
      log.take() == [
        "guests: insertion, new: [\"a\", \"b\"]",
        "guests: replacement, old: [\"a\"], new: [\"c\"]",
      ])
    token.invalidate()
  }
}
