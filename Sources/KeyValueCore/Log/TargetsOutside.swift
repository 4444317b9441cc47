/// What keys without nil go on referring to outside of a graph, after a record that says that they don't.
///
/// Such a key can't say that it refers to nothing, and reading it traps once the object has died. So the graph keeps
/// the object.
///
/// Confined to where the objects are used, as the graph. What a change lets go of is handed to the caller, because
/// objects that die in the middle may make changes.
struct TargetsOutside {
  private var targets: [ObjectKey: AnyObject] = [:]
  /// Those of these keys that don't refer to it any more, or whose objects have left.
  private var past: Set<ObjectKey> = []
  /// What no key in the graph goes on referring to; records that aren't delivered yet may have values of it.
  private var released: [AnyObject] = []

  var isEmpty: Bool { targets.isEmpty }
  var hasPast: Bool { !past.isEmpty }
  var hasReleased: Bool { !released.isEmpty }

  /// Keeps what a key refers to; returns what it kept before.
  mutating func keep(_ target: AnyObject, for place: ObjectKey) -> AnyObject? {
    past.remove(place)
    return targets.updateValue(target, forKey: place)
  }

  /// What is kept for a key.
  subscript(place: ObjectKey) -> AnyObject? { targets[place] }

  /// Notes whether a key still refers to what is kept for it.
  mutating func note(_ place: ObjectKey, isPast: Bool) {
    if isPast { past.insert(place) } else { past.remove(place) }
  }

  /// Releases what keys don't refer to any more, when `takeReleased` is called.
  mutating func releasePast() {
    for place in past {
      if let kept = targets.removeValue(forKey: place) { released.append(kept) }
    }
    past = []
  }

  mutating func takeReleased() -> [AnyObject] {
    defer { released = [] }
    return released
  }
}
