/// The objects that have left a graph and are still alive, so that they keep their ids if they come back.
///
/// Confined to where the objects are used, as the graph.
struct DepartedObjects {
  typealias Known = (id: KeyValueObjectID, values: [String: KeyValueLogValue]?)

  private struct Departed {
    weak let object: (any KeyValueObservable)?
    let id: KeyValueObjectID
    /// The recorded values with which it left; nil if they don't matter.
    var values: [String: KeyValueLogValue]?
  }

  private var objects: [ObjectIdentifier: Departed] = [:]
  private var identities: [KeyValueObjectID: ObjectIdentifier] = [:]
  /// How many were alive when the dead ones were forgotten last.
  private var lastAlive = 0

  func id(of object: AnyObject) -> KeyValueObjectID? { departed(object)?.id }

  private func departed(_ object: AnyObject) -> Departed? {
    // Another object that has died had the same address.
    guard let known = objects[ObjectIdentifier(object)], known.object === object else { return nil }
    return known
  }

  func object(_ id: KeyValueObjectID) -> (any KeyValueObservable)? {
    identity(id).flatMap { objects[$0]?.object }
  }

  /// The identity of an object that has left, alive or not.
  func identity(_ id: KeyValueObjectID) -> ObjectIdentifier? {
    identities.isEmpty ? nil : identities[id]
  }

  mutating func insert(
    _ object: any KeyValueObservable, _ id: KeyValueObjectID, _ values: [String: KeyValueLogValue]?
  ) {
    let identity = ObjectIdentifier(object)
    let departed = Departed(object: object, id: id, values: values)
    let earlier = objects.updateValue(departed, forKey: identity)
    // Another object that has died had the same address.
    if let earlier { identities[earlier.id] = nil }
    identities[id] = identity
  }

  /// Notes the values with which an object has left.
  mutating func setValues(_ values: [String: KeyValueLogValue], of id: KeyValueObjectID) {
    if let identity = identity(id) { objects[identity]?.values = values }
  }

  /// Removes an object, and returns the id that it had and the values with which it left.
  mutating func remove(_ object: AnyObject) -> Known? {
    // Apart, because handling a weak reference costs something even where it isn't reached.
    objects.isEmpty ? nil : removeKnown(object)
  }

  @inline(never)
  private mutating func removeKnown(_ object: AnyObject) -> Known? {
    let departed = departed(object)
    if let known = objects.removeValue(forKey: ObjectIdentifier(object)) {
      identities[known.id] = nil
    }
    return departed.map { ($0.id, $0.values) }
  }

  /// Forgets what has died, now and then: once there are more than the graph has, and twice as many as were alive the
  /// last time.
  mutating func forgetDead(besides count: Int) {
    guard objects.count > 64, objects.count > count, objects.count > 2 * lastAlive else { return }
    objects = objects.filter { $0.value.object != nil }
    lastAlive = objects.count
    identities = [:]
    for (identity, departed) in objects { identities[departed.id] = identity }
  }
}
