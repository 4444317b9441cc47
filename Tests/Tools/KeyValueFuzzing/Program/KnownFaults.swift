/// Faults of the library that the programs avoid, each until it's mended; then drop the switch and what asks for it.
enum KnownFaults {
  /// X3: a recorder of keys takes a value for the one before if its own equality does, and records no change.
  static let recordersCompareByEquality = true

  /// G3: a set's proxy records that `replaceAll(with:)` exchanges nothing if each new element equals an old one,
  /// though it holds something else.
  static let recordsMissEqualMembers = true

  /// G3: a proxy's first change of a nil collection is recorded as an insertion into nil.
  ///
  /// Another graph can't apply that, so in logged programs an empty collection is assigned first.
  static let recordsInsertIntoNil = true

  /// X3: a recorder undoes a proxy's first change of a nil collection as a removal, which leaves an empty one.
  static let undoingLeavesEmpty = true

  /// P3: no path leads to an operator over values in a collection that is nil.
  static let operatorsRefuseNil = true
}

extension Program {
  /// The program without what records can't tell.
  var withoutUnrecordable: Program {
    Program(
      seed: seed,
      operations: operations.map { operation in
        operation.mapMutations { mutation in
          switch mutation {
          case .proxy(let key, .algebra(.set, let elements))
          where KnownFaults.recordsMissEqualMembers && ["seals", "purse"].contains(key):
            .assign(key, .bag(Set(elements.withoutEqual)))
          default: mutation
          }
        }
      })
  }
}
