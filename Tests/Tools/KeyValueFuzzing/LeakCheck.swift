import KeyValueObserving
import KeyValueTestSupport

/// Creates and ends a great many observations, and counts what is left.
package enum LeakCheck {
  /// Observes many objects in several ways, and releases them in different orders.
  ///
  /// - Returns: The number of objects and handlers that are left.
  package static func objects(_ count: Int) throws -> Int {
    let tracker = LifetimeTracker()
    for round in 0..<count {
      var node: FuzzNode? = makeNode(round, tracker)
      var next: FuzzNode? = makeNode(round + 1, tracker)
      node?.next = next
      var tokens = try observe(node, tracker)
      let observer = FuzzObserver(0) { [witness = tracker.instance()] _, _ in _ = witness }
      try node?.addObserver(observer, forKeyPath: "next.label", options: [.old, .new])
      next?.number += 1
      switch round % 4 {
      case 0:
        tokens = []
        node = nil
      case 1:
        node = nil
        next = nil
        tokens = []
      case 2:
        node?.next = nil
        next = nil
        tokens.removeFirst()
      default:
        tokens.reverse()
        try node?.removeObserver(observer, forKeyPath: "next.label")
      }
    }
    return tracker.liveCount
  }

  /// Adds many observations to one object and removes them, in several orders.
  ///
  /// - Returns: The number of handlers that are left, and whether the objects are idle.
  package static func observations(_ count: Int) throws -> (liveCount: Int, isIdle: Bool) {
    let tracker = LifetimeTracker()
    let node = FuzzNode(0) { _ in }
    let next = FuzzNode(1) { _ in }
    node.next = next
    node.items = [next, next]
    var tokens: [KeyValueObservation] = []
    var made = 0
    while made < count {
      let batch = try (0..<10).flatMap { _ in try observe(node, tracker) }
      made += batch.count
      tokens += batch
      next.number += 1
      // Removes the oldest, the newest and one in the middle.
      while tokens.count > 20 {
        tokens.removeFirst()
        tokens.removeLast()
        tokens.remove(at: tokens.count / 2)
      }
    }
    tokens = []
    let isIdle = [node, next].allSatisfy { $0._$kvoWithRegistrar { $0.isIdle } }
    return (tracker.liveCount, isIdle)
  }

  private static func makeNode(_ serial: Int, _ tracker: LifetimeTracker) -> FuzzNode {
    FuzzNode(serial) { [witness = tracker.instance()] _ in _ = witness }
  }

  private static func observe(
    _ node: FuzzNode?, _ tracker: LifetimeTracker
  ) throws -> [KeyValueObservation] {
    guard let node else { return [] }
    let witness = tracker.instance()
    return [
      node.observe(numberPath, options: [.old, .new]) { _, _ in _ = witness },
      try node.observe("items.@sum.number", options: .new) { _, _ in _ = witness },
      try node.observe("reach") { _, _ in _ = witness },
    ]
  }

  nonisolated(unsafe) private static let numberPath = KeyValuePath<FuzzNode, Int?>(\.next.number)
}
