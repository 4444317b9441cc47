extension ParsedKeyPath {
  /// The value at the end of the path from this object.
  func value(ofObject root: any KeyValueObservable) throws -> Any? {
    var object = root
    var index = 0
    // As long as the way leads from object to object, nothing has to be boxed or cast.
    while index < min(firstOperator, components.count - 1), object.schema.ownCoding == nil,
      let next = object.schema.property(components[index])?.observedObject(of: object)
    {
      guard let next else { return nil }
      object = next
      index += 1
    }
    let key = components[index]
    guard index == components.count - 1, index < firstOperator, key != "self" else {
      return try value(of: object, from: index)
    }
    return try value(of: key, at: index, in: object)
  }

  /// The value of a component's key; an error says where in the path it came up.
  private func value(
    of key: String, at index: Int, in object: any KeyValueObservable
  ) throws -> Any? {
    do {
      return try object.value(forKey: key)
    } catch let error as KeyValueCodingError {
      throw error.at(index + 1, of: string)
    }
  }

  /// Reads the path, component by component.
  func value(of root: Any) throws -> Any? {
    try value(of: root, from: 0)
  }

  /// Reads the path from a component on.
  func value(of root: Any?, from start: Int) throws -> Any? {
    var value = root
    var isOfSet = false
    for index in start..<components.count {
      guard let present = value else { return nil }
      if CollectionOperator.isOperator(components[index]) {
        return try apply(to: present, at: index)
      }
      value = try read(components[index], at: index, of: present, isOfSet: &isOfSet)
    }
    return value
  }

  /// - Parameter isOfSet: Whether an array stands for a set, since its elements are not hashable; what is
  ///   read of them may be again.
  private func read(
    _ key: String, at index: Int, of value: Any, isOfSet: inout Bool
  ) throws -> Any? {
    switch value {
    case _ where key == "self" && !(value is any ToMany):
      return value
    case let object as any KeyValueObservable:
      return try self.value(of: key, at: index, in: object)
    case let dictionary as [String: Any]:
      return dictionary[key].flatMap(flattened)
    case let collection as any ToMany:
      let values = try collection.anyElements.map { element in
        var isOfSet = false
        return try element.flatMap { try read(key, at: index, of: $0, isOfSet: &isOfSet) }
      }
      isOfSet = isOfSet || collection is any UnorderedToMany
      return isOfSet ? asSet(values.compactMap { $0 }) : collection.mapped(values)
    default:
      throw notCodable(value, at: index)
    }
  }

  /// Applies the operator at a component to a collection; what it answers is read on from there where
  /// its right-hand path does not take the rest.
  private func apply(to value: Any, at index: Int) throws -> Any? {
    let place = CollectionOperator.Place(index: index, keyPath: string)
    let operation = try CollectionOperator.checked(in: components, at: index, of: string)
    let hasPath = operation.takesPath
    guard let collection = value as? any ToMany else {
      throw KeyValueCodingError.notACollection(
        .init(
          type: name(of: type(of: value)), key: components[index], keyPath: string,
          position: index + 1))
    }
    if !hasPath, let elements = collection as? any Collection { return elements.count }
    return try operation.evaluate(
      hasPath ? values(of: collection, from: index + 1) : collection.anyElements, at: place)
  }

  /// What the rest of the path is at each element.
  private func values(of collection: any ToMany, from index: Int) throws -> [Any?] {
    guard index + 1 == components.count, let objects = collection.observableElements else {
      return try collection.anyElements.map { try value(of: $0, from: index) }
    }
    let key = components[index]
    if key == "self" { return objects }
    return try objects.map { try value(of: key, at: index, in: $0) }
  }

  private func notCodable(_ value: Any, at index: Int) -> KeyValueCodingError {
    .notKeyValueObservable(
      .init(
        type: name(of: type(of: value)), key: components[index], keyPath: string,
        position: index + 1,
        reason: "a value of type \(type(of: value)) has no keys; only @KeyValueObservable classes, "
          + "collections of them and dictionaries do"))
  }

  /// Calls the body for each object that has the last component: one, none where the way to it is
  /// nil, or every element of a collection.
  func forEachLastObject(
    of root: Any, _ body: (any KeyValueObservable, String) throws -> Void
  ) throws {
    let last = components.count - 1
    var value: Any? = root
    var isOfSet = false
    for index in 0..<last {
      guard let present = value else { return }
      value = try read(components[index], at: index, of: present, isOfSet: &isOfSet)
    }
    func visit(_ value: Any) throws {
      switch value {
      case let object as any KeyValueObservable:
        do {
          try body(object, components[last])
        } catch let error as KeyValueCodingError {
          throw components.count > 1 ? error.at(last + 1, of: string) : error
        }
      case let collection as any ToMany:
        for element in collection.anyElements { try element.map(visit) }
      default:
        throw notCodable(value, at: last)
      }
    }
    try value.map(visit)
  }
}
