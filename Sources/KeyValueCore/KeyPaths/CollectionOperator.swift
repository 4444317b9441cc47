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

  static var countComponent: String { "@count" }

  /// Whether a path to the right of the operator says which value of each element is meant.
  var takesPath: Bool { self != .count }

  /// The operator that a component names, with a path on its right where it takes one.
  ///
  /// - Throws: `KeyValueCodingError.unknownOperator` or `malformedKeyPath`.
  static func checked(
    in components: [String], at index: Int, of keyPath: String, position: Int? = nil
  ) throws -> CollectionOperator {
    let position = position ?? index + 1
    let operation = try CollectionOperator(components[index], at: position - 1, of: keyPath)
    guard operation.takesPath, index + 1 == components.count else { return operation }
    throw KeyValueCodingError.malformedKeyPath(
      .init(
        type: "", key: keyPath, keyPath: keyPath, position: position,
        reason: "\(components[index]) needs a path on its right"))
  }

  /// Makes sure, before anything is attached, that every operator of a path can work.
  static func check(_ components: [String]) throws {
    guard components.contains(where: isOperator) else { return }
    let keyPath = components.joined(separator: ".")
    for index in components.indices where isOperator(components[index]) {
      _ = try checked(in: components, at: index, of: keyPath)
    }
  }

  static func isOperator(_ component: String) -> Bool {
    component.utf8.first == UInt8(ascii: "@")  // `hasPrefix` compares characters
  }

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
