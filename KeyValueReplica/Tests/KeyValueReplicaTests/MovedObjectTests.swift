import KeyValueObserving
import KeyValueReplica
import Testing

/// What becomes of an object that two replicas take from one list to another, or take out and put back; `a` is the
/// faster one.
@Suite("Objects that two replicas move", .timeLimit(.minutes(10)))
@MainActor
struct MovedObjectTests {
  private typealias Replica = KeyValueReplica<Board>

  /// Two replicas of a board whose first lane has the cards p, q and r.
  private func pair(
    _ rule: KeyValueConflictRule = .reject
  ) async throws -> (Replica, Replica, MemoryLogStore) {
    let store = MemoryLogStore()
    let a = try await openBoard(store, "a")
    a.root.performChanges { board in
      board.lanes = [Lane(), Lane(), Lane()]
      board.lanes[0].cards = [Card("p"), Card("q"), Card("r")]
    }
    try await a.flush()
    return (a, try await openBoard(store, "b") { $0.conflictRule = rule }, store)
  }

  /// Sends what `a` has, then what `b` has, which hasn't read it.
  ///
  /// - Returns: The conflicts that `b` meets.
  private func meet(_ a: Replica, _ b: Replica, _ store: MemoryLogStore) async throws -> [String] {
    let count = b.conflicts.count
    try await store.bringTogether(a, b)
    return texts(Array(b.conflicts.dropFirst(count)), b)
  }

  private func texts(_ conflicts: [KeyValueReplicaConflict], _ replica: Replica) -> [String] {
    conflicts.map { conflict in
      let reason = conflict.builtOn == nil ? "from \(conflict.author ?? "nobody")" : "built on"
      return "\(conflict.key ?? "-"): \(text(conflict.mine, replica)), "
        + "\(text(conflict.theirs, replica)) \(reason)"
    }
  }

  private func text(_ value: KeyValueLogValue?, _ replica: Replica) -> String {
    switch value {
    case nil: "none"
    case .reference(let id): (replica.object(id) as? Card)?.name ?? "?"
    case .array(let elements): "[\(elements.map { text($0, replica) }.joined(separator: " "))]"
    case .string(let text): text
    case let value?: "\(value)"
    }
  }

  private func lanes(_ replica: Replica) -> [String] { replica.root.texts }

  // MARK: A removal that is taken back

  @Test("S3 putting back what a transaction took out is taken back with it")
  func removalTakenBack() async throws {
    let puttingBack: [(Replica, Card) throws -> Void] = [
      { replica, _ in try replica.undo() },
      { replica, card in replica.root.lanes[0].cards.insert(card, at: 0) },
      { replica, card in replica.root.lanes[1].cards.append(card) },
      { replica, card in
        replica.root.lanes[1].cards.append(card)
        replica.root.performChanges { $0.lanes[2].cards.append($0.lanes[1].cards.removeFirst()) }
      },
    ]
    for (index, putBack) in puttingBack.enumerated() {
      let (a, b, store) = try await pair()
      a.root.lanes[0].cards[0].name = "P"
      let card = b.root.lanes[0].cards.removeFirst()
      try putBack(b, card)
      let built = Array(repeating: "cards: P, none built on", count: index == 3 ? 2 : 1)
      #expect(try await meet(a, b, store) == ["name: none, P from a"] + built)
      #expect(lanes(b) == ["P q r", "", ""])
      #expect(b.root.lanes[0].cards[0] === card)
      let first = b.conflicts[0].transaction
      #expect(b.conflicts[1].builtOn == first)
      // What was taken back isn't undone.
      while b.canUndo { try b.undo() }
      #expect(try await meet(a, b, store) == [])
      #expect(lanes(a) == ["P q r", "", ""])
    }
  }

  @Test("S3 an object's removal for another reason is taken back with what is built on it")
  func removalTakenBackElsewhere() async throws {
    let (a, b, store) = try await pair()
    a.root.performChanges { board in
      board.lanes[2].cards = [board.lanes[0].cards[0]]
    }
    try await a.flush()
    try await b.reaches(2)
    a.root.name = "Plan"
    // The card is still in another lane, so it isn't deleted.
    let card = b.root.lanes[0].cards[0]
    b.root.performChanges { board in
      board.name = "Work"
      board.lanes[0].cards.removeFirst()
    }
    b.root.lanes[0].cards.append(card)
    b.root.lanes[1].cards.append(Card("s"))
    #expect(
      try await meet(a, b, store) == ["name: Work, Plan from a", "cards: p, none built on"])
    #expect(lanes(a) == ["p q r", "s", "p"])
  }

  @Test("S3 the last writer's removal and putting back are made again")
  func removalByLastWriter() async throws {
    let (a, b, store) = try await pair(.lastWriterWins)
    a.root.lanes[0].cards[0].name = "P"
    let card = b.root.lanes[0].cards.removeFirst()
    b.root.lanes[1].cards.append(card)
    #expect(try await meet(a, b, store) == ["name: none, P from a"])
    #expect(lanes(a) == ["q r", "p", ""])
  }

  // MARK: A removal without effect

  @Test("S4 undoing a removal that had no effect leaves the object where the other put it")
  func undoneRemoval() async throws {
    let (a, b, store) = try await pair()
    a.root.move(0, from: 0, to: 1)
    b.root.lanes[0].cards.removeFirst()
    b.root.name = "Work"
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(b) == ["q r", "p", ""])
    try b.undo()
    #expect(texts(try b.undo(), b) == ["cards: p, [q r] from a"])
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(a) == ["q r", "p", ""])
    #expect(!b.canUndo)
  }

  @Test("S4 undoing a removal without effect of an object in two lists leaves it as it is")
  func undoneRemovalOfOneOfTwo() async throws {
    let (a, b, store) = try await pair()
    a.root.lanes[2].cards.append(a.root.lanes[0].cards[0])
    try await a.flush()
    try await b.reaches(2)
    a.root.move(0, from: 0, to: 1)
    b.root.lanes[0].cards.removeFirst()
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(b) == ["q r", "p", "p"])
    #expect(texts(try b.undo(), b) == ["cards: p, [q r] from a"])
    #expect(lanes(b) == ["q r", "p", "p"])
    #expect(!b.canUndo)
  }

  @Test("S4 undoing a removal that had an effect puts the object back")
  func undoneEffectiveRemoval() async throws {
    let (a, b, store) = try await pair()
    a.root.lanes[1].cards.append(a.root.lanes[0].cards[0])
    b.root.lanes[0].cards.removeFirst()
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(b) == ["q r", "p", ""])
    #expect(try b.undo() == [])
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(a) == ["p q r", "p", ""])
  }

  @Test("S3 putting back what the other has moved is a conflict")
  func putBackAndMoved() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }] {
      let (a, b, store) = try await pair(rule)
      a.root.move(0, from: 0, to: 1)
      let card = b.root.lanes[0].cards.removeFirst()
      b.root.lanes[0].cards.insert(card, at: 0)
      #expect(try await meet(a, b, store) == ["cards: p, [q r] from a"])
      let isLast = if case .lastWriterWins = rule { true } else { false }
      #expect(lanes(a) == (isLast ? ["p q r", "", ""] : ["q r", "p", ""]))
    }
  }

  // MARK: Moves

  @Test("S3 two moves of an object to different lists are a conflict")
  func movedApart() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }] {
      let (a, b, store) = try await pair(rule)
      a.root.move(0, from: 0, to: 1)
      b.root.performChanges { board in
        board.name = "Work"
        board.move(0, from: 0, to: 2)
      }
      b.root.lanes[2].cards[0].name = "P"
      let isLast = if case .lastWriterWins = rule { true } else { false }
      let isRejected = if case .reject = rule { true } else { false }
      #expect(try await meet(a, b, store) == ["cards: P, [] from a"])
      #expect(lanes(a) == (isLast ? ["q r", "", "P"] : ["q r", "P", ""]))
      #expect(a.root.name == (isRejected ? "Board" : "Work"))
    }
  }

  @Test("S2 two moves of an object to the same list are one")
  func movedTogether() async throws {
    let (a, b, store) = try await pair()
    a.root.move(0, from: 0, to: 1)
    b.root.move(0, from: 0, to: 1)
    #expect(try await meet(a, b, store) == [])
    #expect(lanes(a) == ["q r", "p", ""])
  }

  @Test("S3 an object that one moves, and the other moves there and back, is in one list")
  func thereAndBack() async throws {
    let (a, b, store) = try await pair()
    a.root.move(0, from: 0, to: 1)
    b.root.move(0, from: 0, to: 1)
    b.root.move(0, from: 1, to: 0)
    #expect(try await meet(a, b, store) == ["cards: p, [q r] from a"])
    #expect(lanes(a) == ["q r", "p", ""])
    while b.canUndo { try b.undo() }
    #expect(lanes(b) == ["q r", "p", ""])
  }

  @Test("S3 an object that one moves, and the other puts into a new one, is in one list")
  func movedAndGrouped() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }] {
      let (a, b, store) = try await pair(rule)
      a.root.move(0, from: 0, to: 1)
      b.root.performChanges { board in
        let lane = Lane()
        lane.cards = [board.lanes[0].cards.remove(at: 0), board.lanes[0].cards.remove(at: 0)]
        board.lanes.append(lane)
      }
      b.root.lanes[3].cards.append(Card("s"))
      let met = try await meet(a, b, store)
      switch rule {
      case .reject:
        #expect(met == ["cards: p, none from a", "cards: [?], none built on"])
        #expect(lanes(a) == ["q r", "p", ""])
      case .lastWriterWins:
        #expect(met == ["cards: p, none from a"])
        #expect(lanes(a) == ["r", "", "", "p q s"])
      default:
        #expect(met == ["cards: p, none from a"])
        #expect(lanes(a) == ["r", "p", "", "q s"])
      }
    }
  }

  @Test("S3 an object that one moves with its list, and the other takes out of it, is in one list")
  func movedWithItsList() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }] {
      let (a, b, store) = try await pair(rule)
      a.root.performChanges { $0.archive.append($0.lanes.removeFirst()) }
      b.root.performChanges { board in
        let cards = board.lanes.removeFirst().cards
        board.lanes[1].cards += cards
      }
      let met = try await meet(a, b, store)
      #expect(met == ["p", "q", "r"].map { "cards: \($0), [] from a" })
      let isLast = if case .lastWriterWins = rule { true } else { false }
      #expect(lanes(a) == (isLast ? ["", "p q r"] : ["", ""]))
      #expect(a.root.archive[0].cards.map(\.name) == (isLast ? [] : ["p", "q", "r"]))
    }
  }

  @Test("S3 an object taken out of a list that was removed, and that another keeps, is in one list")
  func takenOutOfAKeptList() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins, .custom { _ in .theirs }] {
      for isNew in [false, true] {
        let (a, b, store) = try await pair(rule)
        a.root.performChanges { $0.archive.append($0.lanes.removeFirst()) }
        // In two transactions.
        let card = b.root.lanes.removeFirst().cards[0]
        if isNew {
          let lane = Lane()
          lane.cards = [card]
          b.root.lanes.append(lane)
        } else {
          b.root.lanes[1].cards.append(card)
        }
        let met = try await meet(a, b, store)
        #expect(met == ["cards: p, \(isNew ? "none" : "[]") from a"])
        let isLast = if case .lastWriterWins = rule { true } else { false }
        let isRejected = if case .reject = rule { true } else { false }
        let added = isLast ? "p" : ""
        #expect(lanes(a) == (isNew ? ["", ""] + (isRejected ? [] : [added]) : ["", added]))
        #expect(a.root.archive[0].cards.map(\.name) == (isLast ? ["q", "r"] : ["p", "q", "r"]))
      }
    }
  }

  @Test("S3 an object that one puts into a new one, and the other moves, is in one list")
  func groupedAndMoved() async throws {
    for rule in [KeyValueConflictRule.reject, .lastWriterWins] {
      let (a, b, store) = try await pair(rule)
      a.root.performChanges { board in
        let lane = Lane()
        lane.cards = [board.lanes[0].cards.remove(at: 0), board.lanes[0].cards.remove(at: 0)]
        board.lanes.append(lane)
      }
      b.root.move(0, from: 0, to: 2)
      #expect(try await meet(a, b, store) == ["cards: p, [] from a"])
      let isLast = if case .lastWriterWins = rule { true } else { false }
      #expect(lanes(a) == (isLast ? ["r", "", "p", "q"] : ["r", "", "", "p q"]))
    }
  }
}

@MainActor @KeyValueObservable
final class Board {
  var name = "Board"
  var lanes: [Lane] = []
  var archive: [Lane] = []

  init() {}

  var texts: [String] { lanes.map { $0.cards.map(\.name).joined(separator: " ") } }

  func move(_ index: Int, from: Int, to: Int) {
    performChanges { board in
      let card = board.lanes[from].cards.remove(at: index)
      board.lanes[to].cards.append(card)
    }
  }
}

@MainActor @KeyValueObservable
final class Lane {
  var cards: [Card] = []

  init() {}
}

@MainActor @KeyValueObservable
final class Card {
  var name = ""

  init() {}

  init(_ name: String) { self.name = name }
}

@MainActor
func openBoard(
  _ store: some LogStore, _ author: String,
  _ configure: (inout KeyValueReplicaOptions) -> Void = { _ in }
) async throws -> KeyValueReplica<Board> {
  var options = KeyValueReplicaOptions()
  options.author = author
  configure(&options)
  return try await KeyValueReplica.open(
    Board.self, document: "board", in: store, options: options)
}

extension MemoryLogStore {
  /// Sends what `a` has, then what `b` has, which hasn't read it; in the end both have the same.
  @MainActor
  func bringTogether<Root>(_ a: KeyValueReplica<Root>, _ b: KeyValueReplica<Root>) async throws {
    try await holding("b") { try await a.flush() }
    try? await b.flush()
    let head = max(a.revision, b.revision)
    try await a.reaches(head)
    try await b.reaches(head)
    #expect(try a.snapshot() == b.snapshot())
  }
}
