import Foundation
import HTTPTypes
import Hummingbird
import Inspection
import Synchronization

/// Answers requests: the page's files, its queries, and the stream of batches.
struct Page: HTTPResponder {
  typealias Context = BasicRequestContext

  private let session: Session
  private let token: String
  private let gate: Held

  /// The gate, once the port is known.
  private final class Held: Sendable {
    let gate = Mutex<Gate?>(nil)
  }

  init(session: Session, token: String) {
    self.session = session
    self.token = token
    gate = Held()
  }

  /// Starts answering requests for this host and port.
  func open(address: String) {
    gate.gate.withLock { $0 = Gate(address: address, token: token) }
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    var response: Response
    if let gate = gate.gate.withLock({ $0 }) {
      switch gate.decide(Gate.Request(request)) {
      case .refused(let status, let text): response = .text(text, status: .init(code: status))
      case .admitted(let path): response = try await answer(path, request)
      }
    } else {
      response = .text("The inspector is starting.", status: .serviceUnavailable)
    }
    for (name, value) in Self.headers { response.headers[name] = value }
    if response.status == .methodNotAllowed { response.headers[.allow] = "GET, HEAD" }
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ path: String, _ request: Request) async throws -> Response {
    func parameter(_ name: String) -> String {
      request.uri.queryParameters[name[...]].map(String.init) ?? ""
    }
    if let file = Self.files[path] { return .bytes(file.bytes, type: file.type) }
    switch path {
    case "events": return stream()
    case "objects": return try .json(await session.objects(search: parameter("search")))
    case "object": return try .json(await session.object(id: parameter("id")))
    case "graph":
      func nodes(_ name: String) -> Set<String> {
        Set(parameter(name).split(separator: "\n").map(String.init))
      }
      let cause = nodes("lit")
      return try .json(
        await session.graph(
          around: parameter("id"), opened: nodes("opened"), lighting: cause.isEmpty ? nil : cause))
    case "history":
      return try .json(await session.history(at: Int(parameter("position")) ?? 0))
    case "findings": return try .json(await session.findings())
    default: return .text("There is no such page here.", status: .notFound)
    }
  }

  /// Server-sent events: first what is known, then a few batches a second.
  private func stream() -> Response {
    let session = session
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: ResponseBody { writer in
        for await message in await session.messages() { try await writer.write(message) }
        try await writer.finish(nil)
      })
  }

  private static let files: [String: (bytes: [UInt8], type: String)] = [
    "": (PackageResources.index_html, "text/html; charset=utf-8"),
    "style.css": (PackageResources.style_css, "text/css; charset=utf-8"),
    "main.js": (PackageResources.main_js, script),
    "elements.js": (PackageResources.elements_js, script),
    "graph.js": (PackageResources.graph_js, script),
    "history.js": (PackageResources.history_js, script),
    "state.js": (PackageResources.state_js, script),
    "timeline.js": (PackageResources.timeline_js, script),
  ]

  private static let script = "text/javascript; charset=utf-8"

  /// Headers of every response: it isn't cached, framed or sniffed, and loads nothing from other sites.
  private static let headers: [(HTTPField.Name, String)] = [
    (.cacheControl, "no-store"),
    (.xContentTypeOptions, "nosniff"),
    (.contentSecurityPolicy, policy),
    (.init("Referrer-Policy")!, "no-referrer"),
    (.init("Cross-Origin-Resource-Policy")!, "same-origin"),
    (.init("Cross-Origin-Opener-Policy")!, "same-origin"),
    (.init("X-Frame-Options")!, "DENY"),
  ]

  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """
}

extension Gate.Request {
  init(_ request: Request) {
    self.init(
      method: request.method.rawValue, path: request.uri.path, host: request.head.authority,
      origin: request.headers[.origin], site: request.headers[.init("Sec-Fetch-Site")!])
  }
}

extension Response {
  fileprivate static func bytes(
    _ bytes: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  fileprivate static func text(_ text: String, status: HTTPResponse.Status) -> Response {
    bytes((text + "\n").utf8, type: "text/plain; charset=utf-8", status: status)
  }

  /// Encodes a value; nil, for an object that isn't known any more, becomes status 404.
  fileprivate static func json(_ value: (some Encodable)?) throws -> Response {
    guard let value else { return text("The inspector has no such object.", status: .notFound) }
    return bytes(try JSONEncoder().encode(value), type: "application/json")
  }
}
