/// The objects that have left a graph and are still alive, so that they keep their ids if they come back.
///
/// Confined to where the objects are used, as the graph.
struct DepartedObjects {
  private struct Departed {
    weak let object: (any KeyValueObservable)?
    let id: KeyValueObjectID
  }

  private var objects: [ObjectIdentifier: Departed] = [:]
  private var identities: [KeyValueObjectID: ObjectIdentifier] = [:]

  func id(of object: AnyObject) -> KeyValueObjectID? {
    // Another object that has died had the same address.
    guard let known = objects[ObjectIdentifier(object)], known.object === object else { return nil }
    return known.id
  }

  func object(_ id: KeyValueObjectID) -> (any KeyValueObservable)? {
    identity(id).flatMap { objects[$0]?.object }
  }

  /// The identity of an object that has left, alive or not.
  func identity(_ id: KeyValueObjectID) -> ObjectIdentifier? {
    identities.isEmpty ? nil : identities[id]
  }

  mutating func insert(_ object: any KeyValueObservable, _ id: KeyValueObjectID) {
    let identity = ObjectIdentifier(object)
    let earlier = objects.updateValue(Departed(object: object, id: id), forKey: identity)
    // Another object that has died had the same address.
    if let earlier { identities[earlier.id] = nil }
    identities[id] = identity
  }

  /// Removes an object, and returns the id that it had.
  mutating func remove(_ object: AnyObject) -> KeyValueObjectID? {
    if objects.isEmpty { return nil }
    let id = id(of: object)
    if let known = objects.removeValue(forKey: ObjectIdentifier(object)) {
      identities[known.id] = nil
    }
    return id
  }

  /// Forgets what has died, once there is more of it than there are objects in the graph.
  mutating func forgetDead(besides count: Int) {
    guard objects.count > 64, objects.count > count else { return }
    objects = objects.filter { $0.value.object != nil }
    identities = [:]
    for (identity, departed) in objects { identities[departed.id] = identity }
  }
}
