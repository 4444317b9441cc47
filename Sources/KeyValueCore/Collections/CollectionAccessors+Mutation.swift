extension CollectionAccessors {
  /// Traps if the methods can't take the edit's elements, before one of them is called with some of these.
  ///
  /// Methods that take several types of elements check for themselves.
  func check(_ edit: Edit, of key: String, in object: any KeyValueObservable) {
    guard takenTypes.count == 1 else { return }
    let elements: [Any] =
      switch edit {
      case .insertion(_, let given), .replacement(_, let given): given
      // Without a method of its own, an intersection removes elements that are there.
      case .algebra(.intersect, _) where intersectSet == nil: []
      case .algebra(_, let given): given.map(\.base)
      case .setting, .removal, .exchange: []
      }
    checkElements(elements, as: takenTypes[0], of: "\(object.schema.name).\(key)")
  }

  /// Makes the change through the class's methods, several elements in one call if a method takes them.
  ///
  /// `isSingle` is whether the proxy was asked to add or remove an element, not a set of them.
  func apply(
    _ edit: Edit, isSingle: Bool, to object: AnyObject, current: () -> [Any?]
  ) {
    switch edit {
    case .insertion(let indexes, let elements): insert(elements, indexes, object)
    case .removal(let indexes): remove(indexes, object)
    case .replacement(let indexes, let elements): replace(indexes, elements, object)
    case .setting, .exchange: break
    case .algebra(let kind, let elements):
      combine(kind, elements, isSingle: isSingle, object, current: current)
    }
  }

  private func insert(_ elements: [Any], _ indexes: IndexRanges, _ object: AnyObject) {
    if let insertAt, elements.count == 1 || insertAtIndexes == nil {
      for (index, element) in zip(indexes.indices, elements) { insertAt(object, element, index) }
    } else {
      insertAtIndexes?(object, elements, indexes.set)
    }
  }

  private func remove(_ indexes: IndexRanges, _ object: AnyObject) {
    let all = Array(indexes.indices)
    if let removeAt, all.count == 1 || removeAtIndexes == nil {
      for index in all.reversed() { removeAt(object, index) }
    } else {
      removeAtIndexes?(object, indexes.set)
    }
  }

  private func replace(_ indexes: IndexRanges, _ elements: [Any], _ object: AnyObject) {
    if let replaceAt, elements.count == 1 || replaceAtIndexes == nil {
      for (index, element) in zip(indexes.indices, elements) { replaceAt(object, index, element) }
    } else {
      replaceAtIndexes?(object, indexes.set, elements)
    }
  }

  private func combine(
    _ kind: KeyValueSetMutationKind, _ elements: Set<AnyHashable>, isSingle: Bool,
    _ object: AnyObject, current: () -> [Any?]
  ) {
    func removeOthers() {
      let leaving = current().hashableElements.subtracting(elements)
      call(removeObject, removeSet, with: leaving, isSingle: false, object)
    }
    switch kind {
    case .union: call(addObject, addSet, with: elements, isSingle: isSingle, object)
    case .minus: call(removeObject, removeSet, with: elements, isSingle: isSingle, object)
    case .intersect:
      if let intersectSet { return intersectSet(object, elements) }
      removeOthers()
    case .set:
      if let setSet { return setSet(object, elements) }
      removeOthers()
      call(addObject, addSet, with: elements, isSingle: false, object)
    }
  }

  /// Calls the method for one element once for each, or the method for several elements once.
  private func call(
    _ one: ((AnyObject, Any) -> Void)?, _ several: ((AnyObject, Set<AnyHashable>) -> Void)?,
    with elements: Set<AnyHashable>, isSingle: Bool, _ object: AnyObject
  ) {
    if let one, isSingle || several == nil {
      for element in elements { one(object, element.base) }
    } else {
      several?(object, elements)
    }
  }
}
