import Synchronization

/// A key path written as a string, taken apart.
struct ParsedKeyPath: Hashable {
  let string: String
  let components: [String]

  /// Where the first operator stands; the number of components where there is none.
  let firstOperator: Int

  /// The parts of a path, which are remembered.
  static func parsed(_ string: String) throws -> ParsedKeyPath {
    if let path = known.withLock({ $0[string] }) { return path }
    let path = try ParsedKeyPath(string)
    known.withLock { $0.insert(path) }
    return path
  }

  private static let known = Mutex(ParsedKeyPathCache())

  init(_ string: String) throws {
    let components = string.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !string.isEmpty else {
      throw KeyValueCodingError.malformedKeyPath(
        .init(type: "", key: string, keyPath: string, reason: "it is empty"))
    }
    if let empty = components.firstIndex(of: "") {
      throw KeyValueCodingError.malformedKeyPath(
        .init(
          type: "", key: string, keyPath: string, position: empty + 1,
          reason: "component \(empty + 1) is empty"))
    }
    self.string = string
    self.components = components
    firstOperator =
      components.firstIndex(where: CollectionOperator.isOperator) ?? components.count
  }
}

/// Paths by their strings: as many as a program writes, and of those made at run time the latest.
///
/// Hashing a string for a `Dictionary` takes as long as reading the value at the path's end.
private struct ParsedKeyPathCache {
  private static let capacity = 1024
  /// How many slots, from the one that the hash names on, may hold a path.
  private static let reach = 4

  private var slots = ContiguousArray<ParsedKeyPath?>(repeating: nil, count: capacity)

  private static func places(of string: String) -> some Sequence<Int> {
    let first = KeyTable.hash(string)
    return (first..<first + reach).lazy.map { $0 & (capacity - 1) }
  }

  subscript(string: String) -> ParsedKeyPath? {
    for place in ParsedKeyPathCache.places(of: string) {
      if let path = slots[place], path.string == string { return path }
    }
    return nil
  }

  mutating func insert(_ path: ParsedKeyPath) {
    let places = Array(ParsedKeyPathCache.places(of: path.string))
    // Where all are taken, the first of them goes, which hashes there or close by.
    let place = places.first { slots[$0] == nil || slots[$0]?.string == path.string } ?? places[0]
    slots[place] = path
  }
}
