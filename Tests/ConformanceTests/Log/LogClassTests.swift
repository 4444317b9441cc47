import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
final class PassBadge {
  let number: Int
  var owner = ""

  init(number: Int) { self.number = number }
}

@KeyValueObservable
final class PassTicket: Codable {
  var code = 0

  init(code: Int) { self.code = code }
}

@KeyValueObservable
final class PassWallet {
  var badge: PassBadge?
  var tickets: [PassTicket] = []
  var any: [any PassPriced] = []
}

protocol PassPriced: AnyObject {}

@KeyValueObservable
final class PassSnack: PassPriced {
  var price = 1
}

final class PassOpaque {}

@KeyValueObservable
final class PassCloset {
  var opaque: PassOpaque?
}

@KeyValueObservable
final class PassOuter {
  var closet: PassCloset?
}

@KeyValueObservable
final class PassHuman {
  var name = ""
}

@KeyValueObservable
class PassPriceless {
  var price = 1.0
}

@KeyValueObservable
final class PassTaxed: PassPriceless {
  override var price: Double {
    get { super.price * 2 }
    set { super.price = newValue }
  }
}

class PassUnmarked: PassPriceless {}

@KeyValueObservable
class PassLabel {
  @NotifiesManually var title = "a"
  @NotifiesManually var count = 1
  var next: PassLabel?

  required init() {}
}

@KeyValueObservable
final class PassStamp: PassLabel {
  override var title: String {
    get { super.title + "!" }
    set { super.title = newValue }
  }
  override var count: Int {
    get { super.count * 2 }
    set { super.count = newValue }
  }
}

class PassPlain {}

@KeyValueObservable
final class PassOverPlain: PassPlain {
  var price = 1
}

@KeyValueObservable
class PassContact {
  var name = ""

  required init() {}
}

@KeyValueObservable
final class PassFriend: PassContact {
  var gift: PassGift?
}

@KeyValueObservable
final class PassGift {
  var label = ""
}

enum PassAround {
  @KeyValueObservable
  final class Colleague: PassContact {
    var firm = ""
  }

  struct Within {
    @KeyValueObservable
    final class Stranger: PassContact {
      var place = ""
    }
  }
}

@KeyValueObservable
private final class PassSecret: PassContact {
  var code = 0
}

@KeyValueObservable
final class PassBook {
  var contacts: [PassContact] = []
}

extension PassBook: PassPriced {}

@KeyValueObservable
final class PassClub {
  var title = "club"
  var fixed: [PassFixedMember] = []
  var movable: [PassMovableMember] = []
}

@KeyValueObservable
final class PassFixedMember {
  unowned let club: PassClub
  var age = 1

  init(of club: PassClub) { self.club = club }
}

@KeyValueObservable
final class PassMovableMember {
  unowned var club: PassClub
  var age = 1

  init(of club: PassClub) { self.club = club }
}

@Suite("G. The classes of a log: making objects, names, what can't be logged")
struct LogClassTests {
  private func error(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch { return "\(error)" }
  }

  @Test("An object is made by a closure with its constants, by init(), or by init(from:)")
  func making() throws {
    let wallet = PassWallet()
    wallet.badge = PassBadge(number: 7)
    wallet.badge?.owner = "Ada"
    wallet.tickets = [PassTicket(code: 3)]
    wallet.any = [PassSnack()]
    let badges = KeyValueLogClass(PassBadge.self) { PassBadge(number: try $0.value("number")) }
    let snacks = KeyValueLogClass(PassSnack.self) { _ in PassSnack() }
    let log = try KeyValueChangeLog(of: wallet, classes: [badges, snacks])
    let snapshot = try JSONDecoder().decode(
      KeyValueSnapshot.self, from: JSONEncoder().encode(log.snapshot()))
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: PassWallet.self, classes: [badges, snacks])
    #expect(copy.root.badge?.number == 7 && copy.root.badge?.owner == "Ada")
    #expect(copy.root.tickets.map(\.code) == [3] && copy.root.any.count == 1)
    #expect(try copy.snapshot() == log.snapshot())
  }

  @Test("G2 a constant that doesn't own its object leads no further than such a variable does")
  func unownedConstants() throws {
    let club = PassClub()
    let (fixed, movable) = (PassFixedMember(of: club), PassMovableMember(of: club))
    club.fixed = [fixed]
    club.movable = [movable]
    let classes = [
      KeyValueLogClass(PassFixedMember.self) { PassFixedMember(of: try $0.value("club")) },
      KeyValueLogClass(PassMovableMember.self) { PassMovableMember(of: try $0.value("club")) },
    ]
    let ofFixed = try KeyValueChangeLog(of: fixed, classes: classes).snapshot()
    let ofMovable = try KeyValueChangeLog(of: movable, classes: classes).snapshot()
    #expect(ofFixed.objects.count == 1 && ofMovable.objects.count == 1)
    #expect(
      ofFixed.objects[ofFixed.root]?.values == ofMovable.objects[ofMovable.root]?.values)
    // Both refer to what belongs to the graph anyway.
    let ofClub = try KeyValueChangeLog(of: club, classes: classes).snapshot()
    #expect(ofClub.objects.count == 3)
    let members = ofClub.objects.filter { $0.key != ofClub.root }
    #expect(members.values.allSatisfy { $0.values["club"] == .reference(ofClub.root) })
  }

  @Test("G4 a class whose objects can't be made is an error at attachment, and nothing is attached")
  func unmakeable() {
    let wallet = PassWallet()
    wallet.badge = PassBadge(number: 7)
    #expect(
      error { _ = try KeyValueChangeLog(of: wallet) }
        == "Class 'ConformanceTests.PassBadge' can't be used here: its objects can't be made, because the "
        + "macro sees no init() without parameters in its declaration. Write one there, such as `init() {}`, or "
        + "name PassBadge in `classes` with a closure: KeyValueLogClass(PassBadge.self) { … }.")
    #expect(wallet._$kvoWithRegistrar { $0.isIdle })
  }

  @Test("G4 an init() that the macro can't see is no error without a line to write")
  func unseenInitializers() {
    let start = { (name: String) in
      "Class 'ConformanceTests.\(name)' can't be used here: its objects can't be made, because "
    }
    let end = { (name: String, body: String) in
      ", or name \(name) in `classes` with a closure: KeyValueLogClass(\(name).self) { \(body) }."
    }
    let unseen =
      "the macro sees no init() without parameters in its declaration. Write one there, such as "
    // The superclass's init() may not be inherited.
    #expect(
      error { _ = try KeyValueChangeLog(of: PassTaxed()) } == start("PassTaxed")
        + "it may not inherit the init() of PassPriceless. Declare that as `required init()`"
        + end("PassTaxed", "_ in PassTaxed()"))
    #expect(
      error { _ = try KeyValueChangeLog(of: PassUnmarked()) } == start("PassUnmarked")
        + "it may not inherit the init() of PassPriceless. Declare that as `required init()`"
        + end("PassUnmarked", "_ in PassUnmarked()"))
    // What the inheritance clause names may be a superclass.
    #expect(
      error { _ = try KeyValueChangeLog(of: PassSnack()) } == start("PassSnack") + unseen
        + "`init() {}`" + end("PassSnack", "…"))
    #expect(
      error { _ = try KeyValueChangeLog(of: PassOverPlain()) } == start("PassOverPlain") + unseen
        + "`override init() { super.init() }`" + end("PassOverPlain", "…"))
  }

  @Test("G4 a stored key that can't be written is an error that names key and type")
  func notLoggable() throws {
    let closet = PassCloset()
    let expected =
      "PassCloset.opaque can't be logged: its type PassOpaque is neither Codable nor an observable class. Make it "
      + "one of these, or mark the property @KeyValueIgnored."
    #expect(error { _ = try KeyValueChangeLog(of: closet) } == expected)
    #expect(error { try KeyValueChangeRecorder().record(graph: closet) } == expected)
    #expect(closet._$kvoWithRegistrar { $0.isIdle })
    try ViolationLog.record { violations in
      let outer = PassOuter()
      let log = try KeyValueChangeLog(of: outer)
      outer.closet = PassCloset()
      #expect(
        violations.take() == [
          "unobservableValue: PassCloset.opaque can't be logged: its type PassOpaque is neither Codable nor an "
            + "observable class. Make it one of these, or mark the property @KeyValueIgnored. It came into a "
            + "graph that is logged, and its changes are not recorded."
        ])
      withExtendedLifetime(log) {}
    }
  }

  @Test("A renamed class is found by its former name, with any module")
  func renamed() throws {
    let root = KeyValueObjectID()
    for name in ["Human", "OldApp.Person", "Other.Human"] {
      let snapshot = KeyValueSnapshot(
        root: root, objects: [root: .init(class: name, values: ["name": "Ada"])])
      let log = try KeyValueChangeLog(
        restoring: snapshot, as: PassHuman.self,
        classes: [KeyValueLogClass(PassHuman.self, formerly: "Human", "Person")])
      #expect(log.root.name == "Ada")
    }
    let snapshot = KeyValueSnapshot(
      root: root, objects: [root: .init(class: "ConformanceTests.PassHumen", values: [:])])
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: PassHuman.self) }
        == "Class 'ConformanceTests.PassHumen' can't be used here (object \(root)): it's the class of the "
        + "snapshot's root, and isn't PassHuman. Restore the snapshot as the class that it was made of, or, if "
        + "PassHuman was renamed, name it in `classes`: KeyValueLogClass(PassHuman.self, formerly: "
        + "\"ConformanceTests.PassHumen\").")
  }

  @Test("G4 another root class than the snapshot's is named as that, before any object is made")
  func wrongRoot() throws {
    let book = PassBook()
    book.contacts = [PassFriend()]
    let log = try KeyValueChangeLog(of: book)
    let snapshot = try log.snapshot()
    #expect(
      error { _ = try KeyValueChangeLog(restoring: snapshot, as: PassContact.self) }
        == "Class 'ConformanceTests.PassBook' can't be used here (object \(snapshot.root)): it's the class of the "
        + "snapshot's root, and isn't PassContact. Restore the snapshot as the class that it was made of, or, if "
        + "PassContact was renamed, name it in `classes`: KeyValueLogClass(PassContact.self, formerly: "
        + "\"ConformanceTests.PassBook\").")
    let contact = PassContact()
    let contacts = try KeyValueChangeLog(of: contact).snapshot()
    // A class that is known isn't the root's for that.
    #expect(
      error { _ = try KeyValueChangeLog(restoring: contacts, as: PassFriend.self) }.contains(
        "it's the class of the snapshot's root, and isn't PassFriend."))
    let friend = PassFriend()
    friend.name = "Ada"
    let friends = try KeyValueChangeLog(of: friend).snapshot()
    let restored = try KeyValueChangeLog(restoring: friends, as: PassContact.self)
    #expect(restored.root is PassFriend && restored.root.name == "Ada")
  }

  @Test("G4 a subclass that no stored key's type mentions is found by its name")
  func subclasses() throws {
    let book = PassBook()
    let log = try KeyValueChangeLog(of: book)
    let empty = try log.snapshot()
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    let friend = PassFriend()
    // Only the subclass mentions the class of this one.
    friend.gift = PassGift()
    book.contacts = [friend, PassAround.Colleague(), PassAround.Within.Stranger(), PassContact()]
    friend.gift?.label = "book"
    let copy = try KeyValueChangeLog(
      restoring: KeyValueSnapshot(json: log.snapshot().json()), as: PassBook.self)
    let replayed = try KeyValueChangeLog(restoring: empty, as: PassBook.self)
    for record in records {
      try replayed.apply(KeyValueTransactionRecord(json: record.json()))
    }
    let names = ["PassFriend", "Colleague", "Stranger", "PassContact"]
    for log in [copy, replayed] {
      #expect(log.root.contacts.map { "\(type(of: $0))" } == names)
      #expect((log.root.contacts.first as? PassFriend)?.gift?.label == "book")
    }
    #expect(try copy.snapshot() == log.snapshot() && replayed.snapshot() == log.snapshot())
    withExtendedLifetime(token) {}
  }

  @Test("G4 a class that is no subclass of a known one isn't found, whatever a snapshot names")
  func strangers() throws {
    let book = PassBook()
    let log = try KeyValueChangeLog(of: book)
    var snapshot = try log.snapshot()
    let id = KeyValueObjectID()
    for name in [
      "PassGift", "PassOpaque", "Nothing", "PassBook.Type", "PassFriend<Int>", "9", "",
      ".PassFriend",
    ] {
      snapshot.objects[id] = .init(class: "ConformanceTests.\(name)", values: [:])
      snapshot.objects[snapshot.root]?.values["contacts"] = [.reference(id)]
      #expect(
        error { _ = try KeyValueChangeLog(restoring: snapshot, as: PassBook.self) }.hasPrefix(
          "Class 'ConformanceTests.\(name)' can't be used here (object \(id)): name it in `classes`, with its "
            + "former name if it was renamed."))
    }
  }

  #if DEBUG || KVO_AUDIT
    @Test("G4 a class that restoring won't find is reported as the snapshot is made, once")
    func unfindable() throws {
      try ViolationLog.record { violations in
        func report(_ name: String, of root: String) -> String {
          "tolerated: A snapshot of \(root) has objects of \(name), which another run of the program can't "
            + "restore: no stored key's type mentions the class, and its name doesn't identify it. Only a "
            + "subclass of a class that one mentions is found, if it isn't private, local or generic. Name it in "
            + "`classes`, here and where the snapshot is restored: KeyValueLogClass(\(name).self)."
        }
        let book = PassBook()
        book.contacts = [PassFriend()]
        let log = try KeyValueChangeLog(of: book)
        book.contacts.append(PassSecret())
        _ = try log.snapshot()
        #expect(violations.take() == [report("PassSecret", of: "PassBook")])
        book.contacts.append(PassSecret())
        let snapshot = try log.snapshot()
        #expect(violations.take() == [])
        #expect(
          error { _ = try KeyValueChangeLog(restoring: snapshot, as: PassBook.self) }.contains(
            "can't be used here"))
        let wallet = PassWallet()
        wallet.any = [PassBook()]
        _ = try KeyValueChangeLog(of: wallet).snapshot()
        #expect(violations.take() == [report("PassBook", of: "PassWallet")])
      }
      try ViolationLog.record { violations in
        let book = PassBook()
        book.contacts = [PassSecret()]
        let classes = [KeyValueLogClass(PassSecret.self)]
        let log = try KeyValueChangeLog(of: book, classes: classes)
        let copy = try KeyValueChangeLog(
          restoring: log.snapshot(), as: PassBook.self, classes: classes)
        #expect(copy.root.contacts.first is PassSecret)
        let recorder = KeyValueChangeRecorder()
        try recorder.record(graph: book)
        book.contacts = []
        #expect(try recorder.undo() && book.contacts.count == 1)
        #expect(violations.take() == [])
      }
    }
  #endif

  @Test("G1 the stored value of an overridden key is recorded and applied, not the override's")
  func overridden() throws {
    let taxed = PassTaxed()
    let log = try KeyValueChangeLog(
      of: taxed, classes: [KeyValueLogClass(PassTaxed.self) { _ in PassTaxed() }])
    let id = log.id(of: taxed)!
    var edits: [KeyValueEdit] = []
    let token = log.observe { edits += $0.edits }
    taxed.price = 7
    #expect(edits == [.set(id, key: "price", old: 1, new: 7)] && taxed.price == 14)
    try log.apply(KeyValueTransactionRecord([.set(id, key: "price", old: 7, new: 1)]))
    #expect(taxed.price == 2)
    withExtendedLifetime(token) {}
  }

  @Test("G1 M2 crossed pairs of overridden keys, or objects, have each its own stored value")
  func crossedPairs() throws {
    let (first, second) = (PassStamp(), PassStamp())
    first.next = second
    let log = try KeyValueChangeLog(of: first)
    let (one, two) = (try #require(log.id(of: first)), try #require(log.id(of: second)))
    var edits: [KeyValueEdit] = []
    let token = log.observe { edits += $0.edits }
    for key in ["title", "count"] { first.willChangeValue(forKey: key) }
    first.title = "b"
    first.count = 2
    for key in ["title", "count"] { first.didChangeValue(forKey: key) }
    #expect(
      edits == [
        .set(one, key: "title", old: "a", new: "b"), .set(one, key: "count", old: 1, new: 2),
      ])
    edits = []
    for stamp in [first, second] { stamp.willChangeValue(forKey: "count") }
    first.count = 3
    second.count = 5
    for stamp in [first, second] { stamp.didChangeValue(forKey: "count") }
    #expect(
      edits == [
        .set(one, key: "count", old: 2, new: 3), .set(two, key: "count", old: 1, new: 5),
      ])
    withExtendedLifetime((log, token)) {}
  }

  @Test("Two logs and a recorder share an object, and each hears every change once")
  func several() throws {
    let human = PassHuman()
    let (first, second) = (try KeyValueChangeLog(of: human), try KeyValueChangeLog(of: human))
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: human)
    var counts = [0, 0, 0]
    let tokens = [
      first.observe { _ in counts[0] += 1 }, second.observe { _ in counts[1] += 1 },
      human.observe(\.name) { _, _ in counts[2] += 1 },
    ]
    human.name = "A"
    human.name += "B"
    #expect(counts == [2, 2, 2] && recorder.canUndo)
    try recorder.undo()
    #expect(human.name == "A" && counts == [3, 3, 3])
    withExtendedLifetime(tokens) {}
  }
}

@Suite("G. Records elsewhere and later, and the history")
struct LogDeliveryTests {
  private actor Store {
    var names: [KeyValueEdit] = []
    func add(_ record: KeyValueTransactionRecord) { names += record.edits }
  }

  @Test("Records arrive on an actor, on the main actor and on a queue, each once, in order")
  @MainActor func elsewhere() async throws {
    let human = PassHuman()
    let log = try KeyValueChangeLog(of: human)
    let id = log.id(of: human)!
    let store = Store()
    let (main, queued) = (AtomicList(), AtomicList())
    let queue = DispatchQueue(label: "records")
    let tokens = [
      log.observe(on: .actor(store)) { store, record in store.add(record) },
      log.observe(on: .mainActor) { record in main.append("\(record.edits[0])") },
      log.observe(on: .queue(queue)) { record in queued.append("\(record.edits[0])") },
    ]
    human.name = "A"
    human.name = "B"
    let expected: [KeyValueEdit] = [
      .set(id, key: "name", old: "", new: "A"), .set(id, key: "name", old: "A", new: "B"),
    ]
    var (onMain, onQueue): ([String], [String]) = ([], [])
    while await store.names.count < 2 || onMain.count < 2 || onQueue.count < 2 {
      onMain += main.take()
      onQueue += queued.take()
      await Task.yield()
    }
    #expect(await store.names == expected)
    #expect(onMain == expected.map { "\($0)" } && onQueue == onMain)
    withExtendedLifetime(tokens) {}
  }

  @Test("The records are a sequence, which ends with the log")
  func sequence() async throws {
    let human = PassHuman()
    var log: KeyValueChangeLog? = try KeyValueChangeLog(of: human)
    let records = try #require(log?.records())
    human.name = "A"
    human.performChanges {
      $0.name = "B"
      $0.name = "C"
    }
    log = nil
    human.name = "D"
    var seen: [String] = []
    for await record in records {
      if case .set(_, _, _, .string(let new))? = record.edits.last { seen.append(new) }
    }
    #expect(seen == ["A", "C"] && records.droppedCount == 0)
  }

  @Test("A history steps back and forth on one copy, which follows at its end")
  func history() throws {
    let firm = Firm()
    let log = try KeyValueChangeLog(of: firm)
    let history = try KeyValueHistory(log)
    let lines = ChangeLog()
    let token = history.root.observe(
      \.name, options: [.old, .new], changeHandler: lines.handler("name"))
    firm.name = "A"
    firm.workers = [Worker("Ada")]
    firm.name = "B"
    #expect(history.position == 3 && history.root.name == "B")
    try history.go(to: 1)
    #expect(history.root.name == "A" && history.root.workers.isEmpty)
    firm.name = "C"
    #expect(history.position == 1 && history.records.count == 4 && history.root.name == "A")
    try history.go(to: 4)
    firm.name = "D"
    #expect(history.root.name == "D" && history.root.workers.map(\.name) == ["Ada"])
    #expect(
      lines.take().map { $0.dropFirst("name: setting, ".count) } == [
        #"old: "Engines", new: "A""#, #"old: "A", new: "B""#, #"old: "B", new: "A""#,
        #"old: "A", new: "B""#, #"old: "B", new: "C""#, #"old: "C", new: "D""#,
      ])
    #expect(
      message { try history.go(to: 9) }
        == "KeyValueHistory.go(to:) takes a position from 0 to 5, the number of its records, not 9."
    )
    withExtendedLifetime(token) {}
  }
}
