/// A watched property's place in what an observance follows.
///
/// The tree that the hop belongs to knows what lies behind it.
class WatchedHop {
  let property: Property
  /// What a change of the property has to prepare.
  let needs: Needs
  /// Whether the property's value is the observed value.
  let isLeaf: Bool
  /// Whether the property belongs to the observed object itself.
  let isOnRoot: Bool
  /// Whether the hop, or one above it, is a source of the observed path, not a step of it.
  let isInDependency: Bool
  /// Whether no other hop leads to it.
  let isFirst: Bool
  /// Whether every property from the root to this one announces its changes and leads to one object.
  ///
  /// If so, the path can be read along the hops.
  let isOnPlainWay: Bool

  /// The dependent keys between this property and the observed path, nearest first.
  var way: [KeyValueTrace.Step] { [] }

  init(
    _ property: Property, needs: Needs, isLeaf: Bool, isOnRoot: Bool, isInDependency: Bool,
    isFirst: Bool, isOnPlainWay: Bool
  ) {
    self.property = property
    self.needs = needs
    self.isLeaf = isLeaf
    self.isOnRoot = isOnRoot
    self.isInDependency = isInDependency
    self.isFirst = isFirst
    self.isOnPlainWay = isOnPlainWay
  }
}
