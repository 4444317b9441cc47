/// A class's answers about one of its keys.
final class KeyTraits: Sendable {
  /// The key's dependencies from all sources, each path once.
  let dependencies: [DependencyPath]
  /// Whether a dependency is known whose changes are announced.
  ///
  /// An inferred path may end at a constant: `engine.power` becomes `engine` if the class of `engine` isn't observable.
  let isAffected: Bool
  /// Whether assigning the property announces it, which every source must confirm.
  let isAutomatic: Bool

  /// Whether the class states a dependency by name.
  let statesDependencies: Bool
  /// Whether a dependency is inferred that the class doesn't state as well.
  let infersDependencies: Bool

  /// `own` are the class's dependencies by inference and by name, which may both have a path.
  ///
  /// `answered` are all, also those that only a method knows. `isConstant` says whether a path leads only to constants.
  init(
    own: [DependencyPath], answered: [DependencyPath], isAutomatic: Bool,
    isConstant: (DependencyPath) -> Bool
  ) {
    var seen: Set<String> = []
    let all = (own + answered).filter { seen.insert($0.string).inserted }
    dependencies = all
    let inferred = Set(own.lazy.filter { $0.origin == .inferred }.map(\.string))
    let stated = Set(own.lazy.filter { $0.origin != .inferred }.map(\.string))
    isAffected = all.contains {
      !inferred.contains($0.string) || stated.contains($0.string) || !isConstant($0)
    }
    statesDependencies = !stated.isEmpty || seen.count > inferred.count
    infersDependencies = !inferred.isSubset(of: stated)
    self.isAutomatic = isAutomatic
  }
}
