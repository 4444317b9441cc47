import Inspection
import Testing

@Suite struct GateTests {
  private let gate = Gate(address: "127.0.0.1:4000", token: "secret")

  private func decide(
    _ path: String, method: String = "GET", host: String? = "127.0.0.1:4000", origin: String? = nil,
    site: String? = nil
  ) -> Gate.Decision {
    gate.decide(.init(method: method, path: path, host: host, origin: origin, site: site))
  }

  private func status(_ decision: Gate.Decision) -> Int {
    if case .refused(let status, _) = decision { status } else { 200 }
  }

  @Test("The path behind the token is admitted")
  func admitted() {
    #expect(decide("/secret/") == .admitted(""))
    #expect(decide("/secret/events") == .admitted("events"))
    #expect(decide("/secret/a/b", method: "HEAD") == .admitted("a/b"))
    #expect(
      decide("/secret/", origin: "http://127.0.0.1:4000", site: "same-origin") == .admitted(""))
    #expect(decide("/secret/", site: "none") == .admitted(""))
  }

  @Test(
    "A path without the token is refused",
    arguments: [
      "/", "", "secret/", "//secret/", "/secre/", "/secrets/", "/Secret/", "/?token=secret",
    ])
  func token(path: String) {
    #expect(status(decide(path)) == 403)
  }

  @Test("Without the slash the page's own addresses would lose the token")
  func slash() {
    #expect(status(decide("/secret")) == 404)
  }

  @Test(
    "Another name that leads to the address is refused, also with the token",
    arguments: ["localhost:4000", "127.0.0.1", "127.0.0.1:4001", "evil.example:4000", nil])
  func host(host: String?) {
    #expect(status(decide("/secret/", host: host)) == 403)
  }

  @Test(
    "Pages of other servers are refused",
    arguments: ["http://127.0.0.1:4001", "https://127.0.0.1:4000", "null", "http://evil.example"])
  func origin(origin: String) {
    #expect(status(decide("/secret/", origin: origin)) == 403)
  }

  @Test("What a browser calls another site is refused", arguments: ["cross-site", "same-site", ""])
  func site(site: String) {
    #expect(status(decide("/secret/", site: site)) == 403)
  }

  @Test("Only reading is admitted", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
  func method(method: String) {
    #expect(status(decide("/secret/", method: method)) == 405)
  }

  @Test("A new token has 32 digits and differs from the last one")
  func newToken() {
    let tokens = (1...100).map { _ in Gate.newToken() }
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    #expect(Set(tokens).count == 100)
  }
}
