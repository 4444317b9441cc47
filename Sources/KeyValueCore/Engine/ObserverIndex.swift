/// Finds the registrations of observer objects, oldest first, in constant time regardless of their number
/// (Parity R4, R7).
struct ObserverIndex {
  /// What a registration is looked up by: exactly this context, or any if it's nil.
  private struct Key: Hashable {
    let observer: ObjectIdentifier
    let keyPath: String
    let context: UnsafeMutableRawPointer??
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
    let key = Key(observer: observer, keyPath: keyPath, context: context)
    guard var queue = queues.removeValue(forKey: key) else { return nil }
    defer { queues[key] = queue }
    while queue.head < queue.observances.count, !queue.observances[queue.head].isActive {
      queue.head += 1
    }
    return queue.observances[queue.head...].first { $0.isActive && matches($0) }
  }

  private func keys(of observance: Observance) -> [Key] {
    guard let (observer, context) = observance.policy?.registration else { return [] }
    return [nil, .some(context)].map {
      Key(observer: observer, keyPath: observance.keyPath, context: $0)
    }
  }
}

extension Observance {
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
