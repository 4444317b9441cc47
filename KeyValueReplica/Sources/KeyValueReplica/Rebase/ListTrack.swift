@_spi(Replication) import KeyValueCore

/// An ordered collection that two sides have edited, element by element.
///
/// Each element has a number that stays with it wherever it moves. `ours` has the elements as this side's edits
/// leave them, one edit after another; `merged` has them as both sides' edits leave them. So an edit of ours,
/// whose indexes mean `ours`, is translated into one whose indexes mean `merged`.
struct ListTrack {
  private var values: [KeyValueLogValue]
  private var ours: [Int]
  private var merged: [Int]
  /// Whether an element occurs once.
  private let isDistinct: Bool
  /// The objects that the other side has put in, and where an element occurs once, all of them.
  private var enteredByThem: Set<KeyValueLogValue> = []
  /// Elements of this side that aren't in what is merged, and don't come back: the other side's are there in their
  /// stead, or the record that put them in was rejected.
  private var covered: Set<Int> = []
  /// What the other side has taken out and not put in again.
  private var removedByThem: Set<Int> = []
  /// What has been taken out by the record that is being looked at; it may be put in elsewhere.
  private var loose: [KeyValueLogValue: [Int]] = [:]
  /// The elements that this side's record has written with other Unicode scalars, as they were before.
  private var rewritten: [Int: KeyValueLogValue] = [:]
  /// What the edit that is being made doesn't put in.
  private var keptOut: Set<KeyValueLogValue> = []
  /// The elements that a record of this side has put in that was rejected.
  private var rejected: [Int: KeyValueRecordID] = [:]
  private var mergedBefore: [Int] = []
  private var countBefore = 0
  /// What the other side had done before the record that is being looked at set what is merged.
  private var setAside: (entered: Set<KeyValueLogValue>, covered: Set<Int>, removed: Set<Int>)?

  /// - Parameters:
  ///   - base: The elements before either side's edits.
  ///   - isDistinct: Whether an element occurs once.
  init(base: [KeyValueLogValue], isDistinct: Bool = false) {
    self.isDistinct = isDistinct
    values = base
    ours = Array(base.indices)
    merged = ours
  }

  /// - Parameters:
  ///   - base: The elements before either side's edits.
  ///   - theirs: The elements as the other side has left them.
  ///   - isDistinct: Whether an element occurs once.
  init(
    base: [KeyValueLogValue], changedTo theirs: [KeyValueLogValue], isDistinct: Bool = false
  ) {
    self.init(base: base, isDistinct: isDistinct)
    let (removed, inserted) = SnapshotDifference.difference(base, theirs)
    leave(removed.indexes)
    enter(inserted.indexes, inserted.elements)
    beginOurs()
    begin()
  }

  var mergedValues: [KeyValueLogValue] { merged.map { values[$0] } }
  var ourValues: [KeyValueLogValue] { ours.map { values[$0] } }

  // MARK: The other side

  /// Follows an edit of the other side, which edits the base before this side does.
  mutating func follow(_ edit: KeyValueEdit) {
    switch edit {
    case .insert(_, _, let indexes, let elements): enter(indexes, elements)
    case .remove(_, _, let indexes, _): leave(indexes)
    case .replace(_, _, let indexes, _, let new):
      leave(indexes)
      enter(indexes, new)
    case .amend(_, _, let removed, let inserted):
      leave(removed.indexes)
      enter(inserted.indexes, inserted.elements)
    default: break
    }
  }

  private mutating func leave(_ indexes: RangeSet<Int>) {
    for index in indexes.ranges.joined() {
      loose[values[merged[index]], default: []].append(merged[index])
      removedByThem.insert(merged[index])
    }
    merged.removeSubranges(indexes)
  }

  private mutating func enter(_ indexes: RangeSet<Int>, _ elements: [KeyValueLogValue]) {
    for (index, element) in zip(indexes.ranges.joined(), elements) {
      let (number, isNew) = take(element)
      removedByThem.remove(number)
      if isNew, element.isReference || isDistinct { enteredByThem.insert(element) }
      merged.insert(number, at: index)
    }
  }

  /// Ends the other side's edits.
  mutating func beginOurs() { loose = [:] }

  /// The number of an element that enters: its own, if it left in the same record.
  private mutating func take(_ element: KeyValueLogValue) -> (number: Int, isNew: Bool) {
    if var numbers = loose[element], let number = numbers.popLast() {
      loose[element] = numbers
      if !values[number].isIdentical(to: element) {
        rewritten[number] = rewritten[number] ?? values[number]
        values[number] = element
      }
      return (number, false)
    }
    values.append(element)
    return (values.count - 1, true)
  }

  // MARK: This side

  /// Begins a record of this side.
  mutating func begin() {
    (loose, rewritten) = ([:], [:])
    (mergedBefore, countBefore) = (merged, values.count)
    setAside = nil
  }

  /// Takes the record that was begun out of what is merged; this side's elements stay where the record left them,
  /// with their earlier scalars.
  ///
  /// - Parameter record: The record's id.
  mutating func reject(_ record: KeyValueRecordID) {
    merged = mergedBefore
    if let setAside {
      enteredByThem = setAside.entered
      covered = setAside.covered
      removedByThem = setAside.removed
    }
    for (number, value) in rewritten { values[number] = value }
    for number in countBefore..<values.count { rejected[number] = record }
  }

  /// Sets what is merged to what a rule has answered, in the record that was begun.
  ///
  /// This side's elements stay, and edits of them find them in the answer.
  mutating func setMerged(to answer: [KeyValueLogValue]) {
    if setAside == nil {
      setAside = (entered: enteredByThem, covered: covered, removed: removedByThem)
    }
    (enteredByThem, covered, removedByThem) = ([], [], [])
    (merged, loose) = (ours, [:])
    let (removed, inserted) = SnapshotDifference.difference(ourValues, answer)
    leave(removed.indexes)
    enter(inserted.indexes, inserted.elements)
    loose = [:]
  }

  /// An edit of this side, made on what is merged.
  enum Translation {
    case edit(KeyValueEdit)
    /// The other side did so already.
    case nothing
    /// Both sides have replaced an element, or what this side has isn't known; or a record of this side has put the
    /// element in that was rejected.
    case conflict(builtOn: KeyValueRecordID?)
  }

  /// Makes an edit of this side again on what is merged.
  ///
  /// - Parameters:
  ///   - edit: The edit.
  ///   - keptOut: The elements that the other side has put elsewhere, and that this edit therefore doesn't put in.
  /// - Returns: What the edit is on what is merged.
  mutating func redo(
    _ edit: KeyValueEdit, keepingOut keptOut: Set<KeyValueLogValue> = []
  ) -> Translation {
    guard fits(edit) else { return .conflict(builtOn: nil) }
    self.keptOut = keptOut
    switch edit {
    case .insert(let id, let key, let indexes, let elements):
      let inserted = insert(indexes, elements)
      if inserted.elements.isEmpty { return .nothing }
      return .edit(.insert(id, key: key, indexes: inserted.indexes, elements: inserted.elements))
    case .remove(let id, let key, let indexes, _):
      let removed = remove(indexes)
      if removed.elements.isEmpty { return .nothing }
      return .edit(.remove(id, key: key, indexes: removed.indexes, elements: removed.elements))
    case .replace(let id, let key, let indexes, _, let new):
      return replace(id, key, indexes, new)
    case .amend(let id, let key, let removed, let inserted):
      let left = remove(removed.indexes)
      let entered = insert(inserted.indexes, inserted.elements)
      if left.elements.isEmpty, entered.elements.isEmpty { return .nothing }
      return .edit(.amend(id, key: key, removed: left, inserted: entered))
    default: return .nothing
    }
  }

  /// Whether this side has what the edit is about.
  private func fits(_ edit: KeyValueEdit) -> Bool {
    func isWithin(_ indexes: RangeSet<Int>, _ count: Int) -> Bool {
      indexes.ranges.last.map { $0.upperBound <= count } ?? true
    }
    switch edit {
    case .insert(_, _, let indexes, let elements):
      return isWithin(indexes, ours.count + elements.count)
    case .remove(_, _, let indexes, _), .replace(_, _, let indexes, _, _):
      return isWithin(indexes, ours.count)
    case .amend(_, _, let removed, let inserted):
      return isWithin(removed.indexes, ours.count)
        && isWithin(
          inserted.indexes, ours.count - removed.elements.count + inserted.elements.count)
    default: return true
    }
  }

  private mutating func remove(_ indexes: RangeSet<Int>) -> KeyValueEdit.Elements {
    let numbers = indexes.ranges.joined().map { ours[$0] }
    for number in numbers { loose[values[number], default: []].append(number) }
    ours.removeSubranges(indexes)
    let leaving = Set(numbers)
    let places = merged.indices.filter { leaving.contains(merged[$0]) }
    // What isn't there doesn't come back where this side puts it in again.
    covered.formUnion(leaving.subtracting(places.map { merged[$0] }))
    let removed = KeyValueEdit.Elements(
      indexes: RangeSet(places, within: merged), elements: places.map { values[merged[$0]] })
    merged.removeSubranges(removed.indexes)
    return removed
  }

  private mutating func insert(
    _ indexes: RangeSet<Int>, _ elements: [KeyValueLogValue]
  ) -> KeyValueEdit.Elements {
    var entered: Set<Int> = []
    // Where they are, as long as each is behind those before it, as is usual.
    var places: [Int]? = []
    for (index, element) in zip(indexes.ranges.joined(), elements) {
      let (number, isNew) = take(element)
      ours.insert(number, at: index)
      // An object that the other side has put in is there; an element that it has taken out stays out.
      if isNew, isElsewhere(element) || isThere(element) { covered.insert(number) }
      if covered.contains(number) || removedByThem.contains(number) { continue }
      let target = place(after: index)
      merged.insert(number, at: target)
      entered.insert(number)
      if let last = places?.last, target <= last { places = nil }
      places?.append(target)
    }
    let found = places ?? merged.indices.filter { entered.contains(merged[$0]) }
    return KeyValueEdit.Elements(
      indexes: RangeSet(found, within: merged), elements: found.map { values[merged[$0]] })
  }

  /// Whether an element that this side puts in is there already, or stays where the other side has put it.
  private func isElsewhere(_ element: KeyValueLogValue) -> Bool {
    enteredByThem.contains(element) || keptOut.contains(element)
  }

  /// Whether an element that occurs once is in what is merged; one is whose removal was rejected.
  private func isThere(_ element: KeyValueLogValue) -> Bool {
    isDistinct && merged.contains { values[$0] == element }
  }

  /// Takes an element out that the other side has put in, as an edit of this side.
  ///
  /// - Returns: Its index; nil if there's none.
  mutating func takeOut(_ element: KeyValueLogValue) -> Int? {
    let mine = Set(ours)
    guard
      let index = merged.firstIndex(where: { values[$0] == element && !mine.contains($0) })
    else { return nil }
    merged.remove(at: index)
    return index
  }

  /// Where an element of ours belongs in what is merged: behind the nearest element before it that is there.
  private func place(after index: Int) -> Int {
    for before in ours[..<index].reversed() {
      if let place = merged.firstIndex(of: before) { return place + 1 }
    }
    return 0
  }

  private mutating func replace(
    _ id: KeyValueObjectID, _ key: String, _ indexes: RangeSet<Int>, _ new: [KeyValueLogValue]
  ) -> Translation {
    let before = mergedValues
    var replaced: [(place: Int, old: KeyValueLogValue, new: KeyValueLogValue)] = []
    var missing: [Int] = []
    var isCovered = false
    for (index, element) in zip(indexes.ranges.joined(), new) {
      let old = ours[index]
      values.append(element)
      ours[index] = values.count - 1
      if isElsewhere(element) {
        // The other side's is there, so the old one only leaves.
        covered.insert(values.count - 1)
        isCovered = true
        merged.removeAll { $0 == old }
      } else if let place = merged.firstIndex(of: old) {
        replaced.append((place, values[old], element))
        merged[place] = values.count - 1
      } else {
        missing.append(old)
      }
    }
    if !missing.isEmpty {
      // The other side may have taken out some, and then it's its conflict.
      let causes = missing.map { rejected[$0] }
      return .conflict(builtOn: causes.contains(nil) ? .none : causes[0])
    }
    if isCovered {
      let (removed, inserted) = SnapshotDifference.difference(before, mergedValues)
      if removed.elements.isEmpty, inserted.elements.isEmpty { return .nothing }
      return .edit(.amend(id, key: key, removed: removed, inserted: inserted))
    }
    replaced.sort { $0.place < $1.place }
    return .edit(
      .replace(
        id, key: key, indexes: RangeSet(replaced.map(\.place), within: merged),
        old: replaced.map(\.old), new: replaced.map(\.new)))
  }
}

extension KeyValueLogValue {
  fileprivate var isReference: Bool { if case .reference = self { true } else { false } }
}
