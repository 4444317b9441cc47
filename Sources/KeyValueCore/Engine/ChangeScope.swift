/// Counts the changes in progress that concern a journal or a recorder, from before their observers are called
/// until after.
///
/// ```
/// Change.will          enter, the priors, leave
/// Change.did           enter, the posts, settle, leave
/// transaction's end    the same around the calls that have waited
/// ```
///
/// `left` follows when the outermost of the latter two is left, and the change is over.
///
/// Mutable state, confined to where the objects are used: `depth`, `depthOfPriors`.
// Checked by hand: as stated.
class ChangeScope: @unchecked Sendable {
  @exclusivity(unchecked) private(set) final var depth = 0
  /// How many of the changes in progress are calling their priors.
  @exclusivity(unchecked) private(set) final var depthOfPriors = 0

  /// Whether `settle` has nothing to do.
  var isSettled: Bool { true }

  /// Whether handlers of priors have made changes that the scope is told, while priors are being called.
  var hasHeardInPriors: Bool { false }

  /// Called before the priors of a change are called.
  func enterPriors() { depthOfPriors += 1 }

  /// Called when the priors of a change have been called.
  func leavePriors() { depthOfPriors -= 1 }

  /// Called when all observers of the outermost change have been called, before the scope is left.
  func settle() {}

  /// Called when the outermost change is over, with everything that its observers have done.
  func left() {}

  /// Does what leaving does, unless a change is in progress that will be left.
  final func settleOutsideOfChanges() {
    guard depth == 0 else { return }
    settle()
    left()
  }

  /// Enters the scopes of the watches, each once.
  static func enter(_ watches: borrowing WatchList) -> ShortList<ChangeScope> {
    var scopes = ShortList<ChangeScope>()
    watches.forEach { watch in
      guard let scope = watch.observance.scope, !scopes.contains(where: { $0 === scope }) else {
        return
      }
      scope.depth += 1
      scopes.append(scope)
    }
    return scopes
  }

  static func enter(_ scopes: [ChangeScope]) {
    for scope in scopes { scope.depth += 1 }
  }

  /// Leaves scopes that were entered together.
  ///
  /// All are settled before one is left, so what is called meanwhile finds each of them in the change, whatever
  /// their order.
  static func leave(_ scopes: some Collection<ChangeScope>) {
    leaveWhileChanging(scopes)
    scopes.forEach { scope in if scope.depth == 0 { scope.left() } }
  }

  /// Leaves scopes before the change has happened.
  static func leaveWhileChanging(_ scopes: some Collection<ChangeScope>) {
    while let scope = scopes.first(where: { $0.depth == 1 && !$0.isSettled }) { scope.settle() }
    scopes.forEach { $0.depth -= 1 }
  }
}
