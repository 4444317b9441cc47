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

  init(_ string: String, isTyped: Bool) {
    self.string = string
    let components = string.split(separator: ".").map(String.init)
    countsValue = isTyped && components.last == "_"
    list = KeyList(countsValue ? components.dropLast() : components)
  }
}
