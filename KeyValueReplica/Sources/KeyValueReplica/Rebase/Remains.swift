@_spi(Replication) import KeyValueCore

/// Objects that own transactions have taken out of a list or a set, and that are in the graph all the same.
///
/// What a later transaction does with such an object is done on the assumption that it left: putting it in again
/// would have it there twice.
struct Remains {
  /// Why an object didn't leave.
  enum Cause {
    /// Another writer had put it elsewhere. It may be in these places, besides those where the other writer's record
    /// has put it.
    case theirs(Set<Place>)
    /// The own transaction that took it out was rejected.
    case rejected(KeyValueRecordID)
  }

  /// For each departure that no arrival has followed.
  private var departures: [KeyValueObjectID: [Cause]] = [:]
  /// Where own transactions would have put objects, and why they aren't there.
  private var withheld: [KeyValueObjectID: [Place: Cause]] = [:]
  /// The objects that the other writer has made.
  private let made: Set<KeyValueObjectID>

  init(_ remote: KeyValueTransactionRecord) {
    made = Set(remote.edits.compactMap { if case .create(let id, _, _) = $0 { id } else { nil } })
  }

  /// The same where what was rejected never was: for what follows the difference that a merge makes.
  var withoutRejected: Remains {
    var result = self
    result.withheld = withheld.mapValues { $0.filter { !$0.value.isRejected } }
    result.departures = departures.mapValues { $0.map { $0.isRejected ? .theirs([]) : $0 } }
    return result
  }

  func mentions(_ id: KeyValueObjectID) -> Bool {
    departures[id] != nil || withheld[id] != nil || made.contains(id)
  }

  /// An own transaction takes an object out of a place where it isn't.
  mutating func leave(_ id: KeyValueObjectID, from place: Place, count: Int) {
    let cause = withheld[id]?[place] ?? .theirs([place])
    departures[id, default: []] += Array(repeating: cause, count: count)
  }

  /// An own transaction puts an object in.
  ///
  /// - Returns: Why it's there already; nil if the object left, or never was there.
  mutating func arrive(_ id: KeyValueObjectID) -> Cause? {
    guard let cause = departures[id]?.popLast() else { return nil }
    if departures[id] == [] { departures[id] = nil }
    return cause
  }

  /// An own transaction doesn't put an object in, because another writer has put it elsewhere.
  mutating func withhold(_ id: KeyValueObjectID, from place: Place, isIn others: Set<Place>) {
    withheld[id, default: [:]][place] = .theirs(others)
  }

  /// An own transaction makes an object.
  ///
  /// - Parameters:
  ///   - id: The object.
  ///   - isThere: Whether the object is in the graph.
  ///   - arrivals: How often the transaction puts it in.
  mutating func make(_ id: KeyValueObjectID, isThere: Bool, arrivals: Int) {
    if !isThere {
      (departures[id], withheld[id]) = (nil, nil)
    } else if made.contains(id) {
      // Both have brought it back.
      let count = arrivals - (departures[id]?.count ?? 0)
      if count > 0 { departures[id, default: []] += Array(repeating: .theirs([]), count: count) }
    }
  }

  /// An own transaction is rejected.
  mutating func reject(_ record: KeyValueRecordID, _ whereabouts: Whereabouts) {
    for id in whereabouts.objects {
      for (_, count) in whereabouts.departures(of: id) {
        departures[id, default: []] += Array(repeating: .rejected(record), count: count)
      }
      for (place, count) in whereabouts.arrivals(of: id) {
        withheld[id, default: [:]][place] = .rejected(record)
        for _ in 0..<count { _ = arrive(id) }
      }
    }
  }
}

extension Remains.Cause: Equatable {
  fileprivate var isRejected: Bool { if case .rejected = self { true } else { false } }
}
