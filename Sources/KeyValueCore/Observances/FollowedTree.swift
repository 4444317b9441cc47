/// What an observance follows, where that is more than one property that depends on nothing.
// Checked by hand: the root is weak and the property a constant; a subclass guards what it adds.
class FollowedTree: @unchecked Sendable {
  /// The observed object.
  weak let root: (any KeyValueObservable)?
  /// The dependent key that is the whole path; its value is the observed one.
  let soleProperty: Property?

  init(root: any KeyValueObservable, soleProperty: Property?) {
    self.root = root
    self.soleProperty = soleProperty
  }

  /// Called before a property changes that something is attached behind or depends on.
  func valueWillChange(at hop: WatchedHop) {}

  /// Attaches anew what lies behind properties whose values changed with this hop's.
  ///
  /// `membership` is what entered and left the collection behind the hop, if that is known.
  func valueChanged(at hop: WatchedHop, membership: Membership?) {}

  /// Lets go of an object on the path that has died; true where nothing announced that before.
  func objectDied(at hop: WatchedHop) -> Bool { false }

  /// The maintained value of the path's operator, in the box that the sink reads.
  func aggregate(_ box: AggregateBox) -> AnyObject? { nil }

  /// Detaches from everything that was attached; no property is read.
  func detach() {}
}
