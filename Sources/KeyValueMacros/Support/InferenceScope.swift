import SwiftSyntax

/// The key paths from `self` that an expression leads to.
///
/// An element of a collection has its collection's path: `employees.map(\.salary)` reads
/// `employees.salary`. `self` is the empty path. An opaque value is entirely unknown.
struct ValueOrigin: Hashable {
  var paths: [[String]]
  /// The parts of a tuple, or of each element.
  enum Pair: Hashable {
    /// `(offset, element)`: the paths lead to the second.
    case enumerated
    /// `(key, value)`: the paths lead to the second.
    case keyed
    /// The paths lead to all parts, which have these names.
    case parts([String])

    static let zipped = Pair.parts(["0", "1"])
  }

  /// The value's tuple, if it is one.
  var pair: Pair?
  /// The paths' first properties that never change; alone they aren't dependencies.
  var constants: Set<String> = []
  /// Whether the value is a collection literal such as `[self]`.
  var isElements = false
  /// How often an element was taken: 0 for the paths' values, 1 for an element of them, -1 for a collection of
  /// their parts.
  var depth = 0

  static let opaque = ValueOrigin(paths: [])
  static let object = ValueOrigin(paths: [[]])

  var isOpaque: Bool { paths.isEmpty }
  var isObject: Bool { paths.contains([]) }

  /// The value without the object itself.
  var withoutObject: ValueOrigin {
    var origin = self
    origin.paths.removeAll(where: \.isEmpty)
    return origin
  }

  /// An element of the value's collection.
  var elements: ValueOrigin {
    guard isElements else { return withoutObject }
    var origin = self
    origin.isElements = false
    return origin
  }

  func appending(_ name: String) -> ValueOrigin {
    ValueOrigin(paths: paths.map { $0 + [name] }, constants: constants)
  }

  /// One element of the value's collection.
  var element: ValueOrigin { isElements || pair != nil ? elements : elements.deeper() }

  func deeper(by levels: Int = 1) -> ValueOrigin {
    var origin = self
    origin.depth += levels
    return origin
  }

  /// A dictionary of such values.
  var keyed: ValueOrigin {
    var origin = self
    origin.pair = .keyed
    origin.isElements = false
    return origin
  }

  /// A collection of such values; one of pairs has the depth of their parts.
  var collected: ValueOrigin { deeper(by: depth > 0 && pair == nil ? -1 : 0) }

  /// The part of the pair with this name or position; nil if the paths don't lead to it.
  func element(_ name: String) -> ValueOrigin? {
    let names: [String] =
      switch pair {
      case nil: []
      case .enumerated: ["1", "element"]
      case .keyed: ["1", "value"]
      case .parts(let names): names
      }
    guard names.contains(name) else { return nil }
    let part = ValueOrigin(paths: paths, constants: constants, depth: depth)
    return pair == .enumerated ? part.deeper() : part
  }

  func union(_ other: ValueOrigin) -> ValueOrigin {
    if isOpaque || other.isOpaque { return isOpaque ? other : self }
    return ValueOrigin(
      paths: paths + other.paths.filter { !paths.contains($0) },
      pair: pair == other.pair ? pair : nil, constants: constants.union(other.constants),
      isElements: isElements || other.isElements, depth: max(depth, other.depth))
  }
}

/// A local name for a path; if it stays unused, the path itself was read.
final class Alias {
  var isUsed = false
}

/// The meaning of a local name.
enum LocalBinding {
  case value(ValueOrigin, Alias?)
  /// A local function, and the depth of the scope that declares it.
  case function(FunctionDeclSyntax, depth: Int)
}

/// The local names of one block.
struct InferenceScope {
  private var levels: [[String: LocalBinding]] = [[:]]

  subscript(name: String) -> LocalBinding? {
    for level in levels.reversed() {
      if let binding = level[name] { return binding }
    }
    return nil
  }

  mutating func bind(_ name: String, to binding: LocalBinding) {
    levels[levels.count - 1][name] = binding
  }

  /// Whether a local variable holds values by keys.
  func isKeyed(_ name: String) -> Bool {
    if case .value(let known, _) = self[name] { known.pair == .keyed } else { false }
  }

  /// Adds a value that a local variable may have.
  mutating func add(_ origin: ValueOrigin, to name: String) {
    guard let index = levels.lastIndex(where: { $0[name] != nil }),
      case .value(let known, _) = levels[index][name], !origin.isOpaque
    else { return }
    levels[index][name] = .value(known.union(origin), nil)
  }

  var depth: Int { levels.count }

  /// Takes away the levels inside a depth, and returns them.
  mutating func cut(to depth: Int) -> ArraySlice<[String: LocalBinding]> {
    let inner = levels[depth...]
    levels.removeSubrange(depth...)
    return inner
  }

  mutating func append(_ inner: ArraySlice<[String: LocalBinding]>) { levels += inner }

  mutating func push() { levels.append([:]) }
  mutating func pop() { levels.removeLast() }
}
