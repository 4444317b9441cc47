/// A key path written as a string, taken apart.
struct ParsedKeyPath: Hashable {
  let string: String
  let components: [String]

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
  }
}
