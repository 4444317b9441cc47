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

  @Test("A request with the token is admitted with the rest of its path")
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

  @Test("A path that ends with the token, without a slash, is not found")
  func slash() {
    #expect(status(decide("/secret")) == 404)
  }

  @Test(
    "A request for another host or port is refused, even with the token",
    arguments: ["localhost:4000", "127.0.0.1", "127.0.0.1:4001", "evil.example:4000", nil])
  func host(host: String?) {
    #expect(status(decide("/secret/", host: host)) == 403)
  }

  @Test(
    "A request from another origin is refused",
    arguments: ["http://127.0.0.1:4001", "https://127.0.0.1:4000", "null", "http://evil.example"])
  func origin(origin: String) {
    #expect(status(decide("/secret/", origin: origin)) == 403)
  }

  @Test(
    "A request that the browser marks as cross-site or same-site is refused",
    arguments: ["cross-site", "same-site", ""])
  func site(site: String) {
    #expect(status(decide("/secret/", site: site)) == 403)
  }

  @Test(
    "A method other than GET and HEAD is refused",
    arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
  func method(method: String) {
    #expect(status(decide("/secret/", method: method)) == 405)
  }

  @Test("A new token has 32 hexadecimal digits, and is unique")
  func newToken() {
    let tokens = (1...100).map { _ in Gate.newToken() }
    #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    #expect(Set(tokens).count == 100)
  }
}
