import CGtk4
import KeyValueObserving

/// At how many places a change is told place by place.
///
/// For each, the list's elements move, and GTK's models look at theirs.
private let mostPlaces = 32

/// A list model that follows an array.
///
/// Whatever a change says, the list is compared with the array as it is now: an observer that comes first may
/// have changed the array again, and its change is then delivered before the one that caused it. The change's
/// indexes are used if they lead to the array.
final class ArrayContent<Element: KeyValueObservable>: ListContent {
  /// What GTK knows.
  private var elements: [Element] = []
  /// The array, if it changed while GTK was being told of a change.
  private var next: [Element]?
  private var isTelling = false
  private let watch: RowWatch<Element>?
  private var observation: KeyValueObservation?
  private let elementType = MirrorClass.of(Element.self).type

  init(_ keys: [RowKey<Element>]) {
    watch = keys.isEmpty ? nil : RowWatch(keys)
    super.init()
    watch?.changed = { [unowned self] in rearrange($0) }
  }

  /// Keeps the observation that calls ``follow(_:_:)``.
  func begin(_ observation: KeyValueObservation) {
    self.observation = observation
  }

  override var itemType: GType { elementType }
  override var count: Int { elements.count }

  override func item(_ index: Int) -> UnsafeMutablePointer<GObject>? {
    guard elements.indices.contains(index) else { return nil }
    return Mirror.retained(of: elements[index], isRow: true)
  }

  override func finalized() {
    observation = nil
    watch?.end()
  }

  // MARK: Following the array

  /// The elements that GTK knows, or will know next.
  var latest: [Element] { next ?? elements }

  /// Follows a change, whose kind and indexes are given if it has indexes.
  func follow(_ array: [Element], _ edit: (KeyValueChangeKind, RangeSet<Int>)? = nil) {
    guard !isTelling else {
      next = array
      return
    }
    tell {
      if let (kind, indexes) = edit, (2...mostPlaces).contains(indexes.ranges.count),
        follow(array, kind, indexes.ranges.map { $0 })
      {
        return
      }
      replace(with: array)
    }
  }

  /// Runs what tells GTK of changes, then follows those that were made meanwhile.
  private func tell(_ body: () -> Void) {
    // GTK's handlers may let the list model go.
    g_object_ref(instance)
    isTelling = true
    body()
    while let array = next {
      next = nil
      replace(with: array)
    }
    isTelling = false
    watch?.takeChanged().forEach(rearrange)
    g_object_unref(instance)
  }

  /// Tells of one change, from the first element that differs to the last one.
  private func replace(with array: [Element]) {
    let (old, new) = elements.withIdentities { old in
      array.withIdentities { old.differingRanges(from: $0) }
    }
    guard !old.isEmpty || !new.isEmpty else { return }
    apply(old, array[new])
  }

  /// Tells of several changes, if the indexes lead from the list to the array.
  private func follow(
    _ array: [Element], _ kind: KeyValueChangeKind, _ ranges: [Range<Int>]
  ) -> Bool {
    guard leads(to: array, kind, ranges) else { return false }
    // GTK may look at the list during each change, so it's in step with each.
    for range in kind == .removal ? ranges.reversed() : ranges {
      let old = kind == .insertion ? range.lowerBound..<range.lowerBound : range
      apply(old, kind == .removal ? [] : array[range])
    }
    return true
  }

  /// Whether a change of a kind in these ranges leads from the list to the array: the elements outside of them
  /// are the same.
  private func leads(
    to array: [Element], _ kind: KeyValueChangeKind, _ ranges: [Range<Int>]
  ) -> Bool {
    elements.withIdentities { old in
      array.withIdentities { new in
        var (start, newStart) = (0, 0)
        for range in ranges {
          let kept = range.lowerBound - (kind == .insertion ? newStart : start)
          let (end, newEnd) = (start + kept, newStart + kept)
          guard end <= old.count, newEnd <= new.count,
            old[start..<end].elementsEqual(new[newStart..<newEnd])
          else { return false }
          start = end + (kind == .insertion ? 0 : range.count)
          newStart = newEnd + (kind == .removal ? 0 : range.count)
        }
        guard start <= old.count, newStart <= new.count else { return false }
        return old[start...].elementsEqual(new[newStart...])
      }
    }
  }

  private func apply(_ old: Range<Int>, _ new: ArraySlice<Element>) {
    // Kept until GTK knows: the elements' last references may be here. A slice would have the array copied.
    let removed = Array(elements[old])
    elements.replaceSubrange(old, with: new)
    watch?.add(new, at: old.lowerBound)
    watch?.remove(removed)
    g_list_model_items_changed(
      OpaquePointer(instance), guint(old.lowerBound), guint(old.count), guint(new.count))
    withExtendedLifetime(removed) {}
  }

  // MARK: Rows that change

  /// Has GTK's models sort and filter a row anew.
  private func rearrange(_ element: Element) {
    guard !isTelling else {
      watch?.keepChanged(element)
      return
    }
    guard let places = watch?.places(of: element, in: elements), !places.isEmpty else { return }
    tell {
      for place in places where next == nil {
        g_list_model_items_changed(OpaquePointer(instance), guint(place), 1, 1)
      }
    }
  }
}

extension RandomAccessCollection where Element: Equatable, Index == Int {
  /// The ranges in which two collections that begin at 0 differ: what is between the elements that they have in
  /// common at both ends.
  ///
  /// - Complexity: O(*n*), a comparison of each element.
  func differingRanges(from other: Self) -> (old: Range<Int>, new: Range<Int>) {
    var start = 0
    let shorter = Swift.min(count, other.count)
    while start < shorter, self[start] == other[start] { start += 1 }
    var end = 0
    while end < shorter - start, self[count - 1 - end] == other[other.count - 1 - end] { end += 1 }
    return (start..<(count - end), start..<(other.count - end))
  }
}

extension Array where Element: AnyObject {
  /// Lends the elements' identities, without retaining each element.
  func withIdentities<Result>(
    _ body: (UnsafeBufferPointer<ObjectIdentifier>) -> Result
  ) -> Result {
    withUnsafeBufferPointer { elements in
      // A reference of a class has the bits of its object's identity.
      elements.withMemoryRebound(to: ObjectIdentifier.self, body)
    }
  }
}
