// What a path finds on the objects that are on it now.
extension ObservedPath {
  /// The property that the path's first component observes.
  ///
  /// - Throws: A description of the component, if it isn't a key.
  func firstProperty(
    of object: any KeyValueObservable, in schema: KeyValueSchema
  ) throws -> Property? {
    if let unknown {
      let probe = AccessProbe(object, unknown.read)
      if !isPlainMember, let property = probe.property {
        note(property, at: 0)
        return property
      }
      throw UnobservableMember(description: unknown.explanation() + probe.sentence)
    }
    guard let first = keys.first else { return nil }
    let found =
      schema.observedProperty(first) ?? schema.property(first.name, answeredBy: object)
    if let found, mayReach(found) { return found }
    throw respelled(
      .undefinedKey(first.name, in: schema).at(1, of: keys.string))
  }

  /// Why the path can't be observed on an object, in words, as far as its start tells.
  func obstacle(on object: any KeyValueObservable) -> String? {
    if problem != nil || !isUncertain { return problem }
    do {
      _ = try firstProperty(of: object, in: object.schema)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// The object that currently has the path's last key, and that key; nil if an object on the way is
  /// nil.
  ///
  /// Members behind that key aren't keys, even where the path ends in one.
  func lastKey(from root: any KeyValueObservable) throws -> (any KeyValueObservable, String)? {
    guard let last = keys.indices.last(where: { members[$0] == nil }) else { return nil }
    if last == 0 { return try firstProperty(of: root, in: root.schema).map { (root, $0.key) } }
    let holder = try holder(ofKeyAt: last, from: root)
    return (holder as? any KeyValueObservable).map { ($0, keys[last].name) }
  }

  /// The object or dictionary that has a key behind the first one; nil if a value on the way is nil.
  private func holder(ofKeyAt last: Int, from root: any KeyValueObservable) throws -> Any? {
    var value: Any? = root
    for index in 0..<last {
      guard let present = value else { return nil }
      if let member = members[index] ?? (index == 0 ? unknown?.read : nil) {
        value = member(present)
      } else if let object = present as? any KeyValueObservable {
        value = try object.value(forKey: keys[index].name, privately: reachesPrivateKeys)
      } else if let dictionary = stringKeyed(present) {
        value = dictionary.anyValue(under: keys[index].name)
      } else {
        return nil
      }
    }
    return value
  }

  /// What the path leads to now; nil if a value on the way is nil.
  func end(from root: any KeyValueObservable) -> Any? {
    if isString { return value(of: root) }
    guard let value = try? holder(ofKeyAt: keys.count, from: root) else { return nil }
    if let tail { return tail(value) }
    return value
  }

  /// Whether the last key's value may be computed from other keys, or is a member that announces nothing itself.
  func mayDependAtLastKey(from root: any KeyValueObservable) -> Bool {
    if endsInMember { return true }
    guard let (owner, key) = try? lastKey(from: root), let property = owner.schema.property(key)
    else { return true }
    return !owner.schema.traits(of: property).dependencies.isEmpty
  }

  /// Whether every object on the way to the path's last key is there, and a dictionary that has it.
  func hasOwner(on root: any KeyValueObservable) -> Bool {
    if (try? lastKey(from: root)) != nil { return true }
    guard isString, keys.count > 1,
      let holder = try? holder(ofKeyAt: keys.count - 1, from: root)
    else { return false }
    return stringKeyed(holder) != nil
  }
}
