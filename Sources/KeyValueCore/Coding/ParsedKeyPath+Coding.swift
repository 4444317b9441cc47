extension ParsedKeyPath {
  /// Reads the path, component by component.
  func value(of root: any KeyValueObservable) throws -> Any? {
    var value: Any? = root
    for index in components.indices {
      guard let present = value else { return nil }
      value = try read(components[index], at: index, of: present)
    }
    return value
  }

  private func read(_ key: String, at index: Int, of value: Any) throws -> Any? {
    do {
      if let object = value as? any KeyValueObservable { return try object.value(forKey: key) }
      if let dictionary = value as? [String: Any] { return dictionary[key].flatMap(flattened) }
    } catch let error as KeyValueCodingError {
      throw error.at(index + 1, of: string)
    }
    throw notCodable(value, before: index)
  }

  private func notCodable(_ value: Any, before index: Int) -> KeyValueCodingError {
    .notKeyValueObservable(
      .init(
        type: name(of: type(of: value)), key: components[index], keyPath: string,
        position: index + 1,
        reason: "a value of type \(type(of: value)) has no keys; only @KeyValueObservable classes and "
          + "dictionaries do"))
  }

  /// Calls the body with the object that has the last component, unless the way to it is nil.
  func withLastObject(
    of root: any KeyValueObservable, _ body: (any KeyValueObservable, String) throws -> Void
  ) throws {
    var value: Any? = root
    for index in components.indices.dropLast() {
      guard let present = value else { return }
      value = try read(components[index], at: index, of: present)
    }
    guard let value else { return }
    let last = components.count - 1
    guard let object = value as? any KeyValueObservable else { throw notCodable(value, before: last) }
    do {
      try body(object, components[last])
    } catch let error as KeyValueCodingError {
      throw components.count > 1 ? error.at(last + 1, of: string) : error
    }
  }
}
