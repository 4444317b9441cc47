import SwiftSyntax

/// What an expression leads to, as key paths from `self`.
///
/// An element of a collection has its collection's path: `employees.map(\.salary)` reads
/// `employees.salary`. `self` is the empty path. Nothing at all is known of an opaque value.
struct Reach {
  var paths: [[String]]
  /// What a tuple of two is made of.
  enum Pair {
    /// `(offset, element)`: the second is what the paths lead to.
    case enumerated
    /// Both are what the paths lead to.
    case zipped
  }

  /// The tuple that the value is, if it is one.
  var pair: Pair?
  /// Whether the paths begin at a property that never changes; alone they are no dependency.
  var constants: Set<String> = []

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

  func appending(_ name: String) -> Reach {
    Reach(paths: paths.map { $0 + [name] }, constants: constants)
  }

  /// The part of the pair that has this name or position; nil where the paths do not lead to it.
  func element(_ name: String) -> Reach? {
    let names: Set<String> =
      switch pair {
      case nil: []
      case .enumerated: ["1", "element"]
      case .zipped: ["0", "1"]
      }
    return names.contains(name) ? Reach(paths: paths, constants: constants) : nil
  }

  func union(_ other: Reach) -> Reach {
    if isOpaque || other.isOpaque { return isOpaque ? other : self }
    return Reach(
      paths: paths + other.paths.filter { !paths.contains($0) },
      pair: pair == other.pair ? pair : nil, constants: constants.union(other.constants))
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

  mutating func push() { levels.append([:]) }
  mutating func pop() { levels.removeLast() }
}
