/// Counts the changes in progress that concern a journal or a recorder, from before their observers are called
/// until after.
///
/// ```
/// Change.will          enter, the priors, leave
/// Change.did           enter, the posts, settle, leave
/// transaction's end    the same around the calls that have waited
/// ```
///
/// Mutable state, confined to where the objects are used: `depth`.
// Checked by hand: as stated.
class ChangeScope: @unchecked Sendable {
  @exclusivity(unchecked) private(set) final var depth = 0

  /// Whether `settle` has nothing to do.
  var isSettled: Bool { true }

  /// Called when all observers of the outermost change have been called, before the scope is left.
  func settle() {}

  /// The scopes that the watches of a change have entered: nearly always one, which needs no array.
  struct Entered {
    fileprivate var first: ChangeScope?
    fileprivate var others: [ChangeScope] = []

    fileprivate mutating func enter(_ scope: ChangeScope) {
      if first === scope || others.contains(where: { $0 === scope }) { return }
      scope.depth += 1
      if first == nil { first = scope } else { others.append(scope) }
    }

    func leave() {
      guard let first else { return }
      if !others.isEmpty { return ChangeScope.leave([first] + others) }
      while first.depth == 1, !first.isSettled { first.settle() }
      first.depth -= 1
    }
  }

  /// Enters the scopes of the watches, each once.
  static func enter(_ watches: borrowing WatchList) -> Entered {
    var entered = Entered()
    watches.forEach { watch in
      if let scope = watch.observance.scope { entered.enter(scope) }
    }
    return entered
  }

  static func enter(_ scopes: [ChangeScope]) {
    for scope in scopes { scope.depth += 1 }
  }

  /// Leaves scopes that were entered together.
  ///
  /// All are settled before one is left, so what is called meanwhile finds each of them in the change, whatever
  /// their order.
  static func leave(_ scopes: [ChangeScope]) {
    while let scope = scopes.first(where: { $0.depth == 1 && !$0.isSettled }) { scope.settle() }
    for scope in scopes { scope.depth -= 1 }
  }
}
