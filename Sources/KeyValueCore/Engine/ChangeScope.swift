/// Counts the changes in progress that concern a journal or a recorder, from before their observers are called
/// until after.
///
/// ```
/// Change.will          enter, the priors, leave; enter, if the property may have `willSet` or `didSet`
/// Change.did           enter, the posts, settle, leave; leave, if it was entered before
/// group                enter, changes that belong together, leave
/// transaction's end    the same around the calls that have waited
/// ```
///
/// `left` follows when the outermost of the latter three is left, and the change is over.
///
/// Mutable state, confined to where the objects are used: `depth`, `depthOfPriors`, `groupDepth`.
// Checked by hand: as stated.
class ChangeScope: @unchecked Sendable {
  @exclusivity(unchecked) private(set) final var depth = 0
  /// How many of the changes in progress are calling their priors.
  @exclusivity(unchecked) private(set) final var depthOfPriors = 0

  /// How many groups of changes are open; what they change is kept as one.
  @exclusivity(unchecked) private(set) final var groupDepth = 0

  /// Whether `settle` has nothing to do.
  var isSettled: Bool { true }

  /// Whether stored values have to be read once the priors have been called, while priors are being called.
  var readsAfterPriors: Bool { false }

  /// Called before the priors of a change are called.
  func enterPriors() { depthOfPriors += 1 }

  /// Called when the priors of a change have been called.
  func leavePriors() { depthOfPriors -= 1 }

  /// Called when the outermost group has ended.
  func groupEnded() {}

  final func beginGroup() { groupDepth += 1 }

  final func endGroup() {
    groupDepth -= 1
    if groupDepth == 0 { groupEnded() }
  }

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

  /// The scopes of the watches, each once.
  @inline(__always)
  private static func scopes(of watches: borrowing WatchList) -> ShortList<ChangeScope> {
    var scopes = ShortList<ChangeScope>()
    watches.forEach { watch in
      guard let scope = watch.observance.scope, !scopes.contains(where: { $0 === scope }) else {
        return
      }
      scopes.append(scope)
    }
    return scopes
  }

  /// Enters the scopes of the watches, each once.
  static func enter(_ watches: borrowing WatchList) -> ShortList<ChangeScope> {
    let scopes = scopes(of: watches)
    scopes.forEach { $0.depth += 1 }
    return scopes
  }

  /// Runs changes of a property that belong together, as a removal and an insertion that move an element.
  ///
  /// Observers are told each change. A log makes one record of them, and a recorder one level.
  static func group(_ watches: borrowing WatchList, _ body: () -> Void) {
    group(Array(scopes(of: watches)), body)
  }

  static func group(_ scopes: [ChangeScope], _ body: () -> Void) {
    enter(scopes)
    for scope in scopes { scope.beginGroup() }
    body()
    for scope in scopes { scope.endGroup() }
    leave(scopes)
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
