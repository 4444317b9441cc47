import Synchronization

/// A key path written as a string, taken apart.
struct ParsedKeyPath: Hashable {
  let string: String
  let components: [String]

  private static let known = Mutex<[String: ParsedKeyPath]>([:])
  /// More paths than a program writes; only those made at run time get here.
  private static let limit = 1024

  /// The parts of a path, which are remembered.
  static func parsed(_ string: String) throws -> ParsedKeyPath {
    if let path = known.withLock({ $0[string] }) { return path }
    let path = try ParsedKeyPath(string)
    known.withLock { known in
      if known.count >= limit { known.removeAll() }
      known[string] = path
    }
    return path
  }

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
