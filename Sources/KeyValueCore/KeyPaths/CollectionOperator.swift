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

  /// Whether a path to the right of the operator says which value of each element is meant.
  var takesPath: Bool { self != .count }
}
