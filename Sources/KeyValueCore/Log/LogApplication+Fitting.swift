// Edits of collections that have changed since the record was prepared.

extension Property {
  /// The part of an edit that the stored collection can take now.
  ///
  /// A record fits the graph that it was prepared for. Until it's an edit's turn, observers of the edits before it, or
  /// their `didSet`, may have taken elements out, or put one back that an ordered set can't have twice.
  ///
  /// - Parameters:
  ///   - edit: The edit, with all its elements.
  ///   - object: The object that stores the collection.
  ///   - removed: What is removed before the edit, at indexes that exist.
  /// - Returns: The part, which has no indexes if nothing of the edit is left.
  func fitting(_ edit: Edit, of object: AnyObject, behind removed: IndexRanges? = nil) -> Edit {
    if edit.ranges == nil { return edit }
    let count = storedCount(of: object) - (removed?.count ?? 0)
    #if OrderedCollections
      // Nearly always it's an array, whose elements may be equal.
      let possible =
        elements == nil ? withoutRepeated(edit, of: object, behind: removed) : edit
    #else
      let possible = edit
    #endif
    return possible.fitting(count)
  }

  /// The number of stored elements; 0 for a nil collection.
  private func storedCount(of object: AnyObject) -> Int {
    // An override's getter may return another collection. Otherwise no second reference is made, which would have the
    // edit copy the collection.
    let count =
      valueStorage?.mayBeOverridden == true
      ? captureStored(from: object).elementCount : elementCount(of: object)
    return count ?? 0
  }
}

#if OrderedCollections
  extension Property {
    /// The edit without the elements that an ordered set would have twice, as a proxy leaves them out.
    ///
    /// A replacement with such an element leaves everything as it is.
    private func withoutRepeated(
      _ edit: Edit, of object: AnyObject, behind removed: IndexRanges?
    ) -> Edit {
      guard unwrapped(valueType) is any DistinctToMany.Type else { return edit }
      var stored: (any DistinctToMany)?
      captureStored(from: object).withAddress {
        stored = anyValue(at: $0) as? any DistinctToMany
      }
      guard let present = stored else { return edit }
      switch edit {
      case .insertion(let indexes, let elements)
      where present.firstRepeated(of: elements, inPlaceOf: removed) != nil:
        var places = RangeSet<Int>()
        var entering: [Any] = []
        var seen: Set<AnyHashable> = []
        for (index, element) in zip(indexes.indices, elements) {
          guard present.firstRepeated(of: [element], inPlaceOf: removed) == nil else { continue }
          if let element = asHashable(element), !seen.insert(element).inserted { continue }
          places.insert(contentsOf: index..<index + 1)
          entering.append(element)
        }
        return .insertion(IndexRanges(places), entering)
      case .replacement(let indexes, let elements)
      where present.firstRepeated(of: elements, inPlaceOf: indexes) != nil:
        return .replacement(.none)
      default: return edit
      }
    }
  }
#endif
