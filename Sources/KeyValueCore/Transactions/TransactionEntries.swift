/// What the observances of a transaction are told at its end, one entry for each.
///
/// A value, so that a part of a transaction that fails can be taken back.
struct TransactionEntries {
  private var entries: [TransactionEntry] = []
  /// Where the entries are, by the observance's number; filled where looking at each takes longer.
  private var places: [UInt64: Int] = [:]

  private static var searchLimit: Int { 8 }

  /// The entries, in the order of their first changes.
  var all: [TransactionEntry] { entries }

  /// Where the observance's entry is; nil if it has none.
  ///
  /// - Complexity: O(1).
  func place(of observance: Observance) -> Int? {
    if entries.count > Self.searchLimit { return places[observance.number] }
    // Not by the array's subscript, which copies the entry.
    return entries.withUnsafeBufferPointer { entries in
      entries.indices.first { entries[$0].observance === observance }
    }
  }

  /// A copy of an entry, for code that may change the entries.
  subscript(place: Int) -> TransactionEntry { entries[place] }

  /// Reads an entry in place.
  @inline(__always)
  func read<Result>(at place: Int, _ body: (borrowing TransactionEntry) -> Result) -> Result {
    entries.withUnsafeBufferPointer { body($0[place]) }
  }

  /// Changes an entry in place.
  @inline(__always)
  mutating func update<Result>(
    at place: Int, _ body: (inout TransactionEntry) -> Result
  ) -> Result {
    body(&entries[place])
  }

  /// Adds the entry of an observance that has none.
  ///
  /// - Returns: Where it is.
  @discardableResult
  mutating func append(_ entry: TransactionEntry) -> Int {
    entries.append(entry)
    if entries.count == Self.searchLimit + 1 {
      for (place, entry) in entries.enumerated() { places[entry.observance.number] = place }
    } else if entries.count > Self.searchLimit {
      places[entry.observance.number] = entries.count - 1
    }
    return entries.count - 1
  }

  mutating func removeAll() { self = TransactionEntries() }
}
