/// A parsed string key path.
///
/// `self` is the identity and is dropped next to another component: `a.self.b` has the components
/// `a` and `b`. It stays in a path of `self` alone, and as an operator's right-hand path.
/// Components after `@count` are dropped too, because Cocoa ignores that operator's right-hand
/// path.
struct ParsedKeyPath: Hashable {
  let string: String
  let components: [PathComponent]
  /// Each component's position in the string, counted from 1; nil if no component was dropped.
  private let positions: [Int]?

  /// The index of the first operator, or the number of components.
  let firstOperator: Int
  /// Whether private keys are reached too, because a typed path or the program's own part named them.
  private(set) var reachesPrivateKeys = false

  /// The parsed path, from the cache if it's there.
  static func parsed(_ string: String) throws -> ParsedKeyPath {
    if let path = known.withLock({ $0[string] }) { return path }
    let path = try ParsedKeyPath(string)
    known.withLock { $0.insert(path) }
    return path
  }

  private static let known = LockedValue(ParsedKeyPathCache())

  init(_ string: String) throws {
    self.init(unchecked: string)
    guard !string.isEmpty else {
      throw KeyValueCodingError.malformedKeyPath(
        .init(type: "", key: string, keyPath: string, reason: "it is empty"))
    }
    if let empty = components.firstIndex(where: { $0.name.isEmpty }) {
      let position = position(of: empty)
      throw KeyValueCodingError.malformedKeyPath(
        .init(
          type: "", key: string, keyPath: string, position: position,
          reason: "component \(position) is empty"))
    }
  }

  /// Creates a path from a string whose components are known to be nonempty.
  init(unchecked string: String) {
    let written = string.split(separator: ".", omittingEmptySubsequences: false)
      .map { PathComponent(String($0)) }
    self.init(string, written)
  }

  /// Creates a path from components, all of which stay.
  init(_ components: some Collection<PathComponent>) {
    self.init(components.string, Array(components))
  }

  private init(_ string: String, _ written: [PathComponent]) {
    self.string = string
    if let kept = ParsedKeyPath.meaningful(written) {
      components = kept.map { written[$0] }
      positions = kept.map { $0 + 1 }
    } else {
      components = written
      positions = nil
    }
    firstOperator = components.firstIndex(where: \.isOperator) ?? components.count
  }

  /// The same path, which reaches private keys too.
  func reachingPrivateKeys(_ reaches: Bool = true) -> ParsedKeyPath {
    var path = self
    path.reachesPrivateKeys = reaches
    return path
  }

  /// The path without the components that were dropped.
  var meaning: String { positions == nil ? string : components.string }

  /// Whether the path contains an operator.
  var hasOperator: Bool { firstOperator < components.count }

  /// The path to the object that has the last component's key; nil if there is only one component.
  var owner: ParsedKeyPath? {
    components.count > 1
      ? ParsedKeyPath(components.dropLast()).reachingPrivateKeys(reachesPrivateKeys) : nil
  }

  /// The indexes of the components other than `self`, and of a `self` that has to stay; nil if
  /// every component stays.
  private static func meaningful(_ components: [PathComponent]) -> [Int]? {
    let isSpecial = { (component: PathComponent) in
      component.isIdentity || component.operation == .count
    }
    guard components.contains(where: isSpecial) else { return nil }
    var kept: [Int] = []
    for (index, component) in components.enumerated() {
      if !component.isIdentity {
        kept.append(index)
        if component.operation == .count { break }
      } else if index == components.count - 1,
        kept.last.map({ components[$0].isOperator }) ?? true
      {
        kept.append(index)
      }
    }
    return kept.count < components.count ? kept : nil
  }

  /// The component's position in the string, counted from 1.
  func position(of index: Int) -> Int {
    positions?[index] ?? index + 1
  }

  /// The error with its position counted in the path as written.
  func respelled(_ error: KeyValueCodingError) -> KeyValueCodingError {
    guard let positions, let position = error.details.position,
      error.details.keyPath == components.string
    else { return error }
    return error.saidOf(string, at: positions[position - 1])
  }
}

/// A cache of parsed paths by their strings.
///
/// It holds up to 1,024 paths; a new path may replace an older one.
///
/// It isn't a `Dictionary`, because hashing the string for one takes as long as reading the value
/// at the path's end.
private struct ParsedKeyPathCache {
  private static let capacity = 1024
  /// The number of slots, starting at the hash's own, that may hold a path.
  private static let reach = 4

  private var slots = ContiguousArray<ParsedKeyPath?>(repeating: nil, count: capacity)

  private static func places(of string: String) -> some Sequence<Int> {
    let first = string.quickHash
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
    // If all are taken, the first is replaced.
    let place = places.first { slots[$0] == nil || slots[$0]?.string == path.string } ?? places[0]
    slots[place] = path
  }
}
