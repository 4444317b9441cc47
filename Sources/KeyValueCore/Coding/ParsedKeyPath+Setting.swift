extension ParsedKeyPath {
  /// Sets the value at the end of the path from this object; does nothing if a value on the way is nil.
  ///
  /// Dictionaries on the way, and values that hold them, are copied, changed and set, once for each
  /// object that has one.
  ///
  /// `index` is that of the component whose key the object has.
  func set(_ value: Any?, of object: any KeyValueObservable, at index: Int = 0) throws {
    var object = object
    var index = index
    // Recursion would keep the objects on the way alive while the last one is set.
    while index + 1 < components.count {
      guard let next = try self.value(at: index, in: object) else { return }
      guard let nextObject = next as? any KeyValueObservable else {
        guard let replacement = try replacement(for: next, setting: value, at: index + 1)
        else { return }
        return try set(replacement, of: object, forKeyAt: index)
      }
      object = nextObject
      index += 1
    }
    try set(value, of: object, forKeyAt: index)
  }

  private func set(
    _ value: Any?, of object: any KeyValueObservable, forKeyAt index: Int
  ) throws {
    try placed(at: index) {
      try object.setValue(value, forKey: components[index].name, privately: reachesPrivateKeys)
    }
  }

  /// Sets the value inside a component's value.
  ///
  /// - Returns: The replacement for the component's value; nil if objects inside it were set
  ///   instead.
  private func replacement(
    for present: Any, setting value: Any?, at index: Int
  ) throws -> Any? {
    switch present {
    case let object as any KeyValueObservable:
      try set(value, of: object, at: index)
      return nil
    case let collection as any ToMany:
      var isReplaced = false
      let elements = try collection.anyElements.map { element -> Any? in
        guard let element,
          let replacement = try replacement(for: element, setting: value, at: index)
        else { return element }
        isReplaced = true
        return replacement
      }
      return isReplaced ? collection.mapped(elements) : nil
    default:
      guard let dictionary = stringKeyed(present) else {
        throw notCodable(present, at: index)
      }
      let key = components[index].name
      guard index + 1 < components.count else {
        return try placed(at: index) { try dictionary.replacing(value, under: key) as Any? }
      }
      guard let next = dictionary.anyValue(under: key),
        let replacement = try replacement(for: next, setting: value, at: index + 1)
      else { return nil }
      return try placed(at: index) { try dictionary.replacing(replacement, under: key) as Any? }
    }
  }
}
