import Dispatch
import Hummingbird
import Inspection
import KeyValueCallSites
import KeyValueObserving
import Logging
import Synchronization

/// A web page that shows what this process observes, while it runs.
///
/// ```swift
/// let inspector = try KeyValueInspector.start()
/// print(inspector.url)
/// // http://127.0.0.1:41234/3f0c…/
/// ```
///
/// The page shows objects with their keys and observers, the graph around one of them, every change
/// with the calls that it led to, and findings: cycles, avalanches, leaks. It's read-only.
///
/// It listens on the loopback address alone, at a port of the system's choosing. Requests need the
/// token in the address, and are refused if they come from a page of another server.
///
/// A program that links this module shows itself without a call if `KVO_INSPECT=1` is in its
/// environment; the address is printed to standard error when it observes something.
///
/// Where changes are made is recorded, too, on the platforms where it can be: see
/// `KeyValueTrace.recordCallSites()`. The page names the file and line of each change then.
///
/// - Important: Tracing costs time as long as it runs. The values of observed properties are on the
///   page, except of keys whose values are kept out of traces.
public final class KeyValueInspector: Sendable {
  /// The page's address, with the token.
  public let url: String
  private let token: KeyValueTrace.Token
  private let server: Task<Void, any Error>
  private let pump: Task<Void, Never>
  /// Nil where the program records call sites itself, or nothing does.
  private let callSites: CallSiteRecording?

  private init(
    url: String, token: KeyValueTrace.Token, server: Task<Void, any Error>,
    pump: Task<Void, Never>, callSites: CallSiteRecording?
  ) {
    self.url = url
    self.token = token
    self.server = server
    self.pump = pump
    self.callSites = callSites
  }

  /// Starts tracing and serving.
  ///
  /// Keep the result: the inspector stops when it's released.
  ///
  /// - Parameter recordingCallSites: Whether each change notes where it's made, which costs it some
  ///   microseconds.
  /// - Returns: The running inspector.
  /// - Throws: An error of the system, if no port can be opened.
  public static func start(recordingCallSites: Bool = true) async throws -> KeyValueInspector {
    let buffer = EventBuffer()
    let callSites = recordingCallSites ? CallSiteRecording() : nil
    // Before the port is there, so that nothing is missed meanwhile.
    return try await start(
      buffer: buffer, tracing: KeyValueTrace.observe { buffer.add($0) }, callSites: callSites)
  }

  /// Starts serving what a buffer gets.
  static func start(
    buffer: EventBuffer, tracing: KeyValueTrace.Token, callSites: CallSiteRecording?
  ) async throws -> KeyValueInspector {
    let session = Session(buffer: buffer)
    let secret = Gate.newToken()
    let (ports, announced) = AsyncStream.makeStream(of: Int.self)
    let page = Page(session: session, token: secret)
    let application = Application(
      responder: page,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: 0), serverName: nil),
      onServerRunning: { channel in
        announced.yield(channel.localAddress?.port ?? 0)
        announced.finish()
      },
      logger: Logger(label: "KeyValueInspector") { _ in SwiftLogNoOpLogHandler() })
    let server = Task {
      defer { announced.finish() }
      try await application.run()
    }
    guard let port = await ports.first(where: { _ in true }), port > 0 else {
      tracing.invalidate()
      callSites?.end()
      server.cancel()
      // It ended before it listened, so it says why.
      try await server.value
      throw StartFailure.noPort
    }
    page.open(address: "127.0.0.1:\(port)")
    let pump = Task { await session.run() }
    return KeyValueInspector(
      url: "http://127.0.0.1:\(port)/\(secret)/", token: tracing, server: server, pump: pump,
      callSites: callSites)
  }

  /// Starts tracing and serving, where waiting for it must be synchronous.
  ///
  /// - Parameter recordingCallSites: Whether each change notes where it's made, which costs it some
  ///   microseconds.
  /// - Returns: The running inspector.
  /// - Throws: An error of the system, if no port can be opened.
  @available(*, noasync, message: "Call it with 'await'.")
  public static func start(recordingCallSites: Bool = true) throws -> KeyValueInspector {
    let outcome = Outcome()
    Task.detached {
      do {
        let inspector: KeyValueInspector = try await start(
          recordingCallSites: recordingCallSites)
        outcome.settle(.success(inspector))
      } catch {
        outcome.settle(.failure(error))
      }
    }
    return try outcome.wait()
  }

  /// Stops tracing and serving; calling it again does nothing.
  public func stop() {
    token.invalidate()
    callSites?.end()
    pump.cancel()
    server.cancel()
  }

  deinit { stop() }
}

/// Records call sites for an inspector; does nothing where the program does so itself.
final class CallSiteRecording: Sendable {
  private let isOurs: Mutex<Bool>

  init() {
    let wasOn = KeyValueTrace.recordsCallSites
    isOurs = Mutex(!wasOn && KeyValueTrace.recordCallSites())
  }

  /// Ends it; calling it again does nothing.
  func end() {
    let ends = isOurs.withLock { isOurs in
      defer { isOurs = false }
      return isOurs
    }
    if ends { KeyValueTrace.recordCallSites(false) }
  }

  deinit { end() }
}

/// The result of a start that a thread waits for.
private final class Outcome: Sendable {
  private let result = Mutex<Result<KeyValueInspector, any Error>>(.failure(StartFailure.noPort))
  private let isSettled = DispatchSemaphore(value: 0)

  func settle(_ result: Result<KeyValueInspector, any Error>) {
    self.result.withLock { $0 = result }
    isSettled.signal()
  }

  func wait() throws -> KeyValueInspector {
    isSettled.wait()
    return try result.withLock { $0 }.get()
  }
}

/// Why an inspector can't start, beside errors of the system.
enum StartFailure: Error, CustomStringConvertible {
  case noPort

  var description: String { "The inspector found no port to listen on." }
}
