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
  /// How many registrations are added until the dead observers are looked for.
  private var additionsLeft = ObserverIndex.fewestAdditions

  private static let fewestAdditions = 16

  var isEmpty: Bool { queues.isEmpty }

  mutating func insert(_ observance: Observance) {
    for key in keys(of: observance) { queues[key, default: Queue()].observances.append(observance) }
    additionsLeft -= 1
  }

  /// All registrations, if it's time to look for dead observers among them; otherwise none.
  ///
  /// It's time when half as many have been added as there were the last time.
  ///
  /// - Complexity: O(1) for each addition, amortised.
  mutating func allIfDue() -> [Observance] {
    if additionsLeft > 0 { return [] }
    var all: [Observance] = []
    for (key, queue) in queues where key.context == nil {
      all += queue.observances.filter { $0.isActive }
    }
    additionsLeft = max(all.count / 2, ObserverIndex.fewestAdditions)
    return all
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
