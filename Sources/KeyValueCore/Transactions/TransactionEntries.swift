/// What a transaction delivers at its end, one entry per observance.
struct TransactionEntries {
  /// An entry, which a failed part of a transaction puts back.
  struct Saved {
    let entry: TransactionEntry
    /// The elements that changed; nil if the observance didn't ask for them.
    let elements: ChangedElements?
  }

  private var entries: [TransactionEntry] = []
  /// The places of the entries by observance number; filled once a linear search takes longer.
  private var places: [UInt64: Int] = [:]

  /// The elements that changed, by the number of the observance that asked for them.
  var elements: [UInt64: ChangedElements] = [:]

  private static var searchLimit: Int { 8 }

  /// The entries, in the order of their first changes.
  var all: [TransactionEntry] { entries }
  var count: Int { entries.count }

  /// The place of the observance's entry; nil if it has none.
  ///
  /// - Complexity: O(1).
  func place(of observance: Observance) -> Int? {
    if entries.count > Self.searchLimit { return places[observance.number] }
    // The array's subscript would copy the entry.
    return entries.withUnsafeBufferPointer { entries in
      entries.indices.first { entries[$0].observance === observance }
    }
  }

  /// A copy of an entry, for code that may change the entries.
  subscript(place: Int) -> TransactionEntry { entries[place] }

  /// Reads an entry in place, which the array's subscript would copy.
  @inline(__always)
  func read<Result>(
    at place: Int, _ body: (UnsafePointer<TransactionEntry>) -> Result
  ) -> Result {
    entries.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped + place) }
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
  /// - Returns: The entry's place.
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

  // MARK: Parts that fail

  func saved(_ place: Int) -> Saved {
    Saved(entry: entries[place], elements: elements[entries[place].observance.number])
  }

  /// Removes the entries from a place on, and puts back what was saved of those before it.
  ///
  /// - Returns: What was removed or replaced, which the caller releases: values that die may make changes.
  mutating func takeBack(to count: Int, _ earlier: [Int: Saved]) -> [Saved] {
    var abandoned: [Saved] = []
    for place in count..<entries.count {
      let number = entries[place].observance.number
      abandoned.append(saved(place))
      places[number] = nil
      elements[number] = nil
    }
    entries.removeSubrange(count...)
    for (place, saved) in earlier {
      abandoned.append(self.saved(place))
      entries[place] = saved.entry
      elements[saved.entry.observance.number] = saved.elements
    }
    return abandoned
  }

  mutating func removeAll() { self = TransactionEntries() }
}
