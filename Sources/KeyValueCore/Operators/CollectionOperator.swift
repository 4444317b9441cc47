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

  /// Whether a path to the right of the operator says which value of each element is meant.
  var takesPath: Bool { self != .count }

  static func isOperator(_ component: String) -> Bool { component.hasPrefix("@") }

  /// The operator that a component names.
  ///
  /// - Throws: `KeyValueCodingError.unknownOperator`, with the nearest names.
  init(_ component: String, at index: Int, of keyPath: String) throws {
    guard let found = CollectionOperator(rawValue: String(component.dropFirst())) else {
      throw KeyValueCodingError.unknownOperator(
        .init(
          type: "", key: component, keyPath: keyPath, position: index + 1,
          suggestions: nearest(
            to: component, among: CollectionOperator.allCases.map { "@" + $0.rawValue })))
    }
    self = found
  }
}
