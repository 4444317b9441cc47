import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport
import Testing

/// Replicas take cards out of lists and put them back or elsewhere, change, move and undo, and no step puts a card
/// into a second list.
@Suite("Random moves of objects")
@MainActor
struct RandomMovesTests {
  private nonisolated static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["KVO_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(environment["KVO_TESTS"] == "full" ? 2_000 : 100))
  }()

  @Test(
    "S2 S3 S4 replicas are equal when quiet, and no object is in two lists", .serialized,
    .timeLimit(.minutes(20)), arguments: seeds)
  func once(seed: UInt64) async throws {
    let store = MemoryLogStore()
    var numbers = SeededNumbers(seed)
    let rule = [
      KeyValueConflictRule.reject, .lastWriterWins,
      .custom { conflict in
        let names: [String: KeyValueConflictRule.Resolution] = ["name": .theirs, "cards": .mine]
        return names[conflict.key ?? ""] ?? .reject
      },
      .custom { _ in .theirs },
    ][numbers.number(4)]
    let authors = numbers.number(3) == 0 ? ["a", "b", "c"] : ["a", "b"]
    var players: [Player] = []
    for author in authors {
      let replica = try await openBoard(store, author) { $0.conflictRule = rule }
      players.append(Player(replica, author, SeededNumbers(numbers.next())))
    }
    let first = players[0].replica
    first.root.performChanges { board in
      board.lanes = [Lane(), Lane(), Lane()]
      board.lanes[0].cards = [Card("p"), Card("q"), Card("r")]
    }
    try await first.flush()
    for player in players { try await player.replica.reaches(first.revision) }
    let observations = seed % 3 > 0 ? [] : players.map { $0.answer() }
    defer { for observation in observations { observation.invalidate() } }
    var story = ["rule \(rule)\(observations.isEmpty ? "" : ", answered")"]
    for _ in 0..<2 + numbers.number(8) {
      for index in players.indices {
        for _ in 0..<numbers.number(4) {
          story.append(try players[index].play())
          if let twice = players[index].replica.root.twice {
            Issue.record("seed \(seed): \(twice) is there twice.\n\(story.joined(separator: "\n"))")
            return
          }
        }
      }
      // One is ahead, and the others go on with what they haven't sent.
      let ahead = numbers.number(players.count)
      if numbers.number(3) > 0 {
        try await alone(players[ahead].replica, authors, authors[ahead], store)
        story.append("\(authors[ahead]) sends: \(players[ahead].replica.root.texts)")
      }
      for player in players {
        if let twice = player.replica.root.twice {
          Issue.record("seed \(seed): \(twice) is there twice.\n\(story.joined(separator: "\n"))")
          return
        }
      }
    }
    for _ in 0..<2 { for player in players { try? await player.replica.flush() } }
    let head = try #require(try await store.document("board")).position.revision
    for player in players { try await player.replica.reaches(head) }
    let expected = try players[0].replica.snapshot()
    for player in players {
      let actual = try player.replica.snapshot()
      #expect(
        actual == expected && player.replica.root.twice == nil,
        "seed \(seed): \(player.author) \(player.replica.root.texts)\n\(story.joined(separator: "\n"))"
      )
    }
  }

  /// Sends what a replica has while the others' wait.
  private func alone(
    _ replica: KeyValueReplica<Board>, _ authors: [String], _ author: String,
    _ store: MemoryLogStore
  ) async throws {
    var others = authors.filter { $0 != author }
    func hold() async throws {
      guard let other = others.popLast() else {
        try? await replica.flush()
        return
      }
      try await store.holding(other) { try await hold() }
    }
    try await hold()
  }
}

/// A replica, and what it has taken out.
@MainActor
private struct Player {
  let replica: KeyValueReplica<Board>
  let author: String
  private var numbers: SeededNumbers
  private var taken: [Card] = []
  private var made = 0

  init(_ replica: KeyValueReplica<Board>, _ author: String, _ numbers: SeededNumbers) {
    (self.replica, self.author, self.numbers) = (replica, author, numbers)
  }

  /// Answers each own change of the lanes' cards by another change.
  func answer() -> KeyValueObservation {
    replica.root.kvo.lanes[each: \.cards].observe(options: []) { [author] board, change in
      if change.origin == .local { board.name = "\(author): \(board.texts.joined().count)" }
    }
  }

  private mutating func number(_ limit: Int) -> Int { numbers.number(limit) }

  /// Does something.
  ///
  /// - Returns: What, and what the lanes are afterwards.
  mutating func play() throws -> String {
    let step = try step()
    return "\(author) \(step): \(replica.root.texts)"
  }

  private mutating func step() throws -> String {
    let board = replica.root
    made += 1
    let name = "\(author)\(made)"
    if board.lanes.isEmpty {
      board.lanes = [Lane(), Lane()]
      return "makes lanes"
    }
    let full = board.lanes.indices.filter { !board.lanes[$0].cards.isEmpty }
    let to = number(board.lanes.count)
    switch number(17) {
    case 0, 1:
      _ = try replica.undo()
      return "undoes"
    case 2:
      _ = try replica.redo()
      return "redoes"
    case 3, 4:
      // Not where the program has it somewhere already.
      taken.removeAll { card in
        (board.lanes + board.archive).contains { $0.cards.contains { $0 === card } }
      }
      guard let card = taken.popLast() else { break }
      board.lanes[to].cards.insert(card, at: number(board.lanes[to].cards.count + 1))
      return "puts \(card.name) back into \(to)"
    case 5:
      board.lanes[to].cards.append(Card(name))
      return "makes \(name) in \(to)"
    case 7 where board.lanes.count > 3:
      board.performChanges { $0.archive.append($0.lanes.removeLast()) }
      return "archives lane \(board.lanes.count)"
    case 8 where board.lanes.count > 3:
      board.performChanges { board in
        let cards = board.lanes.removeLast().cards
        board.lanes[0].cards += cards
      }
      return "dissolves lane \(board.lanes.count)"
    case 9 where !board.archive.isEmpty:
      board.performChanges { $0.lanes.append($0.archive.removeFirst()) }
      return "takes a lane out of the archive"
    case 6 where board.lanes.count > 3:
      let lane = board.lanes.removeLast()
      taken += lane.cards
      return "removes lane \(board.lanes.count)"
    default: break
    }
    guard let from = full.isEmpty ? nil : full[number(full.count)] else {
      board.name = name
      return "names the board"
    }
    let lane = board.lanes[from]
    let index = number(lane.cards.count)
    let card = lane.cards[index]
    switch number(12) {
    case 0, 1:
      taken.append(lane.cards.remove(at: index))
      return "removes \(card.name) of \(from)"
    case 2:
      // In two transactions.
      lane.cards.remove(at: index)
      board.lanes[to].cards.append(card)
      return "moves \(card.name) from \(from) to \(to) in two"
    case 3:
      board.performChanges { board in
        board.lanes[to].cards.append(card)
        lane.cards.remove(at: index)
      }
      return "moves \(card.name) from \(from) behind \(to)"
    case 4, 5, 6:
      board.move(index, from: from, to: to)
      return "moves \(card.name) from \(from) to \(to)"
    case 7:
      let place = number(lane.cards.count)
      lane.mutableArrayValue(for: \.cards).move(from: index, to: place)
      return "moves \(card.name) in \(from) to index \(place)"
    case 8:
      let fresh = Card(name)
      lane.kvo.cards.mutableArray()[index] = fresh
      taken.append(card)
      return "replaces \(card.name) of \(from) by \(name)"
    case 9 where board.lanes.count < 5:
      board.performChanges { board in
        let group = Lane()
        group.cards = [lane.cards.remove(at: index)]
        board.lanes.append(group)
      }
      return "puts \(card.name) of \(from) into a new lane"
    case 10:
      lane.cards.reverse()
      return "reverses \(from)"
    default:
      card.name = name
      return "changes a card to \(name)"
    }
  }
}

extension Board {
  /// A card that is there twice.
  fileprivate var twice: String? {
    var seen: Set<ObjectIdentifier> = []
    let all = lanes + archive
    if all.contains(where: { !seen.insert(ObjectIdentifier($0)).inserted }) { return "a lane" }
    return all.flatMap(\.cards).first { !seen.insert(ObjectIdentifier($0)).inserted }?.name
  }
}
