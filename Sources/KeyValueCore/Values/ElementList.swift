/// The elements behind a fan-out in the collection's order, as identities.
///
/// A change that doesn't name its elements is found by comparing the collection with this list: one pass over
/// pointers, without hashing or retaining an element. Only what differs is looked up.
struct ElementList {
  private var identities: [ObjectIdentifier]
  /// Elements that have died since the last update, and how often each is in the list; a new object may
  /// already have the same address.
  private var dead: [(element: ObjectIdentifier, count: Int)] = []

  init(_ identities: [ObjectIdentifier]) {
    self.identities = identities
  }

  /// Records that an element has died; the next update removes it.
  mutating func noteDeath(of element: ObjectIdentifier, count: Int) {
    dead.append((element, count))
  }

  private mutating func removeDead() {
    if dead.isEmpty { return }
    if dead.count == 1, dead[0].count == 1 {
      if let index = identities.lastIndex(of: dead[0].element) { identities.remove(at: index) }
    } else {
      let dead = Set(dead.map(\.element))
      identities.removeAll { dead.contains($0) }
    }
    dead.removeAll()
  }

  /// Where each of these elements is first.
  ///
  /// - Complexity: O(*n*).
  mutating func places(of elements: [ObjectIdentifier]) -> [ObjectIdentifier: Int] {
    removeDead()
    let wanted = Set(elements)
    var places: [ObjectIdentifier: Int] = [:]
    for (place, element) in identities.enumerated() where wanted.contains(element) {
      if places[element] == nil { places[element] = place }
      if places.count == wanted.count { break }
    }
    return places
  }

  // MARK: Comparing

  /// What distinguishes a collection's elements from the list.
  ///
  /// - Complexity: O(*n*) comparisons of pointers.
  mutating func difference(
    to elements: UnsafeBufferPointer<ObjectIdentifier>
  ) -> ElementDifference {
    removeDead()
    return identities.withUnsafeBufferPointer { ElementDifference(from: $0, to: elements) }
  }

  /// Takes over the part of the compared collection that differs.
  mutating func update(_ difference: ElementDifference) {
    identities.replaceSubrange(difference.range, with: difference.replacement)
  }

  // MARK: Announced changes

  /// Takes over an announced change of a collection that has only these elements; false if it doesn't fit, and the
  /// list is useless then.
  ///
  /// - Complexity: O(*n*), however many ranges there are; O(*k*) for *k* elements that enter or leave at the end.
  mutating func update(
    at indexes: (left: IndexRanges, entered: IndexRanges),
    _ elements: (left: [ObjectIdentifier], entered: [ObjectIdentifier])
  ) -> Bool {
    removeDead()
    guard indexes.entered.count == elements.entered.count,
      indexes.left.isWithin(identities.count),
      indexes.entered.isWithin(identities.count - elements.left.count + elements.entered.count),
      indexes.left.ranges.flatMap({ identities[$0] }) == elements.left
    else { return false }
    if !indexes.left.isEmpty { identities.removeElements(at: indexes.left) }
    if let range = indexes.entered.sole {
      identities.insert(contentsOf: elements.entered, at: range.lowerBound)
    } else if !indexes.entered.isEmpty {
      identities.insertElements(elements.entered, at: indexes.entered)
    }
    return true
  }

  #if KVO_INVARIANTS
    /// Traps if the list doesn't have so many different elements, each as often as it's counted.
    func checkInvariants(_ elementCount: Int, _ count: (ObjectIdentifier) -> Int?) {
      // With a large collection every change would cost O(n).
      guard identities.count < 64 else { return }
      var counts: [ObjectIdentifier: Int] = [:]
      for element in identities where !dead.contains(where: { $0.element == element }) {
        counts[element, default: 0] += 1
      }
      precondition(
        counts.count == elementCount && counts.allSatisfy { count($0.key) == $0.value },
        "the list differs from the elements that are counted")
    }
  #endif
}

/// What distinguishes a collection from the list of its earlier elements.
struct ElementDifference {
  /// The part of the list outside of which nothing differs, and what the collection has in its place.
  let range: Range<Int>
  let replacement: [ObjectIdentifier]
  /// Elements of the list that have left, and elements of the collection that have entered; an element that
  /// only moved may be in both.
  private(set) var left: [ObjectIdentifier] = []
  private(set) var entered: [ObjectIdentifier] = []

  /// The difference to an empty list.
  init(entered: [ObjectIdentifier]) {
    (range, replacement) = (0..<0, entered)
    self.entered = entered
  }

  init(
    from old: UnsafeBufferPointer<ObjectIdentifier>, to new: UnsafeBufferPointer<ObjectIdentifier>
  ) {
    let prefix = commonPrefix(old, new)
    let suffix = commonSuffix(old, new, atMost: min(old.count, new.count) - prefix)
    range = prefix..<old.count - suffix
    replacement = Array(new[prefix..<new.count - suffix])
    replacement.withUnsafeBufferPointer {
      compare(UnsafeBufferPointer(rebasing: old[range]), $0)
    }
  }

  /// Collects the elements at which the two parts differ.
  ///
  /// Elements that one part has in addition, that were replaced or that changed places are skipped as they
  /// are met, so that the parts behind them are compared side by side. Any way through the parts is right;
  /// a better one collects fewer elements.
  private mutating func compare(
    _ old: UnsafeBufferPointer<ObjectIdentifier>, _ new: UnsafeBufferPointer<ObjectIdentifier>
  ) {
    var (i, j) = (0, 0)
    while true {
      let same = commonPrefix(
        UnsafeBufferPointer(rebasing: old[i...]), UnsafeBufferPointer(rebasing: new[j...]))
      (i, j) = (i + same, j + same)
      guard i < old.count, j < new.count else { break }
      let (hasNextOld, hasNextNew) = (i + 1 < old.count, j + 1 < new.count)
      let isReplaced = hasNextOld && hasNextNew && old[i + 1] == new[j + 1]
      let balance = (old.count - i) - (new.count - j)
      if !isReplaced, hasNextOld && old[i + 1] == new[j] || balance > 0 {
        left.append(old[i])
        i += 1
      } else if !isReplaced, hasNextNew && new[j + 1] == old[i] || balance < 0 {
        entered.append(new[j])
        j += 1
      } else {
        left.append(old[i])
        entered.append(new[j])
        (i, j) = (i + 1, j + 1)
      }
    }
    left += old[i...]
    entered += new[j...]
  }
}
