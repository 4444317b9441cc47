/// What goes wrong in a session.
enum PostgreSQLError: Error, Equatable {
  /// No session came about.
  case notConnected(state: String?, message: String)
  /// The server refused a statement, and undid its transaction.
  case server(state: String, message: String)
  /// The session ended. If the statement had been sent, it may have been carried out.
  case lost(wasSent: Bool, message: String)
  /// The session had been closed before the statement was sent.
  case closed
  /// The caller's task was cancelled before the statement was sent.
  case cancelled

  /// The error of a log.
  ///
  /// - Parameter changes: Whether the statement appends transactions: they may be there if the session
  ///   was lost.
  /// - Returns: What the caller of the store is told.
  func logError(changes: Bool) -> LogError {
    switch self {
    case .notConnected(let state, let message):
      guard let state else { return .unreachable(message) }
      return Self.logError(state: state, message: message)
    case .server(let state, let message):
      return Self.logError(state: state, message: message)
    case .lost(let wasSent, let message):
      return wasSent && changes ? .outcomeUnknown(message) : .unreachable(message)
    case .closed:
      return .refused(code: "closed", message: "The store was closed.")
    case .cancelled:
      return .unreachable("The task was cancelled.")
    }
  }

  /// What to do about a pooler that gives each transaction another session.
  static let poolSessions =
    "Have it pool sessions (PgBouncer: pool_mode = session), or connect to the server directly."

  private static func logError(state: String, message: String) -> LogError {
    switch state {
    // The transaction may have been committed.
    case "40003": return .outcomeUnknown(message)
    // A prepared statement that the session has isn't there.
    case "26000":
      return .refused(
        code: state,
        message: message
          + "\nA pooler between the program and the server may pool transactions. "
          + PostgreSQLError.poolSessions)
    // A full disk stays full until it's cleared.
    case "53100": return .refused(code: state, message: message)
    // A server that only reads may be one that takes over, or that's about to be replaced.
    case "25006", "55P03", "57014", "57P01", "57P02", "57P03", "57P05":
      return .unreachable(message)
    default:
      // Connections, another transaction's fault, too little memory or too many connections.
      let isPassing = ["08", "40", "53"].contains { state.hasPrefix($0) }
      return isPassing ? .unreachable(message) : .refused(code: state, message: message)
    }
  }
}
