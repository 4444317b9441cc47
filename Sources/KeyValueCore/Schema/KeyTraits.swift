/// A class's answers about one of its keys.
final class KeyTraits: Sendable {
  /// The key's dependencies from all sources, each path once.
  let dependencies: [DependencyPath]
  /// Whether assigning the property announces it, which every source must confirm.
  let isAutomatic: Bool

  /// Whether the class states a dependency by name.
  let statesDependencies: Bool
  /// Whether a dependency is inferred that the class doesn't state as well.
  let infersDependencies: Bool

  /// `own` are the class's dependencies by inference and by name, which may both have a path; `answered` are all,
  /// and what only a method knows.
  init(own: [DependencyPath], answered: [DependencyPath], isAutomatic: Bool) {
    var seen: Set<String> = []
    dependencies = (own + answered).filter { seen.insert($0.string).inserted }
    let inferred = Set(own.lazy.filter { $0.origin == .inferred }.map(\.string))
    let stated = Set(own.lazy.filter { $0.origin != .inferred }.map(\.string))
    statesDependencies = !stated.isEmpty || seen.count > inferred.count
    infersDependencies = !inferred.isSubset(of: stated)
    self.isAutomatic = isAutomatic
  }
}
