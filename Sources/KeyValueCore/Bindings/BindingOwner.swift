/// The object that the key of a binding's target belongs to, where the target's path leads to it.
///
/// Nothing here retains the object.
// Not Sendable: the closures of one binding have it, which go where the binding's objects do.
final class BindingOwner<Root: KeyValueObservable> {
  /// The path to the object.
  let path: ObservedPath
  /// The target's path, which goes on from there.
  private let target: ObservedPath
  private let news: MemberNews<Root, Identity>

  init(at path: ObservedPath, of target: ObservedPath, on root: Root) {
    self.path = path
    self.target = target
    // The overtaking reading began later, so it sees this owner or a later one, and answers for it.
    news = MemberNews(
      { Identity(path.end(from: $0)) }, of: root, isOvertakenNew: false,
      isSame: { $0.isSame(as: $1) })
  }

  /// Which object a value is; none if it's nil, or a collection of several.
  private struct Identity {
    private weak let object: AnyObject?
    private let identifier: ObjectIdentifier?

    init(_ value: Any?) {
      var object: AnyObject?
      if let value, isClass(type(of: value)) { object = value as AnyObject }
      self.object = object
      identifier = object.map { ObjectIdentifier($0) }
    }

    /// Whether it's the same object that is there later.
    func isSame(as later: Identity) -> Bool {
      // A later object may have the address of one that has died.
      identifier != nil && identifier == later.identifier && object != nil
    }
  }

  /// Whether it isn't the same object as at the last call; also if there's none now, or a collection.
  func isNew(of root: Root) -> Bool { news.isNew(of: root) }

  /// Whether the target's key has changed, according to a delivery that found the same object there; nil if that's
  /// unknown.
  ///
  /// The delivery may also be of a change of what leads to the object: it was set again, or computed again.
  func hasKeyChanged(_ delivery: Delivery, of root: Root) -> Bool? {
    if delivery.leaf != nil { return true }
    guard let hop = delivery.hop else { return nil }
    if hop._withUnsafeGuaranteedRef({ $0.component }) >= path.keys.count { return true }
    // What the object is computed from, the key may be computed from as well.
    return target.mayDependAtLastKey(from: root) ? nil : false
  }
}
