import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Guild {
  var title = ""

  required init() {}
}

/// Refers to a guild by a key without nil.
@KeyValueObservable
private final class Crafter {
  unowned var guild: Guild

  init(of guild: Guild) { self.guild = guild }
}

@KeyValueObservable
private final class Town {
  var guilds: [Guild] = []
  var crafters: [Crafter] = []

  required init() {}
}

/// In each test, a copy's crafter refers to a guild that has left the copy, and that only its log keeps.
@Suite("G. How long a log keeps what a key without nil refers to outside of its graph")
struct LogUnownedTargetTests {
  private let guilds = [Guild(), Guild()]
  private let log: KeyValueChangeLog<Town>
  private let copy: KeyValueChangeLog<Town>
  private let sending: KeyValueObservation

  init() throws {
    let town = Town()
    town.guilds = guilds
    town.crafters = [Crafter(of: guilds[0])]
    let classes = [KeyValueLogClass(Crafter.self) { Crafter(of: try $0.value("guild")) }]
    let log = try KeyValueChangeLog(of: town, classes: classes)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Town.self, classes: classes)
    sending = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    (self.log, self.copy) = (log, copy)
    town.guilds.removeFirst()
  }

  @Test("G4 not because of a record that can't be applied")
  func refusedRecord() throws {
    let town = copy.root
    weak let guild = town.guilds[0]
    town.crafters[0].guild = town.guilds[0]
    let id = try #require(copy.id(of: town.crafters[0]))
    let guildID = try #require(copy.id(of: town.guilds[0]))
    let refused = KeyValueTransactionRecord(
      [
        .set(id, key: "guild", old: .reference(guildID), new: .null),
        .set(guildID, key: "title", old: "", new: 1),
      ], isTransaction: true)
    #expect(throws: KeyValueLogError.self) { try copy.apply(refused) }
    #expect(copy.id(of: town.crafters[0].guild) == guildID)
    town.guilds = []
    #expect(guild == nil)
  }

  @Test("G3 only until the key is set, also in a part that might have been rolled back")
  func setInPart() {
    let crafter = copy.root.crafters[0]
    weak let target = crafter.guild
    #expect(target != nil)
    copy.root.performChanges(rollingBack: true) { crafter.guild = $0.guilds[0] }
    #expect(target == nil)
  }

  @Test("G3 only until the key is set, also while another thread's changes may be rolled back")
  func setBesideOtherThread() {
    nonisolated(unsafe) let crafter = copy.root.crafters[0]
    nonisolated(unsafe) let next = copy.root.guilds[0]
    weak let target = crafter.guild
    #expect(target != nil)
    KeyValueTransaction.perform(rollingBack: true) {
      onAnotherThread { crafter.guild = next }
      #expect(target == nil)
    }
  }

  @Test("G3 as long as a rollback leaves the key as it was")
  func rolledBack() throws {
    let crafter = copy.root.crafters[0]
    weak let target = crafter.guild
    #expect(throws: CancellationError.self) {
      try copy.root.performChanges(rollingBack: true) { town in
        crafter.guild = town.guilds[0]
        throw CancellationError()
      }
    }
    copy.root.guilds[0].title = "A"
    #expect(target != nil && crafter.guild === target)
    crafter.guild = copy.root.guilds[0]
    #expect(target == nil)
  }

  @Test("G3 also for an object that left before an observer began, and that a rollback brings back")
  func broughtBack() throws {
    let crafter = copy.root.crafters[0]
    weak let target = crafter.guild
    var tokens: [KeyValueObservation] = []
    #expect(throws: CancellationError.self) {
      try copy.root.performChanges(rollingBack: true) { town in
        town.crafters = []
        tokens.append(copy.observe { _ in })
        throw CancellationError()
      }
    }
    #expect(copy.root.crafters.first === crafter)
    #expect(target != nil && crafter.guild === target)
    crafter.guild = copy.root.guilds[0]
    #expect(target == nil)
    withExtendedLifetime(tokens) {}
  }
}
