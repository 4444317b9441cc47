@_spi(Replication) import KeyValueCore

/// What a transaction has to do with, as far as another one may have to do with it, too.
///
/// Two that change different keys of an object have nothing to do with each other, unless one of them makes or
/// deletes the object, or refers to it. Two that refer to an object have, because together they decide whether it
/// stays.
enum Mention: Hashable {
  case place(Place)
  /// An object whose keys are changed.
  case subject(KeyValueObjectID)
  /// An object that a value refers to, before or after.
  case reference(KeyValueObjectID)
  /// An object that is made or deleted.
  case life(KeyValueObjectID)

  /// The mentions in another transaction that this one has to do with.
  func forEachMatch(_ body: (Mention) -> Void) {
    switch self {
    case .place: body(self)
    case .subject(let id):
      body(.reference(id))
      body(.life(id))
    case .reference(let id):
      body(self)
      body(.subject(id))
      body(.life(id))
    case .life(let id):
      body(self)
      body(.subject(id))
      body(.reference(id))
    }
  }
}

extension KeyValueTransactionRecord {
  /// What the record has to do with.
  var mentions: Set<Mention> {
    var mentions: Set<Mention> = []
    for edit in edits {
      if let place = Place(edit) {
        mentions.insert(.place(place))
        mentions.insert(.subject(edit.id))
      } else {
        mentions.insert(.life(edit.id))
      }
      edit.forEachReferencedObject { mentions.insert(.reference($0)) }
    }
    return mentions
  }
}

/// What transactions have to do with, and possibly what earlier ones had.
struct Mentions {
  /// How many transactions were added.
  private(set) var count = 0
  private var all: Set<Mention> = []
  /// Whether one of the transactions may cut off objects together with another writer's record.
  private var releasesInCycle = false

  mutating func add(_ transaction: PendingTransaction, in graph: GraphReader) {
    all.formUnion(transaction.mentions)
    count += 1
    // An object that isn't in the graph now may be in it later, and then count.
    releasesInCycle =
      releasesInCycle
      || transaction.released.contains { graph.mayBeInCycle($0, ifUnknown: true) }
  }

  /// Whether a record may have to do with them.
  func mayTouch(_ record: KeyValueTransactionRecord, in graph: GraphReader) -> Bool {
    if releasesInCycle, !graph.mayBeInCycle(record.released).isEmpty { return true }
    return record.mentions.contains { mention in
      var isFound = false
      mention.forEachMatch { if all.contains($0) { isFound = true } }
      return isFound
    }
  }
}

/// Finds the transactions that have to do with one, directly or through others.
struct MentionIndex {
  private var indexes: [Mention: [Int]] = [:]
  private let transactions: [PendingTransaction]
  private var involved: Set<Int> = []

  init(_ transactions: [PendingTransaction]) {
    self.transactions = transactions
    for (index, transaction) in transactions.enumerated() {
      for mention in transaction.mentions { indexes[mention, default: []].append(index) }
    }
  }

  /// The transactions that have to do with mentions, and those that were found earlier.
  ///
  /// - Complexity: Linear in the number of mentions.
  mutating func involved(in mentions: Set<Mention>) -> [Int] {
    var work = Array(mentions)
    while let mention = work.popLast() {
      mention.forEachMatch { match in
        // Each is looked at once.
        for index in indexes.removeValue(forKey: match) ?? []
        where involved.insert(index).inserted {
          work += transactions[index].mentions
        }
      }
    }
    return involved.sorted()
  }

  /// The transactions that have to do with some of them, those and the ones that were found earlier.
  mutating func involved(also found: [Int]) -> [Int] {
    let mentions = found.filter { involved.insert($0).inserted }.map { transactions[$0].mentions }
    return involved(in: mentions.reduce(into: []) { $0.formUnion($1) })
  }
}
