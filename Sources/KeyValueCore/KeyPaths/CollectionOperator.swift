/// A collection operator of a key path: `@sum`, `@count`, and the rest of Cocoa's.
enum CollectionOperator: String, CaseIterable, Sendable {
  case count
  case sum
  case avg
  case min
  case max
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case unionOfSets
  case distinctUnionOfSets

  /// The operator as a component of a key path: `@sum`.
  var component: String { "@" + rawValue }

  /// A group of operators that are computed in the same way.
  enum Family {
    case count
    /// Computed from the elements' numbers.
    case sum
    /// The least or greatest of the elements' values.
    case extremum
    /// Made of the elements' values themselves, in the elements' order.
    case union
  }

  var family: Family {
    switch self {
    case .count: .count
    case .sum, .avg: .sum
    case .min, .max: .extremum
    case .unionOfObjects, .distinctUnionOfObjects, .unionOfArrays, .distinctUnionOfArrays,
      .unionOfSets, .distinctUnionOfSets:
      .union
    }
  }

  /// Whether a path to the right of the operator selects the value of each element.
  var takesPath: Bool { self != .count }
}
