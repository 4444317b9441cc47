// What a record says of two values of an ordered collection.
extension LoggedKey {
  /// What differs between two values; nil if their elements can't be compared.
  ///
  /// Elements that are equal differ, too, if a record has other values of them: their own equality may leave some out,
  /// and another object isn't the same object.
  ///
  /// - Complexity: As `elementChanges`. What is equal and has other bits is encoded.
  func difference(
    from old: any CapturedValue, to new: any CapturedValue, _ ids: any LogIdentities
  ) throws -> (removed: KeyValueEdit.Elements, inserted: KeyValueEdit.Elements)? {
    var (removed, inserted) = (RangeSet<Int>(), RangeSet<Int>())
    var isComparable = false
    var others: [(old: Int, new: Int)] = []
    old.withAddress { old in
      new.withAddress { new in
        guard let changes = property.elementChanges(from: old, to: new) else { return }
        isComparable = true
        for change in changes {
          guard let ranges = change.ranges?.set else { continue }
          if change.oldValue != nil { removed = ranges }
          if change.newValue != nil { inserted = ranges }
        }
        if equalityMayLeaveOut {
          others = placesOfOtherBits(old, new, besides: removed, inserted)
        }
      }
    }
    guard isComparable else { return nil }
    if !others.isEmpty {
      let left = try elements(of: old, at: places(others.map(\.old)), ids)
      let entered = try elements(of: new, at: places(others.map(\.new)), ids)
      for (index, place) in others.enumerated()
      where left.elements[index] != entered.elements[index] {
        removed.insert(contentsOf: place.old..<place.old + 1)
        inserted.insert(contentsOf: place.new..<place.new + 1)
      }
    }
    return (try elements(of: old, at: removed, ids), try elements(of: new, at: inserted, ids))
  }

  private func places(_ indexes: [Int]) -> RangeSet<Int> {
    var places = RangeSet<Int>()
    for index in indexes { places.insert(contentsOf: index..<index + 1) }
    return places
  }

  private func elements(
    of box: any CapturedValue, at places: RangeSet<Int>, _ ids: any LogIdentities
  ) throws -> KeyValueEdit.Elements {
    guard !places.isEmpty,
      case .array(let elements) = try data(of: box.elements(at: IndexRanges(places)), ids)
    else { return KeyValueEdit.Elements(indexes: RangeSet(), elements: []) }
    return KeyValueEdit.Elements(indexes: places, elements: elements)
  }

  /// Where elements of two collections have other bits, of those that stay.
  private func placesOfOtherBits(
    _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, besides removed: RangeSet<Int>,
    _ inserted: RangeSet<Int>
  ) -> [(old: Int, new: Int)] {
    func compare<Many: OrderedToMany>(_ old: Many) -> [(old: Int, new: Int)] {
      guard let new = property.anyValue(at: new) as? Many else { return [] }
      let stays = RangeSet(0..<old.anyCount).subtracting(removed).ranges.joined()
      let stayed = RangeSet(0..<new.anyCount).subtracting(inserted).ranges.joined()
      return zip(stays, stayed).compactMap {
        old.hasSameBits(at: $0, as: new, at: $1) ? nil : ($0, $1)
      }
    }
    guard let old = property.anyValue(at: old) as? any OrderedToMany else { return [] }
    return compare(old)
  }
}
