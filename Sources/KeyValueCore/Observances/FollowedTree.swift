import Synchronization

/// What an observance follows, where that is more than one property that depends on nothing.
// Checked by hand: the root is published by `isRootHeld`, and the property is a constant; a subclass guards
// what it adds.
class FollowedTree: @unchecked Sendable {
  // Set once, before `isRootHeld`.
  @exclusivity(unchecked) private weak var weakRoot: (any KeyValueObservable)?
  private let isRootHeld = Atomic<Bool>(false)
  /// The dependent key that is the whole path; its value is the observed one.
  let soleProperty: Property?

  init(soleProperty: Property?) {
    self.soleProperty = soleProperty
  }

  /// The observed object, while it lives; nil where the tree never leaves it.
  ///
  /// Only a change of another object has to find it here. One of its own brings it along.
  final var root: (any KeyValueObservable)? {
    isRootHeld.load(ordering: .acquiring) ? weakRoot : nil
  }

  /// The same, as the sinks take it: made an `AnyObject` where it is owned, so without a retain.
  final var rootReference: AnyObject? { root }

  /// Keeps the observed object within reach of other objects' changes.
  ///
  /// Called while the tree is attached for the first time. A weak reference makes every retain and release
  /// of the object dearer, so a tree that doesn't need one has none.
  final func holdRoot(_ root: any KeyValueObservable) {
    if isRootHeld.load(ordering: .relaxed) { return }
    weakRoot = root
    isRootHeld.store(true, ordering: .releasing)
  }

  /// The observed object, while it lives, wherever it is asked for.
  var object: (any KeyValueObservable)? { root }

  /// Called before a change of a property that something is attached behind, or depends on.
  func valueWillChange(at hop: WatchedHop) {}

  /// Attaches anew what lies behind properties whose values changed with this hop's.
  ///
  /// `object` is the object that has changed, and `membership` what entered and left the collection behind
  /// the hop, if that is known.
  func valueChanged(at hop: WatchedHop, of object: AnyObject, membership: Membership?) {}

  /// Drops a dead object from the path; true if no change has announced that.
  ///
  /// `registry` is that of the dying object.
  func objectDied(at hop: WatchedHop, in registry: WatchRegistry) -> Bool { false }

  /// The object that the path ends at now, found along the hops from a changed one on, and its property; nil
  /// where the path has to be read from the observed object.
  func end(behind hop: WatchedHop, of object: AnyObject) -> PathEnd? { nil }

  /// The maintained value of the path's operator; nil where it has to be computed.
  var maintainedValue: AggregateValue? { nil }
  /// The same, where it is a sum of nothing but integers, and an `Int`.
  var maintainedInteger: Int? { nil }

  /// Detaches from everything that was attached; no property is read.
  func detach() {}
}

/// Where a path ends: the property whose value is the observed one, and its object.
struct PathEnd {
  let property: Property
  let object: AnyObject
}
