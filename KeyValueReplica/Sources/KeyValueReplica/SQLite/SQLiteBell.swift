import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Tells the processes that share a SQLite file about each other's commits.
///
/// A file beside the database is touched after each commit, and watched: by inotify on Linux, by a
/// kernel queue on Darwin. Watching the write-ahead log itself would wake a reader before the commit is
/// visible. A commit whose wake-up is lost, because its process was killed in between, is found by a
/// look at the database twice a second.
final class SQLiteBell: Sendable {
  static let interval = DispatchTimeInterval.milliseconds(500)

  private let path: String
  private let database: String
  private let reader: SQLiteConnection
  private let queue: DispatchQueue

  private struct State {
    var streams: [Int: AsyncStream<Int64?>.Continuation] = [:]
    var next = 0
    var watch: SQLiteWatch?
    var version: SQLiteVersion?
    var isClosed = false
  }
  private let state = Mutex(State())

  init(path: String, reader: SQLiteConnection) {
    self.path = path + "-bell"
    database = path
    self.reader = reader
    queue = DispatchQueue(label: "KeyValueReplica \(path)-bell")
  }

  // MARK: Ringing

  /// Wakes the readers of all processes.
  ///
  /// A lost wake-up is made up for by the look at the database.
  func ring() {
    if utimes(path, nil) != 0, errno == ENOENT {
      makeFile()
      _ = utimes(path, nil)
    }
  }

  /// Makes the file, with the permissions and the owner of the database: each user that may write the
  /// one may ring the other.
  private func makeFile() {
    let file = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    guard stat(database, &status) == 0 else { return }
    if geteuid() == 0 { _ = fchown(file, status.st_uid, status.st_gid) }
    _ = fchmod(file, status.st_mode & 0o666)
  }

  // MARK: Hearing

  /// A stream that has an element after each commit from now on, and now and then another one.
  func hints() async throws(LogError) -> AsyncStream<Int64?> {
    // The first look's value, so that the next one finds what comes after this call.
    let version = try await reader.version()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int64?.self, bufferingPolicy: .bufferingNewest(1))
    let key: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      if state.watch == nil {
        makeFile()
        state.version = version
        state.watch = SQLiteWatch(path, on: queue, every: Self.interval) { [weak self] event in
          self?.hear(event)
        }
      }
      state.next += 1
      state.streams[state.next] = continuation
      return state.next
    }
    guard let key else { throw SQLiteError.closed(database) }
    continuation.onTermination = { [weak self] _ in self?.remove(key) }
    return stream
  }

  private func hear(_ event: SQLiteWatch.Event) {
    switch event {
    case .rung:
      hint()
    case .time:
      // It may have been deleted.
      makeFile()
      Task { [weak self, reader] in
        // An error is left to the reader, which gets it too.
        guard let version = try? await reader.version() else { return }
        self?.compare(version)
      }
    }
  }

  private func compare(_ version: SQLiteVersion) {
    let isOther = state.withLock { state in
      defer { state.version = version }
      return state.version != version
    }
    if isOther { hint() }
  }

  private func hint() {
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(nil) }
  }

  private func remove(_ key: Int) {
    state.withLock { state in
      state.streams[key] = nil
      if state.streams.isEmpty { state.watch = nil }
    }
  }

  /// Ends all streams.
  func end() {
    let streams = state.withLock { state in
      state.isClosed = true
      state.watch = nil
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
