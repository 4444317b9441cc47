/// The keys of a path, which are compared by identity because a walk compares many paths.
final class KeyList: Sendable {
  let keys: [String]

  init(_ keys: [String]) {
    self.keys = keys
  }
}

/// A parsed observed path.
struct FuzzPath {
  let string: String
  let list: KeyList
  var keys: [String] { list.keys }
  var hasOperator: Bool { keys.contains { $0.hasPrefix("@") } }
  /// Whether the path ends with the `count` of a text, which isn't a key and prints as `_`.
  let countsValue: Bool
  /// Whether the path contains `self`, which is the identity and left out of the keys.
  let hasSelf: Bool

  init(_ string: String, isTyped: Bool) {
    self.string = string
    let written = string.split(separator: ".").map(String.init)
    let components = written.filter { $0 != "self" }
    hasSelf = components.count < written.count
    countsValue = isTyped && components.last == "_"
    list = KeyList(countsValue ? components.dropLast() : components)
  }
}
