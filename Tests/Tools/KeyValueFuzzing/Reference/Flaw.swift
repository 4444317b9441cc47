/// A deliberate mistake of the reference, by which tests show that differences are detected.
package enum Flaw: CaseIterable, Sendable {
  /// Priors are not delivered.
  case noPriors
  /// Posts are delivered in the wrong order.
  case reversedPosts
  /// Changes of a key's dependencies are not noticed.
  case noDependents
  /// Keys that notify manually also notify when they are assigned.
  case manualKeysNotify
  /// The death of a weakly referenced object is not noticed.
  case noDeaths
  /// An observer that can't be registered on all elements of an array stays registered on the first ones.
  case noUndoing
  /// A replacement through a class's methods is taken for a removal and an insertion.
  case noReplacing
  /// Changes of badges are not noticed.
  case noBadges
  /// Changes that are not announced do not happen.
  case noSneaking
  /// Handlers are called again after their last call.
  case noLastCall
  /// A controller observes a path again that it already observes.
  case noDuplicates
  /// Owners are notified after their death.
  case noOwnersDeath
  /// A binding does not pass on a change that occurs while it passes on another.
  case noSecondPass
  /// A binding passes on every change of a wave, even if its sides agree.
  case everyWay
  /// A binding does not call validators.
  case noValidation
  /// Transactions notify of every change at once.
  case noTransactions
  /// Insertions and removals in a transaction are delivered as a setting.
  case noMerging
  /// Paths that contain `self` are not followed.
  case noSelf
  /// Changes of objects in dictionaries are not noticed.
  case noDictionaries
  /// The death of the object that a weak key at the end of a path refers to is not noticed.
  case noWeakEnds
  /// A class's own coding has no effect on a value.
  case noOwnCoding
  /// A failed transaction restores nothing.
  case noRestoring
  /// Each change that undoing makes is delivered by itself.
  case noUndoTransaction
  /// Undoing overwrites what was changed without being recorded.
  case noRefusing
  /// What a part of a transaction took back is recorded all the same.
  case noForgetting
  /// What observers set in response to undoing contradicts the levels below.
  case noAnswers
  /// A transaction whose changes take each other back is undone by itself.
  case noCancelling
  /// A failed transaction restores only objects that are on an observed path.
  case noRestoringUnobserved
  /// A value that equals the one before and holds something else is not set.
  case equalIsTheSame
  /// A proxy doesn't make a collection that is nil.
  case noMaking
  /// Crossed pairs end as if they were nested.
  case noCrossing
  /// A key that the subclass announces itself is announced automatically, too.
  case noOverriding
}
