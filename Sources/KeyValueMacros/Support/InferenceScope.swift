import SwiftSyntax

/// What an expression leads to, as key paths from `self`.
///
/// An element of a collection has its collection's path: `employees.map(\.salary)` reads
/// `employees.salary`. `self` is the empty path. Nothing at all is known of an opaque value.
struct Reach {
  var paths: [[String]]
  /// What a tuple, or each element, is made of.
  enum Pair: Equatable {
    /// `(offset, element)`: the second is what the paths lead to.
    case enumerated
    /// `(key, value)`: the second is what the paths lead to.
    case keyed
    /// All parts, under these names, are what the paths lead to.
    case parts([String])

    static let zipped = Pair.parts(["0", "1"])
  }

  /// The tuple that the value is, if it is one.
  var pair: Pair?
  /// Whether the paths begin at a property that never changes; alone they are no dependency.
  var constants: Set<String> = []
  /// Whether the value is a collection that was written out, such as `[self]`.
  var isElements = false

  static let opaque = Reach(paths: [])
  static let object = Reach(paths: [[]])

  var isOpaque: Bool { paths.isEmpty }
  var isObject: Bool { paths.contains([]) }

  /// The same without the object itself.
  var withoutObject: Reach {
    var reach = self
    reach.paths.removeAll(where: \.isEmpty)
    return reach
  }

  /// An element of the collection that the value is.
  var elements: Reach {
    guard isElements else { return withoutObject }
    var reach = self
    reach.isElements = false
    return reach
  }

  func appending(_ name: String) -> Reach {
    Reach(paths: paths.map { $0 + [name] }, constants: constants)
  }

  /// The part of the pair that has this name or position; nil where the paths do not lead to it.
  func element(_ name: String) -> Reach? {
    let names: [String] =
      switch pair {
      case nil: []
      case .enumerated: ["1", "element"]
      case .keyed: ["1", "value"]
      case .parts(let names): names
      }
    return names.contains(name) ? Reach(paths: paths, constants: constants) : nil
  }

  func union(_ other: Reach) -> Reach {
    if isOpaque || other.isOpaque { return isOpaque ? other : self }
    return Reach(
      paths: paths + other.paths.filter { !paths.contains($0) },
      pair: pair == other.pair ? pair : nil, constants: constants.union(other.constants),
      isElements: isElements || other.isElements)
  }
}

/// One local name that stands for a path; unused, the path itself is what was read.
final class Alias {
  var isUsed = false
}

/// What a local name stands for.
enum LocalBinding {
  case value(Reach, Alias?)
  case function(FunctionDeclSyntax)
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

  /// Gives a local variable another value beside those that it may have.
  mutating func add(_ reach: Reach, to name: String) {
    guard let index = levels.lastIndex(where: { $0[name] != nil }),
      case .value(let known, _) = levels[index][name], !reach.isOpaque
    else { return }
    levels[index][name] = .value(known.union(reach), nil)
  }

  mutating func push() { levels.append([:]) }
  mutating func pop() { levels.removeLast() }
}
