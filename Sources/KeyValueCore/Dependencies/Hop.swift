/// One property of one object that an observance is attached to: a step of its path, or a source of
/// such a step.
///
/// The hops of an observance form a tree. `next` leads along a path to the object that this property
/// refers to; `sources` lead to what this property depends on.
// Checked by hand: `next`, `sources`, `version` and `isLive` are touched only under the tree's lock;
// the rest never changes.
final class Hop: @unchecked Sendable {
  /// How a hop came to be below its parent.
  enum Role {
    case root
    /// The parent's property refers to this hop's object.
    case next
    /// The parent's property depends on the path that begins here.
    case source
  }

  weak let object: (any KeyValueObservable)?
  let storage: RegistrarStorage
  let property: Property
  let role: Role
  let parent: Hop?
  /// The path that this property is a component of, and which.
  let path: [String]
  let index: Int
  /// Whether what cannot be observed ends the path instead of being an error.
  let isLenient: Bool
  /// Whether the last property of this hop's path is the observed value.
  let endsObservedPath: Bool

  var next: Hop?
  var sources: [Hop] = []
  /// Counts what has been attached behind this hop, so that of two threads the later one wins.
  var version = 0
  var isLive = true

  private let objectIdentity: ObjectIdentifier

  init(
    object: any KeyValueObservable, storage: RegistrarStorage, property: Property, role: Role,
    parent: Hop?, path: [String], index: Int, isLenient: Bool, endsObservedPath: Bool
  ) {
    self.object = object
    self.storage = storage
    self.property = property
    self.role = role
    self.parent = parent
    self.path = path
    self.index = index
    self.isLenient = isLenient
    self.endsObservedPath = endsObservedPath
    objectIdentity = ObjectIdentifier(object)
  }

  /// Whether the branch from this hop up already watches this property of this object.
  static func branch(
    from hop: Hop?, watches property: Property, of object: any KeyValueObservable
  ) -> Bool {
    var current = hop
    while let hop = current {
      if hop.objectIdentity == ObjectIdentifier(object), hop.property.key == property.key {
        return true
      }
      current = hop.parent
    }
    return false
  }

  /// Whether this property's value is the observed value.
  var isLeaf: Bool { endsObservedPath && isLast }

  /// Whether nothing comes after this property on its path.
  var isLast: Bool { index + 1 == path.count }

  /// The hops whose own value has changed when this hop's has: itself, and every property that depends
  /// on the path it is part of.
  var changedWith: [Hop] {
    var changed = [self]
    var current = self
    while let parent = current.parent {
      if current.role == .source { changed.append(parent) }
      current = parent
    }
    return changed
  }
}
