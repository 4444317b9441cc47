import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. What an audit leaves out, and what Codable can't save")
struct LogEqualValueTests {
  @Test("G1 a change that leaves an equal value is recorded, and an audit finds it by its values")
  func audit() throws {
    let ledger = Ledger()
    let log = try KeyValueChangeLog(of: ledger)
    let records = RecordLog(log)
    records.name(log.id(of: ledger), "ledger")
    var differing: [String] = []
    let token = log.observe { record in
      differing += record.edits.filter(\.differs).map { $0.key ?? "" }
    }
    ledger.title = "Books"
    ledger.lines = ["a", "b"]
    ledger.lines.replaceSubrange(0..<1, with: ["a"])
    ledger.tags = [1]
    ledger.rates = ["x": 1]
    ledger.rates["x"] = 1
    ledger.performChanges {
      $0.title = "Notes"
      $0.title = "Books"
    }
    #expect(
      records.take() == [
        #"change: set ledger.title: "Books" -> "Books""#,
        "change: amend ledger.lines: nothing differs",
        "change: amend ledger.lines: nothing differs",
        "change: set ledger.tags: [1] -> [1]",
        #"change: set ledger.rates: ["x": 1] -> ["x": 1]"#,
        #"change: set ledger.rates: ["x": 1] -> ["x": 1]"#,
        #"transaction: set ledger.title: "Books" -> "Books""#,
      ])
    #expect(differing == [])
    ledger.title = "Notes"
    ledger.lines.append("c")
    ledger.tags = [2]
    ledger.rates["y"] = 2
    #expect(differing == ["title", "lines", "tags", "rates"])
    token.invalidate()
    withExtendedLifetime(log) {}
  }

  @Test("G1 Codable doesn't end at a reference back to an owner; a log's snapshot keeps it")
  func referenceBack() throws {
    let owner = Keeper()
    let pet = Pet()
    (owner.pet, pet.keeper) = (pet, owner)
    // Each level encodes a mark, and the hundredth one throws.
    #expect(throws: Mark.Hundredth.self) { try JSONEncoder().encode(owner) }
    let snapshot = try KeyValueSnapshot(json: KeyValueChangeLog(of: owner).snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: Keeper.self).root
    #expect(copy !== owner && copy.pet?.keeper === copy)
    owner.pet = nil
  }
}

extension KeyValueEdit {
  /// Whether the edit left something else than it found.
  fileprivate var differs: Bool {
    switch self {
    case .set(_, _, let old, let new): old != new
    case .amend(_, _, let removed, let inserted):
      !removed.elements.isEmpty || !inserted.elements.isEmpty
    default: true
    }
  }
}

@KeyValueObservable
private final class Ledger {
  var title = "Books"
  var lines = ["a", "b"]
  var tags: Set<Int> = [1]
  var rates = ["x": 1]
}

@KeyValueObservable
private final class Keeper: Codable {
  var mark = Mark()
  var pet: Pet?

  init() {}
}

@KeyValueObservable
private final class Pet: Codable {
  weak var keeper: Keeper?

  init() {}
}

/// Counts how often it's encoded by one encoder.
private struct Mark: Codable {
  struct Hundredth: Error {}

  init() {}
  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {
    if encoder.codingPath.count >= 200 { throw Hundredth() }
    var container = encoder.singleValueContainer()
    try container.encode(0)
  }
}
