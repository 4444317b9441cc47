import Foundation

/// A connection of libpq, which one thread uses.
final class PostgreSQLConnection {
  private let library: LibPQ
  private let handle: LibPQ.Handle
  private let timeout: Duration
  private var prepared: [String: String] = [:]
  /// What the names of its prepared statements begin with.
  ///
  /// Behind a pooler that pools transactions, several connections use one session, and none may find another's
  /// statement under its own name.
  private let prefix = "kvo_\(UInt64.random(in: 0 ... .max))_"

  /// The server's process, as it was told when the connection was made: a pooler tells another one.
  var serverProcess: Int { Int(library.serverProcess(handle)) }

  /// Connects, and waits until it's done.
  init(
    _ library: LibPQ, options: String, timeout: Duration
  ) throws(PostgreSQLError) {
    self.library = library
    self.timeout = timeout
    guard let read = library.options(options) else {
      // libpq's own message quotes the string, and so may quote a password.
      throw .notConnected(
        state: "options",
        message: "The options are neither a connection string of libpq's, as in "
          + "\"host=… dbname=…\", nor a URL, as in \"postgresql://host/database\".")
    }
    let secrets = ["password", "sslpassword"].compactMap { read[$0] }.filter { !$0.isEmpty }
    // What comes before the options is replaced by them.
    let settings: KeyValuePairs = [
      "connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10",
      "keepalives_count": "3", "fallback_application_name": "KeyValueReplica",
      "client_encoding": "UTF8", "dbname": options,
    ]
    let start = ContinuousClock.now
    let connected = Self.withTexts(settings.map(\.key)) { keywords in
      Self.withTexts(settings.map(\.value)) { values in library.connect(keywords, values, 1) }
    }
    guard let connected else {
      throw .notConnected(state: nil, message: "PostgreSQL's client library is out of memory.")
    }
    handle = connected
    if library.status(handle) != LibPQ.Constant.connectionOK {
      let message = Self.message(library, handle, without: secrets)
      let state = stateOfFailure(since: start)
      guard library.status(handle) == LibPQ.Constant.connectionOK else {
        throw .notConnected(state: state, message: message)
      }
    }
    prepare()
  }

  deinit {
    library.finish(handle)
  }

  private func prepare() {
    _ = library.setVerbosity(handle, LibPQ.Constant.verbosityDefault)
    // An error's context would be the text of the schema's functions.
    _ = library.setContextVisibility(handle, LibPQ.Constant.contextNever)
    // libpq would write notices to the program's standard error.
    _ = library.setNoticeReceiver(handle, { _, _ in }, nil)
    _ = library.setNonblocking(handle, 1)
  }

  /// The SQLSTATE of a refused connection.
  ///
  /// libpq shows it only in a verbose message, and verbosity can be set only once there is a connection. So it's
  /// connected a second time. Where the first attempt was slow no server had answered, and there's no second one.
  private func stateOfFailure(since start: ContinuousClock.Instant) -> String? {
    guard ContinuousClock.now - start < .seconds(1) else { return nil }
    _ = library.setVerbosity(handle, LibPQ.Constant.verbosityVerbose)
    library.reset(handle)
    guard library.status(handle) != LibPQ.Constant.connectionOK else { return nil }
    let message = library.errorMessage(handle).map { String(cString: $0) } ?? ""
    // As in "FATAL:  28P01: password authentication failed".
    return message.firstMatch(of: #/:  ([0-9A-Z]{5}): /#).map { String($0.output.1) }
  }

  private static func message(
    _ library: LibPQ, _ handle: LibPQ.Handle, without secrets: [String] = []
  ) -> String {
    var message = library.errorMessage(handle).map { String(cString: $0) } ?? ""
    for secret in secrets { message = message.replacing(secret, with: "…") }
    return message.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func withTexts<R>(_ texts: [String], _ body: (LibPQ.Texts) -> R) -> R {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer {
      body($0.baseAddress!)
    }
  }

  // MARK: Statements

  /// Carries out a statement.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - alarm: What interrupts the waiting.
  ///   - interruption: Called when it does; what it throws ends the waiting and the session.
  /// - Returns: The statement's rows.
  /// - Throws: `PostgreSQLError`. After `lost` the connection can't be used.
  func execute(
    _ statement: PostgreSQLStatement, alarm: PostgreSQLAlarm,
    interruption: () throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    let parameters = PostgreSQLParameters(statement.values)
    if !statement.isPrepared {
      let isSent = parameters.withTypes { types in
        parameters.withValues { values, lengths, formats in
          library.sendQuery(
            handle, statement.sql, parameters.count, types, values, lengths, formats,
            LibPQ.Constant.binary)
        }
      }
      return try answer(isSent, changes: true, alarm, interruption)
    }
    let name: String
    if let known = prepared[statement.sql] {
      name = known
    } else {
      name = prefix + "\(prepared.count)"
      let isSent = parameters.withTypes {
        library.sendPrepare(handle, name, statement.sql, parameters.count, $0)
      }
      _ = try answer(isSent, changes: false, alarm, interruption)
      prepared[statement.sql] = name
    }
    let isSent = parameters.withValues { values, lengths, formats in
      library.sendQueryPrepared(
        handle, name, parameters.count, values, lengths, formats, LibPQ.Constant.binary)
    }
    return try answer(isSent, changes: true, alarm, interruption)
  }

  /// Sends what isn't sent yet, and waits for the answer.
  private func answer(
    _ isSent: Int32, changes: Bool, _ alarm: PostgreSQLAlarm,
    _ interruption: () throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    guard isSent == 1 else { throw lost(changes) }
    do throws(PostgreSQLError) {
      var last: PostgreSQLRows?
      while true {
        try waitForResult(alarm, interruption)
        guard let result = library.result(handle) else { break }
        switch library.resultStatus(result) {
        case LibPQ.Constant.resultCommandOK, LibPQ.Constant.resultTuplesOK:
          last = PostgreSQLRows(result, of: library)
        default:
          defer { library.clear(result) }
          throw failure(result, changes)
        }
      }
      guard let last else { throw lost(changes) }
      return last
    } catch {
      guard case .server = error else { throw error.sent(changes) }
      // The rest of the answer, after which the connection can be used again.
      while true {
        do throws(PostgreSQLError) {
          try waitForResult(alarm, interruption)
        } catch let end { throw end.sent(false) }
        guard let result = library.result(handle) else { throw error }
        library.clear(result)
      }
    }
  }

  private func waitForResult(
    _ alarm: PostgreSQLAlarm, _ interruption: () throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) {
    while true {
      let unsent = library.flush(handle)
      if unsent < 0 { throw lost(true) }
      if unsent == 0, library.isBusy(handle) == 0 { return }
      switch alarm.wait(for: library.socket(handle), toWrite: unsent == 1, atMost: timeout) {
      case .socket:
        if library.consumeInput(handle) == 0 { throw lost(true) }
      case .alarm:
        try interruption()
      case .time:
        throw .lost(
          wasSent: true,
          message: "The server hasn't answered for \(timeout.components.seconds) seconds.")
      }
    }
  }

  /// Waits for the alarm or a notification.
  ///
  /// - Parameters:
  ///   - alarm: What ends the waiting.
  ///   - time: How long to wait; nil for as long as it takes.
  /// - Returns: Whether that time is over.
  /// - Throws: `PostgreSQLError.lost` if the connection has ended.
  func rest(_ alarm: PostgreSQLAlarm, atMost time: Duration?) throws(PostgreSQLError) -> Bool {
    switch alarm.wait(for: library.socket(handle), toWrite: false, atMost: time) {
    case .socket:
      if library.consumeInput(handle) == 0
        || library.status(handle) != LibPQ.Constant.connectionOK
      {
        throw lost(false)
      }
      return false
    case .alarm: return false
    case .time: return true
    }
  }

  private func lost(_ wasSent: Bool) -> PostgreSQLError {
    .lost(wasSent: wasSent, message: Self.message(library, handle))
  }

  private func failure(_ result: LibPQ.Handle, _ wasSent: Bool) -> PostgreSQLError {
    let message = library.resultErrorMessage(result).map { String(cString: $0) } ?? ""
    let text = message.trimmingCharacters(in: .whitespacesAndNewlines)
    let state = library.resultErrorField(result, LibPQ.Constant.fieldState)
      .map { String(cString: $0) }
    // Terminated; or the server is going down, or another of its processes crashed.
    guard let state, !state.hasPrefix("57P"), !state.hasPrefix("08"),
      library.status(handle) == LibPQ.Constant.connectionOK
    else { return .lost(wasSent: wasSent, message: text) }
    return .server(state: state, message: text)
  }

  /// The notifications that have come with the answers.
  func notifications() -> [PostgreSQLNotification] {
    var notifications: [PostgreSQLNotification] = []
    while let notification = library.notifies(handle) {
      // A PGnotify: the channel, the server process's number, the payload.
      let fields = notification.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
      notifications.append(
        PostgreSQLNotification(
          channel: fields[0].map { String(cString: $0) } ?? "",
          payload: fields[2].map { String(cString: $0) } ?? ""))
      library.freeMemory(notification)
    }
    return notifications
  }

  /// What asks the server to cancel the running statement.
  ///
  /// It blocks: call it on another thread.
  func cancellation() -> @Sendable () -> Void {
    let library = self.library
    guard let handle = library.cancellation(handle) else { return {} }
    // An object of its own, which no other thread has.
    nonisolated(unsafe) let cancellation = handle
    return {
      var message = [CChar](repeating: 0, count: 256)
      _ = library.cancel(cancellation, &message, Int32(message.count))
      library.freeCancellation(cancellation)
    }
  }
}

extension PostgreSQLError {
  /// The same error, for a statement that could or couldn't have changed something.
  fileprivate func sent(_ wasSent: Bool) -> PostgreSQLError {
    guard case .lost(true, let message) = self else { return self }
    return .lost(wasSent: wasSent, message: message)
  }
}

/// A statement with its parameters, `$1` and so on.
struct PostgreSQLStatement: Sendable {
  var sql: String
  var values: [PostgreSQLValue]
  /// Whether the session keeps its plan.
  ///
  /// A statement whose text differs each time isn't kept.
  var isPrepared = true
}

/// What another session has told those that listen.
struct PostgreSQLNotification: Sendable, Equatable {
  var channel: String
  var payload: String
}
