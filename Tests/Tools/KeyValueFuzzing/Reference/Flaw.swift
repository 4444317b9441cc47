/// A mistake that the reference can be given, so that tests see that a difference is noticed.
package enum Flaw: CaseIterable, Sendable {
  /// Priors are not delivered.
  case noPriors
  /// Posts are delivered in the wrong order.
  case reversedPosts
  /// Changes of what a key depends on are not noticed.
  case noDependents
  /// Keys that notify by hand notify when they are assigned.
  case manualKeysNotify
  /// The death of a weakly held object is not noticed.
  case noDeaths
  /// Who cannot be registered on all elements of an array is registered on the first ones.
  case noUndoing
  /// Whoever replaces elements through a class's methods is taken to remove and insert.
  case noReplacing
  /// What happens to objects of the other class is not noticed.
  case noBadges
  /// What nobody announces does not happen.
  case noSneaking
  /// Handlers that have seen enough are called again.
  case noLastCall
  /// What a controller observes already it observes once more.
  case noDuplicates
  /// Owners that are gone are told.
  case noOwnersDeath
  /// A binding does not pass on what has changed while it passed something on.
  case noSecondPass
  /// A binding does not ask validators.
  case noValidation
  /// Transactions tell of every change as soon as it happens.
  case noTransactions
  /// Insertions and removals in a transaction are told of as a setting.
  case noMerging
  /// Paths that say `self` are not followed.
  case noSelf
  /// What happens to objects in dictionaries is not noticed.
  case noDictionaries
  /// The death of what a weak key at the end of a path refers to is not noticed.
  case noWeakEnds
  /// What a class's own coding makes of a value is not known.
  case noOwnCoding
  /// Nothing is restored where a transaction fails.
  case noRestoring
}
