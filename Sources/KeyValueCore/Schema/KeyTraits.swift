/// A class's answers about one of its keys.
final class KeyTraits: Sendable {
  /// The key's dependencies from all sources, each path once.
  let dependencies: [DependencyPath]
  /// Whether assigning the property announces it, which every source must confirm.
  let isAutomatic: Bool

  init(dependencies: [DependencyPath], isAutomatic: Bool) {
    self.dependencies = dependencies
    self.isAutomatic = isAutomatic
  }
}
