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
    let hash = string.quickHash
    let known = ParsedKeyPathCaches.holding(hash)
    if let path = known.pointee.cache.withLock({ $0[string, hash] }) { return path }
    let path = try ParsedKeyPath(string)
    known.pointee.cache.withLock { $0.insert(path, hash) }
    return path
  }

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

/// The parsed paths by their strings, in caches with a lock each, so that threads seldom wait for each other.
///
/// Together they hold up to 1,024 paths; a new path may replace an older one.
private enum ParsedKeyPathCaches {
  struct Guarded: ~Copyable {
    let cache = LockedValue(ParsedKeyPathCache())
    // One cache line each, so that the locks don't slow each other down.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
  }

  /// A power of two.
  private static let count = 16

  // Initialised before it's published, and never freed.
  nonisolated(unsafe) private static let all: UnsafeMutablePointer<Guarded> = {
    let all = UnsafeMutablePointer<Guarded>.allocate(capacity: count)
    for index in 0..<count { (all + index).initialize(to: Guarded()) }
    return all
  }()

  /// The cache that holds the strings of a hash.
  static func holding(_ hash: Int) -> UnsafeMutablePointer<Guarded> {
    // The six lowest bits choose the slot.
    all + (hash >> 6 & (count - 1))
  }
}

/// A cache of parsed paths by their strings.
///
/// It isn't a `Dictionary`, because hashing the string for one takes as long as reading the value
/// at the path's end.
private struct ParsedKeyPathCache {
  private static let capacity = 64
  /// The number of slots, starting at the hash's own, that may hold a path.
  private static let reach = 4

  private var slots = ContiguousArray<ParsedKeyPath?>(repeating: nil, count: capacity)

  private static func places(_ hash: Int) -> some Sequence<Int> {
    (hash..<hash + reach).lazy.map { $0 & (capacity - 1) }
  }

  /// The path of a string, of which `hash` is the `quickHash`.
  subscript(string: String, hash: Int) -> ParsedKeyPath? {
    for place in ParsedKeyPathCache.places(hash) {
      if let path = slots[place], path.string == string { return path }
    }
    return nil
  }

  mutating func insert(_ path: ParsedKeyPath, _ hash: Int) {
    let places = Array(ParsedKeyPathCache.places(hash))
    // If all are taken, the first is replaced.
    let place = places.first { slots[$0] == nil || slots[$0]?.string == path.string } ?? places[0]
    slots[place] = path
  }
}
