/// Decides which requests are answered: those from the page that has the token.
///
/// The token is the first part of the path, `http://127.0.0.1:41234/3f…/`. The page's addresses are
/// relative, so each of them contains it; a cookie would be sent to other ports of the machine,
/// too. The check of `Host` refuses pages under other names that lead to this address; the checks
/// of `Origin` and `Sec-Fetch-Site` refuse pages of other servers.
package struct Gate: Sendable {
  /// The parts of a request that the gate checks.
  package struct Request: Sendable {
    package var method: String
    package var path: String
    package var host: String?
    package var origin: String?
    /// The header `Sec-Fetch-Site`: what a browser says about the requesting page.
    package var site: String?

    package init(
      method: String, path: String, host: String?, origin: String? = nil, site: String? = nil
    ) {
      self.method = method
      self.path = path
      self.host = host
      self.origin = origin
      self.site = site
    }
  }

  /// The gate's decision about a request.
  package enum Decision: Equatable, Sendable {
    /// The path after the token, without the slash.
    case admitted(String)
    case refused(status: Int, text: String)
  }

  private let address: String
  private let token: String

  /// - Parameters:
  ///   - address: Host and port, as in `127.0.0.1:41234`.
  ///   - token: The secret.
  package init(address: String, token: String) {
    self.address = address
    self.token = token
  }

  /// A token of 128 random bits.
  package static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  package func decide(_ request: Request) -> Decision {
    guard request.host == address else {
      return .refused(status: 403, text: "Use the address \(address).")
    }
    guard request.origin == nil || request.origin == "http://\(address)" else {
      return .refused(status: 403, text: "Requests from other sites are refused.")
    }
    guard request.site == nil || request.site == "none" || request.site == "same-origin" else {
      return .refused(status: 403, text: "Requests from other sites are refused.")
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refused(status: 405, text: "The inspector is read-only: use GET or HEAD.")
    }
    let parts = request.path.split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].isEmpty, isToken(parts[1]) else {
      return .refused(
        status: 403,
        text: "The token is missing or wrong: open the address that the program printed.")
    }
    guard parts.count == 3 else {
      return .refused(status: 404, text: "The address ends with a slash.")
    }
    return .admitted(String(parts[2]))
  }

  /// Compares all bytes whatever the first ones are, so the time reveals nothing about them.
  private func isToken(_ text: Substring) -> Bool {
    let given = Array(text.utf8)
    let expected = Array(token.utf8)
    var difference = UInt8(given.count == expected.count ? 0 : 1)
    for index in expected.indices {
      difference |= expected[index] ^ (index < given.count ? given[index] : 0)
    }
    return difference == 0
  }
}
