import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. Snapshots, restored and applied")
struct LogSnapshotTests: LogReplaySuite {
  private let firm = Firm()

  @Test(
    "G3 a snapshot restores the graph, with the ids, the subclasses and what constants refer to")
  func restoring() throws {
    let (ada, bob) = (Worker("Ada"), Boss("Bob"))
    ada.partner = bob
    ada.keepSecret(3)
    bob.reports = [ada]
    firm.workers = [ada, bob, ada]
    firm.bySeat = ["a": ada]
    firm.star = bob
    firm.labels = ["x", "y"]
    firm.site.city = "Turin"
    let log = try KeyValueChangeLog(of: firm)
    let copy = try replica(log)
    #expect(try copy.snapshot() == log.snapshot())
    let root = copy.root
    #expect(
      root.workers.map(\.name) == ["Ada", "Bob", "Ada"] && root.workers[0] === root.workers[2])
    #expect(root.star === root.workers[1] && root.workers[1] is Boss)
    #expect(root.site.city == "Turin" && copy.id(of: root.site) == log.id(of: firm.site))
    #expect(root.trace == [])
  }

  @Test("A snapshot with a removed key is refused, and restored when the key is taken out of it")
  func removedKey() throws {
    firm.name = "Looms"
    firm.motto = "Weave"
    var snapshot = try KeyValueChangeLog(of: firm).snapshot()
    let root = snapshot.root
    snapshot.objects[root]?.values["slogan"] = "Weave"
    snapshot.objects[root]?.values["motto"] = nil
    #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
    }
    snapshot.objects[root]?.values["slogan"] = nil
    snapshot.objects[root]?.values["name"] = nil
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
    #expect(copy.root.name == "Engines" && copy.root.motto == nil)
  }

  @Test("A snapshot is applied by difference: what stays keeps its instance and its observers")
  func snapshots() throws {
    let ada = Worker("Ada")
    firm.workers = [ada]
    let log = try KeyValueChangeLog(of: firm)
    let before = try log.snapshot()
    firm.workers.append(Worker("Bob"))
    firm.name = "B"
    ada.salary = 9
    let lines = ChangeLog()
    let tokens = [
      firm.observe(\.name, options: [.old, .new], changeHandler: lines.handler("name")),
      firm.observe(\.mood, options: [.old, .new], changeHandler: lines.handler("mood")),
    ]
    let pay = ada.observe(\.salary, options: [.old, .new], changeHandler: lines.handler("salary"))
    try log.apply(before)
    #expect(firm.workers.elementsEqual([ada], by: ===) && firm.name == "Engines")
    #expect(
      lines.take() == [
        #"name: setting, old: "B", new: "Engines""#, "salary: setting, old: 9, new: 0",
      ])
    #expect(try log.snapshot() == before)
    let id = try #require(log.id(of: ada))
    var other = before
    other.objects[id]?.class = "ConformanceTests.Boss"
    let error = #expect(throws: KeyValueLogError.self) { try log.apply(other) }
    #expect(
      error.map { "\($0)" }
        == "Worker can't be edited so (object \(id)): it's of class ConformanceTests.Worker, not "
        + "ConformanceTests.Boss.")
    withExtendedLifetime((tokens, pay)) {}
  }
}
