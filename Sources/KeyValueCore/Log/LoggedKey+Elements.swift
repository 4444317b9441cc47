// What a record says of two values of an ordered collection.
extension LoggedKey {
  /// What differs between two values; nil if their elements can't be compared.
  ///
  /// Elements that are equal differ, too, if a record has other values of them: their own equality may leave some out,
  /// equal strings may have other Unicode scalars, and another object isn't the same object.
  ///
  /// - Complexity: As `elementChanges`. What is equal and has other bits is encoded.
  func difference(
    from old: any CapturedValue, to new: any CapturedValue, _ graph: LogGraph
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
      let left = try elements(of: old, at: places(others.map(\.old)), graph)
      let entered = try elements(of: new, at: places(others.map(\.new)), graph)
      for (index, place) in others.enumerated()
      where !left.elements[index].isIdentical(to: entered.elements[index]) {
        removed.insert(contentsOf: place.old..<place.old + 1)
        inserted.insert(contentsOf: place.new..<place.new + 1)
      }
    }
    return (try elements(of: old, at: removed, graph), try elements(of: new, at: inserted, graph))
  }

  private func places(_ indexes: [Int]) -> RangeSet<Int> {
    var places = RangeSet<Int>()
    for index in indexes { places.insert(contentsOf: index..<index + 1) }
    return places
  }

  private func elements(
    of box: any CapturedValue, at places: RangeSet<Int>, _ graph: LogGraph
  ) throws -> KeyValueEdit.Elements {
    guard !places.isEmpty,
      case .array(let elements) = try data(of: box.elements(at: IndexRanges(places)), graph)
    else { return KeyValueEdit.Elements(indexes: RangeSet(), elements: []) }
    return KeyValueEdit.Elements(indexes: places, elements: elements)
  }

  /// Where elements of two collections have other bits, of those that stay.
  private func placesOfOtherBits(
    _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, besides removed: RangeSet<Int>,
    _ inserted: RangeSet<Int>
  ) -> [(old: Int, new: Int)] {
    func differing(
      _ count: Int, _ newCount: Int, _ haveSameBits: (Int, Int) -> Bool
    ) -> [(old: Int, new: Int)] {
      let stays = RangeSet(0..<count).subtracting(removed).ranges.joined()
      let stayed = RangeSet(0..<newCount).subtracting(inserted).ranges.joined()
      return zip(stays, stayed).compactMap { haveSameBits($0, $1) ? nil : ($0, $1) }
    }
    func compare<Many: OrderedToMany>(_ old: Many) -> [(old: Int, new: Int)] {
      guard let new = property.anyValue(at: new) as? Many else { return [] }
      return differing(old.anyCount, new.anyCount) { old.hasSameBits(at: $0, as: new, at: $1) }
    }
    func layout<Element>(_ type: Element.Type) -> (size: Int, stride: Int) {
      (MemoryLayout<Element>.size, MemoryLayout<Element>.stride)
    }
    // Nearly always it's an array, whose elements are compared without run-time metadata.
    if let array = property.elements, let type = property.valueType as? any ToMany.Type {
      let element = _openExistential(type.elementType, do: layout)
      var result: [(old: Int, new: Int)] = []
      array.lendBytes(old, new) { old, new in
        func haveSameScalars(_ index: Int, _ newIndex: Int) -> Bool {
          guard type.elementType == String.self else { return false }
          return old.assumingMemoryBound(to: String.self)[index]
            .hasSameScalars(as: new.assumingMemoryBound(to: String.self)[newIndex])
        }
        result = differing(old.count / element.stride, new.count / element.stride) {
          areSameBits(old, from: $0 * element.stride, new, from: $1 * element.stride, element.size)
            || haveSameScalars($0, $1)
        }
      }
      return result
    }
    guard let old = property.anyValue(at: old) as? any OrderedToMany else { return [] }
    return compare(old)
  }
}

// An entry of a dictionary.
extension LoggedKey {
  /// The dictionary that the object stores, with another value of the entry whose key is written so, or without the
  /// entry if there's no data; nil if the value isn't written as entries.
  ///
  /// The other values of a dictionary stay as they are: making them of data would leave out what they don't encode.
  func dictionary(
    of object: AnyObject, setting name: String, to data: KeyValueLogValue?, _ graph: LogGraph
  ) throws -> (any CapturedValue)? {
    guard isDictionary else { return try value(of: object, setting: name, to: data, graph) }
    guard var entries = pairs(of: property.captureStored(from: object)) else { return nil }
    let index = entries.firstIndex {
      ($0.key as? any CodingKeyRepresentable)?.codingKey.stringValue == name
    }
    if let data {
      let made = pairs(of: try value(of: .dictionary([name: data]), graph))
      guard let entry = made?.first else { return nil }
      if let index { entries[index].value = entry.value } else { entries.append(entry) }
    } else if let index {
      entries.remove(at: index)
    }
    let type = unwrapped(property.valueType) as? any Keyed.Type
    return type?.making(entries).flatMap { property.captured($0) }
  }

  /// The value of another type that's written as a dictionary, with another value of one entry.
  func value(
    of object: AnyObject, setting name: String, to data: KeyValueLogValue?, _ graph: LogGraph
  ) throws -> any CapturedValue {
    let present = try self.data(of: object, graph)
    guard case .dictionary(var whole) = present else { throw mismatch(present, "a dictionary") }
    whole[name] = data
    return try value(of: .dictionary(whole), graph)
  }

  /// Whether the value is a dictionary, and not only written as one.
  var isDictionary: Bool { unwrapped(property.valueType) is any Keyed.Type }

  /// Whether the value is a dictionary whose entries aren't found by strings.
  var hasUnwrittenNames: Bool {
    guard let type = unwrapped(property.valueType) as? any Keyed.Type else { return false }
    return !(type.anyKeyType is any CodingKeyRepresentable.Type)
  }

  private func pairs(of box: any CapturedValue) -> [(key: Any, value: Any?)]? {
    var pairs: [(key: Any, value: Any?)]?
    box.withAddress { pairs = (property.anyValue(at: $0) as? any Keyed)?.anyPairs }
    return pairs
  }
}
