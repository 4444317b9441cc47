/// Faults of the library that the programs avoid, each until it's mended; then drop the switch and what asks for it.
enum KnownFaults {
  /// X3: a recorder of keys takes a value for the one before if its own equality does, and records no change.
  static let recordersCompareByEquality = true

  /// P6, G3: to `replaceAll(with:)` of a set's proxy, an element that equals an old one hasn't entered.
  ///
  /// Paths stay with the old object, and records have the old element. Programs assign the set instead: one of
  /// objects, and in logged programs also one of values.
  static let replacingMissesEqualMembers = true

  /// G3: a proxy's first change of a nil collection is recorded as an insertion into nil.
  ///
  /// Another graph can't apply that, so in logged programs an empty collection is assigned first.
  static let recordsInsertIntoNil = true

  /// X3: a recorder undoes a proxy's first change of a nil collection as a removal, which leaves an empty one.
  static let undoingLeavesEmpty = true

  /// X2: a computed key that its class announces is reported as lost by a rollback, though it's as it was.
  ///
  /// It is if what it reads had changed in the part before the announcement. Only steps outside of transactions
  /// announce it.
  static let announcedKeysAreLost = true

  /// P3: no path leads to an operator over values in a collection that is nil.
  static let operatorsRefuseNil = true
}

extension Program {
  /// The program without what the library is known to get wrong.
  func avoidingFaults(isLogged: Bool) -> Program {
    let sets = isLogged ? ["seals", "purse"] : ["purse"]
    func avoiding(_ mutation: Mutation) -> Mutation {
      switch mutation {
      case .proxy(let key, .algebra(.set, let elements))
      where KnownFaults.replacingMissesEqualMembers && sets.contains(key):
        .assign(key, .bag(Set(elements.withoutEqual)))
      default: mutation
      }
    }
    return Program(seed: seed, operations: operations.map { $0.mapMutations(avoiding) })
  }
}
