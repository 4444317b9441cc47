import Foundation
import Synchronization

/// A session with a server, on a thread of its own.
///
/// The cycle: the thread connects; takes one statement after the other from the queue and waits for its
/// answer, or for the alarm; rests while the queue is empty; and ends with the connection, or when it's
/// closed. All that libpq is asked for is asked on this thread, with one exception: a cancellation,
/// which blocks, has a thread of its own, and the next statement waits for it.
///
/// | state | guarded by |
/// | --- | --- |
/// | the queue, what's running, whether it's closed | the mutex |
/// | the connection and its prepared statements | used on the thread only |
final class PostgreSQLSession: Sendable {
  enum Event: Sendable {
    case notification(PostgreSQLNotification)
    case ended
  }

  typealias Completion = @Sendable (Result<PostgreSQLRows, PostgreSQLError>) -> Void

  private struct Work {
    var number: Int
    var statement: PostgreSQLStatement
    var completion: Completion
  }

  private struct State {
    var queue: [Work] = []
    var next = 0
    var running: Int?
    /// Whether the running statement is to be cancelled.
    var isCancelled = false
    /// Whether the server is being asked to.
    var isCancelling = false
    var isClosed = false
    /// What statements are told once it's closed.
    var refusal = PostgreSQLError.closed
    /// The process that the server said to be when it was connected to.
    var serverProcess: Int?
    /// Set once nothing takes statements from the queue any more.
    var end: PostgreSQLError?
  }

  private let library: LibPQ
  private let options: String
  private let timeout: Duration
  private let events: @Sendable (PostgreSQLSession, Event) -> Void
  /// What wakes the thread; the error that ends the session at once if there is none.
  private let alarm: Result<PostgreSQLAlarm, PostgreSQLError>
  private let state = Mutex(State())

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - library: libpq.
  ///   - options: libpq's connection string.
  ///   - timeout: How long the server may take for a statement.
  ///   - events: Called on the session's thread.
  init(
    _ library: LibPQ, options: String, timeout: Duration,
    events: @escaping @Sendable (PostgreSQLSession, Event) -> Void
  ) {
    self.library = library
    self.options = options
    self.timeout = timeout
    self.events = events
    alarm = Result { () throws(PostgreSQLError) in try PostgreSQLAlarm() }
    let thread = Thread { self.run() }
    thread.name = "KeyValueReplica"
    thread.start()
  }

  /// Whether it takes no more statements.
  var isEnded: Bool { state.withLock { $0.isClosed || $0.end != nil } }

  /// The process that the server said to be when it was connected to; nil before.
  var serverProcess: Int? { state.withLock { $0.serverProcess } }

  /// Whether the server has a statement of it.
  var isRunning: Bool { state.withLock { $0.running != nil } }

  /// Puts a statement into the queue.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - completion: Called once, on the session's thread or at once.
  /// - Returns: A number to cancel it by.
  @discardableResult
  func enqueue(
    _ statement: PostgreSQLStatement, _ completion: @escaping Completion
  ) -> Int {
    let (number, refusal) = state.withLock { state -> (Int, PostgreSQLError?) in
      state.next += 1
      if state.isClosed { return (state.next, state.refusal) }
      if let end = state.end { return (state.next, end) }
      state.queue.append(Work(number: state.next, statement: statement, completion: completion))
      return (state.next, nil)
    }
    if let refusal { completion(.failure(refusal)) } else { ring() }
    return number
  }

  /// Carries out a statement.
  ///
  /// Cancelling the task cancels the statement.
  func query(
    _ statement: PostgreSQLStatement
  ) async throws(PostgreSQLError) -> PostgreSQLRows {
    // Set before the statement can be cancelled: the number isn't known earlier.
    let number = Mutex<(number: Int?, isCancelled: Bool)>((nil, false))
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let enqueued = enqueue(statement) { continuation.resume(returning: $0) }
        let isCancelled = number.withLock { number in
          number.number = enqueued
          return number.isCancelled
        }
        if isCancelled { cancel(enqueued) }
      }
    } onCancel: {
      let enqueued = number.withLock { number in
        number.isCancelled = true
        return number.number
      }
      if let enqueued { cancel(enqueued) }
    }
    return try result.get()
  }

  /// Cancels a statement.
  ///
  /// One that's running may be done nevertheless.
  func cancel(_ number: Int) {
    let waiting = state.withLock { state -> Work? in
      if state.running == number { state.isCancelled = true }
      guard let index = state.queue.firstIndex(where: { $0.number == number }) else { return nil }
      return state.queue.remove(at: index)
    }
    if let waiting { waiting.completion(.failure(.cancelled)) } else { ring() }
  }

  /// Ends the session without waiting for the server.
  ///
  /// Statements that wait are refused; the running one is lost.
  ///
  /// - Parameter refusal: What the ones that wait, and later ones, are told.
  func close(_ refusal: PostgreSQLError = .closed) {
    let queue = state.withLock { state in
      if !state.isClosed { (state.isClosed, state.refusal) = (true, refusal) }
      defer { state.queue = [] }
      return state.queue
    }
    for work in queue { work.completion(.failure(refusal)) }
    ring()
  }

  private func ring() { if case .success(let alarm) = alarm { alarm.ring() } }

  // MARK: The thread

  private func run() {
    var end: PostgreSQLError
    do throws(PostgreSQLError) {
      let alarm = try self.alarm.get()
      // Released, which ends the connection, before the end is told.
      try serve(PostgreSQLConnection(library, options: options, timeout: timeout), alarm)
      end = state.withLock { $0.refusal }
    } catch {
      end = error
      if case .lost(_, let message) = error { end = .lost(wasSent: false, message: message) }
    }
    let queue = state.withLock { state in
      state.end = end
      defer { state.queue = [] }
      return state.queue
    }
    for work in queue { work.completion(.failure(end)) }
    events(self, .ended)
  }

  private enum Step {
    case work(Work)
    case rest(atMost: Duration?)
    case end
  }

  /// Returns if the session is closed.
  private func serve(
    _ connection: PostgreSQLConnection, _ alarm: PostgreSQLAlarm
  ) throws(PostgreSQLError) {
    state.withLock { $0.serverProcess = connection.serverProcess }
    while true {
      let step = state.withLock { state -> Step in
        if state.isClosed { return .end }
        // The cancellation could hit the next statement.
        if state.isCancelling { return .rest(atMost: timeout) }
        guard !state.queue.isEmpty else { return .rest(atMost: nil) }
        let work = state.queue.removeFirst()
        state.running = work.number
        state.isCancelled = false
        return .work(work)
      }
      switch step {
      case .end: return
      case .rest(let time):
        if try connection.rest(alarm, atMost: time) {
          throw .lost(wasSent: false, message: "The server doesn't cancel a statement.")
        }
      case .work(let work): try carryOut(work, connection, alarm)
      }
      for notification in connection.notifications() { events(self, .notification(notification)) }
    }
  }

  private func carryOut(
    _ work: Work, _ connection: PostgreSQLConnection, _ alarm: PostgreSQLAlarm
  ) throws(PostgreSQLError) {
    let result: Result<PostgreSQLRows, PostgreSQLError>
    do throws(PostgreSQLError) {
      result = .success(
        try connection.execute(work.statement, alarm: alarm) { () throws(PostgreSQLError) in
          try interrupt(connection)
        })
    } catch { result = .failure(error) }
    state.withLock { $0.running = nil }
    work.completion(result)
    if case .failure(.lost(let wasSent, let message)) = result {
      throw .lost(wasSent: wasSent, message: message)
    }
  }

  private func interrupt(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
    let (refusal, isCancelling) = state.withLock { state in
      defer { if state.isCancelled { (state.isCancelled, state.isCancelling) = (false, true) } }
      return (state.isClosed ? state.refusal : nil, state.isCancelled)
    }
    switch refusal {
    case nil: break
    case .lost(_, let message): throw .lost(wasSent: true, message: message)
    default: throw .lost(wasSent: true, message: "The store was closed.")
    }
    guard isCancelling else { return }
    let cancellation = connection.cancellation()
    Thread.detachNewThread {
      cancellation()
      self.state.withLock { $0.isCancelling = false }
      self.ring()
    }
  }
}
