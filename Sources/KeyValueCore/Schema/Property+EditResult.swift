// Whether a value is what an edit makes of another one: setters, property observers and accessor methods may store
// something else.
extension Property {
  /// Whether one value of the property is what an edit makes of an earlier one; nil if elements can't be compared.
  ///
  /// A collection that's an object counts as the result, because it may be the one that has been changed.
  func isResult(
    _ value: any CapturedValue, of edit: Edit, on earlier: any CapturedValue
  ) -> Bool? {
    var before: Any?
    var after: Any?
    earlier.withAddress { before = anyValue(at: $0) }
    value.withAddress { after = anyValue(at: $0) }
    guard let collection = after as? any ToMany else { return false }
    return isMade(collection, by: edit, of: before)
  }

  /// The same of a collection; nil becomes an empty one first.
  private func isMade<Many: ToMany>(_ value: Many, by edit: Edit, of earlier: Any?) -> Bool? {
    if isClass(Many.self) { return true }
    let start: Many? = earlier == nil ? Many.empty : earlier as? Many
    guard var expected = start, edit.fits(expected) else { return false }
    withUnsafeMutablePointer(to: &expected) { edit.apply(at: $0, type: Many.self) }
    return haveSameBits(expected, value) ? true : expected.hasSameElements(as: value)
  }

  /// Whether two arrays have the same contents, as copies do; false for other collections.
  private func haveSameBits<Many>(_ left: Many, _ right: Many) -> Bool {
    guard let elements, valueType == Many.self else { return false }
    var areSame = false
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { right in
        elements.lendBytes(UnsafeRawPointer(left), UnsafeRawPointer(right)) { left, right in
          areSame =
            left.count == right.count
            && areSameBits(left, from: 0, right, from: 0, left.count)
        }
      }
    }
    return areSame
  }
}

extension Edit {
  /// Whether a set's members make way for equal ones that have other data, or are other objects.
  ///
  /// Observers aren't told of these.
  func replacesEqualMembers(of before: any CapturedValue) -> Bool {
    guard case .algebra(.set, let elements) = self else { return false }
    let members = before.anyElements.hashableElements
    return elements.contains { element in
      guard let index = members.firstIndex(of: element) else { return false }
      return isUnchanged(members[index].base, in: element.base) == false
    }
  }

  /// Whether a collection can take the edit.
  fileprivate func fits<Many: ToMany>(_ collection: Many) -> Bool {
    guard fitting(collection.anyCount).ranges == ranges else { return false }
    switch self {
    case .insertion(_, let elements), .replacement(_, let elements):
      // Every value fits into `Any`.
      return Many.elementType == Any.self || Many.converting(elements) != nil
    case .algebra(.union, let elements), .algebra(.set, let elements):
      return Many.converting(elements) != nil
    case .setting, .removal, .exchange, .algebra: return true
    }
  }
}

extension ToMany {
  /// Whether another collection has the same elements, in the same order if they have one; nil if that isn't known.
  fileprivate func hasSameElements(as other: Self) -> Bool? {
    if let ordered = self as? any OrderedToMany { return ordered.hasSameOrder(as: other) }
    let members = anyElements.hashableElements
    // Members that are equal count as the same if nothing shows that they differ.
    return areUnchanged(members, in: other.anyElements.hashableElements) ?? true
  }
}

extension OrderedToMany {
  fileprivate func hasSameOrder(as other: any ToMany) -> Bool? {
    guard let other = other as? Self, anyCount == other.anyCount else { return false }
    var result: Bool? = true
    for index in 0..<anyCount where !hasSameBits(at: index, as: other, at: index) {
      let (element, otherElement) = (anyElement(at: index), other.anyElement(at: index))
      switch isUnchanged(element, in: otherElement) ?? isSame(element, otherElement) {
      case true?: break
      case false?: return false
      case nil: result = nil
      }
    }
    return result
  }
}
