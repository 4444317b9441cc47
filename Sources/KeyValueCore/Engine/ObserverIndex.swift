/// Finds the registrations of observer objects, oldest first, in constant time regardless of their number
/// (Parity R4, R7).
struct ObserverIndex {
  /// What a registration is looked up by, with any context or exactly one.
  private struct Key: Hashable {
    let observer: ObjectIdentifier
    let keyPath: String
    let context: Context

    enum Context: Hashable {
      case any
      case exactly(UnsafeMutableRawPointer?)
    }
  }

  /// Registrations in order; ended ones stay until they're more than half.
  private struct Queue {
    var observances: ContiguousArray<Observance> = []
    /// All registrations before this index have ended.
    var head = 0
    var endedCount = 0
  }

  private var queues: [Key: Queue] = [:]

  var isEmpty: Bool { queues.isEmpty }

  mutating func insert(_ observance: Observance) {
    for key in keys(of: observance) { queues[key, default: Queue()].observances.append(observance) }
  }

  /// Records that an observance has ended.
  mutating func remove(_ observance: Observance) {
    for key in keys(of: observance) {
      guard var queue = queues.removeValue(forKey: key) else { continue }
      queue.endedCount += 1
      if queue.endedCount * 2 > queue.observances.count {
        queue.observances.removeAll { !$0.isActive }
        queue.head = 0
        queue.endedCount = 0
      }
      if !queue.observances.isEmpty { queues[key] = queue }
    }
  }

  /// The oldest active registration; nil for `context` matches any.
  mutating func first(
    _ observer: ObjectIdentifier, _ keyPath: String, context: UnsafeMutableRawPointer??,
    where matches: (Observance) -> Bool
  ) -> Observance? {
    let key = Key(
      observer: observer, keyPath: keyPath, context: context.map { .exactly($0) } ?? .any)
    guard var queue = queues.removeValue(forKey: key) else { return nil }
    defer { queues[key] = queue }
    while queue.head < queue.observances.count, !queue.observances[queue.head].isActive {
      queue.head += 1
    }
    return queue.observances[queue.head...].first { $0.isActive && matches($0) }
  }

  private func keys(of observance: Observance) -> [Key] {
    guard let (observer, context) = observance.policy?.registration else { return [] }
    return [.any, .exactly(context)].map {
      Key(observer: observer, keyPath: observance.keyPath, context: $0)
    }
  }
}

extension Observance {
  /// Attaches to a property without dependencies.
  func attach(
    to property: Property, of object: any KeyValueObservable, in schema: KeyValueSchema
  ) {
    let isAutomatic =
      property.traits.withLoaded { $0.isAutomatic } ?? schema.traits(of: property).isAutomatic
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state in
        attach(to: storage, id: property.id, of: object)
        state.insert(Watch(observance: self, hop: nil), property, isAutomatic: isAutomatic)
      }
    }
  }

  /// Adds the registration of an observer object to the index of the observed object's registrar.
  func enroll(in object: any KeyValueObservable) {
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { storage, state in
        policy?.index = storage
        state.observers.insert(self)
      }
    }
  }
}
