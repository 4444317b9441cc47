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
/// with the calls that it led to, and findings: cycles, avalanches, leaks. For a program that keeps a
/// log, it goes back to any record: see `showHistory(of:)`. It's read-only.
///
/// It listens only on the loopback address, on a port that the system chooses. Requests need the
/// token in the address, and are refused if they come from another server's page.
///
/// A program that's built by Swift 6.3 or later and links this module starts an inspector without a call
/// if `KVO_INSPECT=1` is in its environment; it prints the address to standard error when it observes
/// something.
///
/// On platforms that support it, the inspector also records where changes are made: see
/// `KeyValueTrace.recordCallSites()`. The page then names the file and line of each change.
///
/// - Important: Tracing costs time as long as it runs. The values of observed properties are on the
///   page, except those of keys whose values are kept out of traces.
public final class KeyValueInspector: Sendable {
  /// The page's address, with the token.
  public let url: String
  private let token: KeyValueTrace.Token
  private let server: Task<Void, any Error>
  private let pump: Task<Void, Never>
  /// Nil if the inspector was started without recording call sites.
  private let callSites: CallSiteRecording?
  private let records: RecordQueue

  private init(
    url: String, token: KeyValueTrace.Token, server: Task<Void, any Error>,
    pump: Task<Void, Never>, callSites: CallSiteRecording?, records: RecordQueue
  ) {
    self.url = url
    self.token = token
    self.server = server
    self.pump = pump
    self.callSites = callSites
    self.records = records
  }

  /// Starts tracing and serving.
  ///
  /// Keep the result: the inspector stops when it's released.
  ///
  /// - Parameter recordingCallSites: Whether to record where each change is made, which costs a
  ///   change some microseconds.
  /// - Returns: The running inspector.
  /// - Throws: A system error, if no port can be opened.
  public static func start(recordingCallSites: Bool = true) async throws -> KeyValueInspector {
    let buffer = EventBuffer()
    let callSites = recordingCallSites ? CallSiteRecording() : nil
    // Tracing begins before the port opens, so no event is missed in between.
    return try await start(
      buffer: buffer, tracing: KeyValueTrace.observe { buffer.add($0) }, callSites: callSites)
  }

  /// Starts serving the events of a buffer.
  static func start(
    buffer: EventBuffer, tracing: KeyValueTrace.Token, callSites: CallSiteRecording?
  ) async throws -> KeyValueInspector {
    let records = RecordQueue()
    let session = Session(buffer: buffer, records: records)
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
      // The server ended before it listened, so it throws the reason.
      try await server.value
      throw StartFailure.noPort
    }
    page.open(address: "127.0.0.1:\(port)")
    let pump = Task { await session.run() }
    return KeyValueInspector(
      url: "http://127.0.0.1:\(port)/\(secret)/", token: tracing, server: server, pump: pump,
      callSites: callSites, records: records)
  }

  /// Starts tracing and serving, for code that has to wait synchronously.
  ///
  /// An asynchronous function calls the other `start`, which needs `await`. A variable of a file with top-level code
  /// is initialised by this one even if the file waits elsewhere.
  ///
  /// - Parameter recordingCallSites: Whether to record where each change is made, which costs a
  ///   change some microseconds.
  /// - Returns: The running inspector.
  /// - Throws: A system error, if no port can be opened.
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

  /// Shows the history of a log: the timeline gets a slider, which goes to any of the log's records.
  ///
  /// ```swift
  /// let inspector = try KeyValueInspector.start()
  /// let log = try KeyValueChangeLog(of: company)
  /// try inspector.showHistory(of: log)
  /// ```
  ///
  /// For each record, the page shows what it changed, and the stored values of the graph after it. It reads the
  /// graph once, and shows a copy: afterwards it neither reads nor changes the program's objects, and the slider
  /// doesn't take anything back. Values of keys that are kept out of traces aren't shown.
  ///
  /// The history begins with this call. A later call shows another log instead. The inspector doesn't retain the
  /// log.
  ///
  /// Threading: call it where the log is used.
  ///
  /// - Parameter log: The log.
  /// - Throws: `KeyValueLogError`, as for a snapshot; `incompleteChange` in a transaction that has changed the
  ///   graph.
  /// - Complexity: O(*n*), where *n* is the number of values in the graph. Later, each record costs an append; the
  ///   last 5,000 are kept.
  public func showHistory<Root>(of log: KeyValueChangeLog<Root>) throws {
    try records.follow(log)
  }

  /// Stops tracing and serving; calling it again does nothing.
  public func stop() {
    token.invalidate()
    records.end()
    callSites?.end()
    pump.cancel()
    server.cancel()
  }

  deinit { stop() }
}

/// Records call sites for an inspector; does nothing if the program already records them.
final class CallSiteRecording: Sendable {
  private let isOurs: Mutex<Bool>

  init() {
    let wasOn = KeyValueTrace.recordsCallSites
    isOurs = Mutex(!wasOn && KeyValueTrace.recordCallSites())
  }

  /// Ends the recording; calling it again does nothing.
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

/// Why an inspector can't start, apart from system errors.
enum StartFailure: Error, CustomStringConvertible {
  case noPort

  var description: String { "The inspector found no port to listen on." }
}
