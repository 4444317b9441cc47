/// The keys of a path, which is compared by identity: walking compares paths a great deal.
final class KeyList: Sendable {
  let keys: [String]

  init(_ keys: [String]) {
    self.keys = keys
  }
}

/// An observed path, taken apart.
struct FuzzPath {
  let string: String
  let list: KeyList
  var keys: [String] { list.keys }
  var hasOperator: Bool { keys.contains { $0.hasPrefix("@") } }
  /// Whether the path ends with the `count` of a text, which is no key; it prints as `_`.
  let countsValue: Bool
  /// Whether the path says `self` somewhere, which is the identity and left out of the keys.
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
