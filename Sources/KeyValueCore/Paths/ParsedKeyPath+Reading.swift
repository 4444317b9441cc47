/// The elements' values for a key, in an array of the property's own type.
///
/// - Returns: The values; nil, without reading any, if the elements aren't objects of one class, or if
///   something other than a getter may provide a value.
private func typedValues(
  of component: PathComponent, in collection: any ToMany, privately: Bool
) -> (any ToMany)? {
  guard !component.isIdentity, let objects = collection.observableReferences,
    let first = objects.first.map({ type(of: $0) }),
    let property = (first as? any KeyValueObservable.Type).flatMap({
      KeyValueSchema.schema(of: $0).readableProperty(component.name, privately: privately)
    }), !isExistential(property.valueType)
  else { return nil }
  return objects.withUnsafeBufferPointer { objects in
    // `Unmanaged` has the layout of a reference; the array retains the objects meanwhile.
    objects.withMemoryRebound(to: Unmanaged<AnyObject>.self) { objects in
      let areOfOneClass = objects.allSatisfy {
        $0._withUnsafeGuaranteedRef { type(of: $0) == first }
      }
      return areOfOneClass ? property.values(of: objects) : nil
    }
  }
}

extension ParsedKeyPath {
  /// The value at the end of the path from this object.
  func value(ofObject root: any KeyValueObservable) throws -> Any? {
    var object = root
    var index = 0
    // As long as the path leads from object to object, no value needs a box or a cast.
    while index < min(firstOperator, components.count - 1),
      let next = components[index].plainProperty(of: object, privately: reachesPrivateKeys)?
        ._withUnsafeGuaranteedRef({ $0.observedObject(of: object) })
    {
      guard let next else { return nil }
      object = next
      index += 1
    }
    guard index == components.count - 1, index < firstOperator else {
      return try value(of: object, from: index)
    }
    return try value(at: index, in: object)
  }

  /// The value of a component's key; an error says where in the path it occurred.
  func value(at index: Int, in object: any KeyValueObservable) throws -> Any? {
    if let property = components[index].plainProperty(of: object, privately: reachesPrivateKeys) {
      return property._withUnsafeGuaranteedRef { $0.anyValue(of: object) }
    }
    do {
      return try object.value(forKey: components[index].name, privately: reachesPrivateKeys)
    } catch let error as KeyValueCodingError {
      throw error.at(position(of: index), of: string)
    }
  }

  /// Reads the path, component by component, from one of them on.
  func value(of root: Any?, from start: Int = 0) throws -> Any? {
    var value = root
    var isOfSet = false
    for index in start..<components.count {
      guard let present = value else { return nil }
      if components[index].isOperator { return try apply(to: present, at: index) }
      value = try read(at: index, of: present, isOfSet: &isOfSet)
    }
    return value
  }

  /// Reads one component.
  ///
  /// `isOfSet` is whether an array stands for a set of elements that aren't hashable; values read
  /// from it may be hashable again.
  private func read(at index: Int, of value: Any, isOfSet: inout Bool) throws -> Any? {
    let component = components[index]
    switch value {
    case let collection as any ToMany where isToMany(boxedType(of: value)):
      if component.isIdentity { return value }
      isOfSet = isOfSet || collection is any UnorderedToMany
      if !isOfSet,
        let values = typedValues(of: component, in: collection, privately: reachesPrivateKeys)
      {
        return collection.mapped(typed: values)
      }
      let values =
        try collection.observableElements?.map { try self.value(at: index, in: $0) }
        ?? collection.anyElements.map { element in
          var isOfSet = false
          return try element.flatMap { try read(at: index, of: $0, isOfSet: &isOfSet) }
        }
      return isOfSet ? asSet(values.compactMap { $0 }) : collection.mapped(values)
    case let object as any KeyValueObservable:
      return try self.value(at: index, in: object)
    case _ where component.isIdentity:
      return value
    default:
      guard let dictionary = stringKeyed(value) else {
        if CodedValues.areRead,
          let coded = (value as? any CodedValue)?.codedValue(forKey: component.name)
        {
          return coded
        }
        throw notCodable(value, at: index)
      }
      return dictionary.anyValue(under: component.name)
    }
  }

  /// Applies the operator at a component to a collection.
  ///
  /// If the operator's right-hand path ends before the key path does, the rest is read from its
  /// value.
  private func apply(to value: Any, at index: Int) throws -> Any? {
    // A dictionary of Cocoa has no operators: behind an `@` are its own keys. Those of a collection end the path.
    if CodedValues.areRead, isOwnKey(at: index) || !(value is any ToMany),
      let coded = (value as? any CodedValue)?.codedValue(forKey: components[index].name)
    {
      return try self.value(of: coded, from: index + 1)
    }
    let place = CollectionOperator.Place(index: position(of: index) - 1, keyPath: string)
    let operation = try components.operation(at: index, of: string, position: position(of: index))
    guard let collection = value as? any ToMany else {
      throw KeyValueCodingError.notACollection(
        .init(
          type: name(of: type(of: value)), key: components[index].name, keyPath: string,
          position: position(of: index), reason: unreachableElements(of: type(of: value))))
    }
    guard operation.takesPath else { return collection.anyCount }
    if index + 2 == components.count,
      let values = typedValues(
        of: components[index + 1], in: collection, privately: reachesPrivateKeys)
    {
      return try operation.evaluate(values, at: place)
    }
    return try operation.evaluate(values(of: collection, from: index + 1), at: place)
  }

  /// Whether the path ends, at this component, in a name behind an `@` that isn't an operator's.
  func isOwnKey(at index: Int) -> Bool {
    index + 1 == components.count && components[index].kind == .unknownOperator
  }

  /// The values of the rest of the path at each element.
  private func values(of collection: any ToMany, from index: Int) throws -> [Any?] {
    guard index + 1 == components.count, let objects = collection.observableElements else {
      return try collection.anyElements.map { try value(of: $0, from: index) }
    }
    if components[index].isIdentity { return objects }
    return try objects.map { try value(at: index, in: $0) }
  }

  func notCodable(_ value: Any, at index: Int) -> KeyValueCodingError {
    var details = KeyValueCodingError.Details(
      type: name(of: type(of: value)), key: components[index].name, keyPath: string,
      position: position(of: index),
      reason: "a value of type \(type(of: value)) has no keys; only @KeyValueObservable classes, "
        + "collections of them and dictionaries do")
    details.attempt = .read
    return .notKeyValueObservable(details)
  }

  /// Calls the body for each object that has the last component.
  ///
  /// That's one object, none if an object on the way is nil, or every element of a collection. For
  /// a dictionary, `inDictionary` is called with its type.
  func forEachLastObject(
    of root: Any, inDictionary: (Any.Type) throws -> Void,
    _ body: (any KeyValueObservable, String) throws -> Void
  ) throws {
    let last = components.count - 1
    var value: Any? = root
    var isOfSet = false
    for index in 0..<last {
      guard let present = value else { return }
      value = try read(at: index, of: present, isOfSet: &isOfSet)
    }
    func visit(_ value: Any) throws {
      switch value {
      case let object as any KeyValueObservable:
        try placed(at: last) { try body(object, components[last].name) }
      case let collection as any ToMany:
        for element in collection.anyElements { try element.map(visit) }
      default:
        guard stringKeyed(value) != nil else { throw notCodable(value, at: last) }
        try inDictionary(type(of: value))
      }
    }
    try value.map(visit)
  }

  /// Adds the position in the path to an error.
  func placed<Result>(at index: Int, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as KeyValueCodingError {
      throw components.count > 1 ? error.at(position(of: index), of: string) : error
    }
  }
}

/// Whether a value of this type is a collection, and not an object that a cast bridges to one.
private func isToMany(_ type: Any.Type) -> Bool { !isClass(type) || type is any ToMany.Type }

extension PathComponent {
  @inline(__always)
  fileprivate func plainProperty(
    of object: any KeyValueObservable, privately: Bool
  ) -> Unmanaged<Property>? {
    KeyValueSchema.plainProperty(name, hash: nameHash, of: object, privately: privately)
  }
}
