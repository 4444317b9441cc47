import Synchronization

/// What an observance follows, unless that is a single property without dependencies.
// Checked by hand: the root is published by `isRootHeld`, and the property is a constant; a subclass
// guards the state that it adds.
class FollowedTree: @unchecked Sendable {
  // Set once, before `isRootHeld`.
  @exclusivity(unchecked) private weak var weakRoot: (any KeyValueObservable)?
  private let isRootHeld = Atomic<Bool>(false)
  /// The dependent key that is the whole path; its value is the observed one.
  let soleProperty: Property?

  init(soleProperty: Property?) {
    self.soleProperty = soleProperty
  }

  /// The observed object while it is alive; nil if the tree never leaves it.
  ///
  /// Only changes of other objects need it from here. The observed object's own changes supply it.
  final var root: (any KeyValueObservable)? {
    isRootHeld.load(ordering: .acquiring) ? weakRoot : nil
  }

  /// The same as an `AnyObject`, which the sinks take; converted where it is owned, so without a retain.
  final var rootReference: AnyObject? { root }

  /// Makes the observed object reachable from other objects' changes.
  ///
  /// Called while the tree is attached for the first time. A weak reference slows down every retain and
  /// release of the object, so a tree that doesn't need one has none.
  final func holdRoot(_ root: any KeyValueObservable) {
    if isRootHeld.load(ordering: .relaxed) { return }
    weakRoot = root
    isRootHeld.store(true, ordering: .releasing)
  }

  /// The observed object while it is alive, wherever it is needed.
  var object: (any KeyValueObservable)? { root }

  /// Called before a change of a property that something is attached behind or depends on.
  func valueWillChange(at hop: WatchedHop) {}

  /// Reattaches what lies behind properties whose values changed with this hop's.
  ///
  /// `object` is the object that has changed. `membership` is what entered and left the collection behind
  /// the hop, if that is known.
  func valueChanged(at hop: WatchedHop, of object: AnyObject, membership: Membership?) {}

  /// Leaves it to the transaction to follow a change of a collection; false if it has to be followed at once.
  func postpone(at hop: WatchedHop, of object: AnyObject, to end: any OpenTransaction) -> Bool {
    false
  }

  /// Removes a dead object from the path; true if no change has announced that.
  ///
  /// `registry` is the dying object's.
  func objectDied(at hop: WatchedHop, in registry: WatchRegistry) -> Bool { false }

  /// The object and the property that the path ends at now, found along the hops from a changed one on;
  /// nil if the path has to be read from the observed object.
  func end(behind hop: WatchedHop, of object: AnyObject) -> PathEnd? { nil }

  /// The maintained value of the path's operator; nil if it has to be computed.
  var maintainedValue: AggregateValue? { nil }
  /// The same, if it is a sum of integers only and fits in an `Int`.
  var maintainedInteger: Int? { nil }

  /// Detaches from everything without reading a property.
  func detach() {}
}

/// Where a path ends: the property whose value is the observed one, and its object.
struct PathEnd {
  let property: Property
  let object: AnyObject
}
