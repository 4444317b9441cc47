// What is wrong with a path: proved by the declared classes when it's registered, or found later on an
// object.
extension HopTree {
  /// Checks the rest of a string's path against the declared classes, where there is no object yet.
  ///
  /// A class that may have subclasses proves nothing: the key may be a subclass's. Debug builds report it.
  ///
  /// - Throws: `undefinedKey` for a key that a final class doesn't have, `notKeyValueObservable` for a type
  ///   whose values have no keys.
  func checkDeclarations(behind hop: Hop) throws {
    guard !hop.isLenient, hop.isInDependency || path.isString else { return }
    var type = unwrapped(hop.property.valueType)
    var owner = hop.schema
    var last = hop.index
    var index = hop.index + 1
    while index < hop.path.count {
      let component = hop.path[index]
      if let collection = type as? any ToMany.Type {
        type = unwrapped(collection.elementType)
        if component.isOperator { index += 1 }
      } else if component.isIdentity || component.isOperator {
        index += 1
      } else if let dictionary = type as? any StringKeyed.Type {
        type = unwrapped(dictionary.valueType)
        last = index
        index += 1
      } else if let observable = type as? any KeyValueObservable.Type {
        owner = KeyValueSchema.schema(of: observable)
        guard let property = owner.property(component.name),
          hop.isInDependency || path.mayReach(property)
        else {
          return try refuse(component, at: index, of: owner, behind: hop)
        }
        type = unwrapped(property.valueType)
        last = index
        index += 1
      } else {
        guard isPlainValue(type), owner.property(hop.path[last].name) != nil else { return }
        throw KeyValueCodingError.notKeyValueObservable(
          .init(
            type: owner.name, key: hop.path[last].name, keyPath: hop.path.string,
            position: last + 1,
            reason: "its value is of type \(type), which is not @KeyValueObservable"))
      }
    }
  }

  /// Refuses a key that a declared class doesn't have, if the class proves it.
  private func refuse(
    _ component: PathComponent, at index: Int, of schema: KeyValueSchema, behind hop: Hop
  ) throws {
    // Only an object can tell.
    if schema.answersUndefinedKeys { return }
    let error = KeyValueCodingError.undefinedKey(component.name, in: schema)
      .at(index + 1, of: hop.path.string)
    if schema.isFinal { throw error }
    #if DEBUG || KVO_AUDIT
      // A dependency may be meant for one subclass, so only what looks misspelt is worth a report.
      if isTrial || hop.isInDependency && error.details.suggestions.isEmpty { return }
      ReportOnce.tolerated("declared", of: schema.type, hop.path.string) {
        "\(respelled(error, at: hop)) It is accepted, because an object of a subclass of \(schema.name) may "
          + "have the key.\(place)"
      }
    #endif
  }

  /// Reports a value that a path or a dependency can't be followed on.
  ///
  /// A dependency's is reported once for each class that is found there, because the declaration is
  /// right for other objects.
  func report(_ error: any Error, at hop: Hop) {
    if isTrial { return }
    let error = respelled(error, at: hop)
    guard let source = hop.dependency, let dependent = source.parent else {
      let owner = root.map { name(of: type(of: $0)) } ?? "a dead object"
      return KeyValueViolation.report(
        .unobservableValue,
        "\(error) '\(path.string)' of \(owner) reads as nil from there until the value is replaced."
          + place)
    }
    let (schema, key) = (dependent.schema, dependent.property.key)
    guard ReportOnce.isFirst("unresolved: \(error)", of: schema.type, key) else { return }
    KeyValueViolation.report(
      .unobservableValue,
      "\(error) \(schema.name).\(key), which depends on '\(source.path.string)', does not change with "
        + "that object.\(place)")
  }

  /// The error with its position counted in the path as written.
  private func respelled(_ error: any Error, at hop: Hop) -> any Error {
    guard !hop.isInDependency, let error = error as? KeyValueCodingError else { return error }
    return path.respelled(error)
  }

  /// Where the observer was registered, as a sentence; empty if that isn't known.
  private var place: String {
    KeyValueTrace.Place(observance.origin).map { " It was registered at \($0)." } ?? ""
  }
}
