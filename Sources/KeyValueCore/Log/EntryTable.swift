/// A log's entries, by a key that each has: its object or its id.
///
/// A place takes 8 bytes, because the entry has the key; in a dictionary, keys lie beside the entries.
/// An entry is in the place that its key's hash says, or in one of those that follow it without a gap.
///
/// The table grows when three quarters of its places are taken, and shrinks when fewer than an eighth are.
///
/// The table retains each entry once on insertion, and releases it on removal or in its `deinit`. Exclusivity is
/// unchecked, because a log is used in one place.
final class EntryTable<Key: EntryKey> {
  @exclusivity(unchecked) private(set) var places: ContiguousArray<Unmanaged<LogGraph.Entry>?>
  @exclusivity(unchecked) private(set) var count = 0

  init() {
    places = ContiguousArray(repeating: nil, count: 8)
  }

  deinit {
    for entry in places { entry?.release() }
  }

  var values: some Sequence<LogGraph.Entry> {
    places.lazy.compactMap { $0?.takeUnretainedValue() }
  }

  subscript(key: Key) -> LogGraph.Entry? {
    places[place(of: key)]?.takeUnretainedValue()
  }

  /// Inserts an entry, whose key no other has.
  func insert(_ entry: LogGraph.Entry) {
    if (count + 1) * 4 > places.count * 3 { resize(to: 2 * places.count) }
    place(.passRetained(entry))
    count += 1
  }

  func remove(_ key: Key) {
    var gap = place(of: key)
    guard let removed = places[gap] else { return }
    places[gap] = nil
    count -= 1
    // An entry behind the gap moves into it, unless that's before where its hash says.
    var next = following(gap)
    while let entry = places[next] {
      let start = home(of: entry._withUnsafeGuaranteedRef { Key($0) })
      if distance(from: start, to: next) >= distance(from: gap, to: next) {
        places[gap] = entry
        places[next] = nil
        gap = next
      }
      next = following(next)
    }
    if places.count > 64, count * 8 < places.count { resize(to: places.count / 2) }
    removed.release()
  }

  // MARK: Places

  /// The place of the key's entry, or the free one where the search for it ends.
  private func place(of key: Key) -> Int {
    var index = home(of: key)
    while let entry = places[index], entry._withUnsafeGuaranteedRef({ Key($0) }) != key {
      index = following(index)
    }
    return index
  }

  private func home(of key: Key) -> Int { key.entryHash & (places.count - 1) }
  private func following(_ index: Int) -> Int { (index + 1) & (places.count - 1) }
  private func distance(from first: Int, to last: Int) -> Int {
    (last - first) & (places.count - 1)
  }

  private func resize(to placeCount: Int) {
    let entries = places
    places = ContiguousArray(repeating: nil, count: placeCount)
    for case let entry? in entries { place(entry) }
  }

  /// Puts an entry whose key isn't in the table into a free place.
  private func place(_ entry: Unmanaged<LogGraph.Entry>) {
    var index = home(of: entry._withUnsafeGuaranteedRef { Key($0) })
    while places[index] != nil { index = following(index) }
    places[index] = entry
  }
}

/// What an entry is looked up by.
protocol EntryKey: Equatable {
  init(_ entry: LogGraph.Entry)
  /// The lowest bits say the entry's place.
  var entryHash: Int { get }
}

extension ObjectIdentifier: EntryKey {
  init(_ entry: LogGraph.Entry) { self = entry.identity }

  var entryHash: Int {
    // The multiplication leaves its best bits at the top.
    let factor = 0x9E37_79B9_7F4A_7C15 as UInt64
    return Int(truncatingIfNeeded: UInt64(UInt(bitPattern: self)) &* factor >> 32)
  }
}

extension KeyValueObjectID: EntryKey {
  init(_ entry: LogGraph.Entry) { self = entry.id }
  var entryHash: Int { number.keyedHash }
}
