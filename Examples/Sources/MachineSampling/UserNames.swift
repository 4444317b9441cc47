#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Names of users by their ids, each looked up once.
struct UserNames {
  private var names: [UInt32: String] = [:]

  /// The id itself for a user without a name here; a question mark if the id is unknown.
  mutating func name(of id: UInt32?) -> String {
    guard let id else { return "?" }
    if let name = names[id] { return name }
    let name = lookUp(id) ?? String(id)
    names[id] = name
    return name
  }

  private func lookUp(_ id: UInt32) -> String? {
    var user = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { texts in
      getpwuid_r(id, &user, texts.baseAddress!, texts.count, &found)
      return found.map { String(cString: $0.pointee.pw_name) }
    }
  }
}
