import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A program that a test starts and kills.
///
/// Foundation's `Process` learns of an end by a socket, which a program that's started at the same time
/// inherits: then the end goes unnoticed until that one has ended, too. Here a thread waits for the process,
/// and one program is started at a time.
package final class ChildProcess: Sendable {
  private struct State {
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }
  private static let starting = Mutex(())
  private let state = Mutex(State())

  /// Its number.
  package let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program, which is looked for in `PATH`, and its arguments.
  ///   - environment: Its environment; nil for this process's.
  ///   - input: What it reads; nil for nothing.
  ///   - output: The file that gets what it prints, and its errors; nil for none.
  /// - Throws: `Unexpected` if it can't be started.
  package init(
    _ command: [String], environment: [String: String]? = nil, input: ChildInput? = nil,
    output: String? = nil
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input == nil { posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) }
    posix_spawn_file_actions_addopen(
      &actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // Otherwise it would keep the pipes of others open that are being started, and their ends go unnoticed.
    var flags = POSIX_SPAWN_SETSIGMASK
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    // The thread that starts it may have signals blocked, as dispatch's have.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let environment = environment ?? ProcessInfo.processInfo.environment
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let failure: Int32 = Self.starting.withLock { _ in
      if let input {
        guard input.open() else { return errno }
        posix_spawn_file_actions_adddup2(&actions, input.reader, 0)
      }
      #if canImport(Glibc)
        for file in 3..<Int32(min(1024, sysconf(Int32(_SC_OPEN_MAX)))) {
          posix_spawn_file_actions_addclose(&actions, file)
        }
      #endif
      defer { input?.closeReader() }
      return posix_spawnp(&id, command[0], &actions, &attributes, &arguments, &variables)
    }
    guard failure == 0 else {
      throw Unexpected("\(command[0]) can't be started: \(String(cString: strerror(failure)))")
    }
    self.id = id
    Thread.detachNewThread { self.reap() }
  }

  private func reap() {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let waiting = state.withLock { state in
      state.status = status
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }

  /// Sends a signal, unless it has ended.
  package func signal(_ number: Int32) {
    state.withLock { state in
      if state.status == nil { kill(id, number) }
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: Its status as `waitpid` gives it; 0 after a success.
  @discardableResult
  package func wait() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Waits for its end on the calling thread.
  ///
  /// - Returns: Its status as `waitpid` gives it; 0 after a success.
  @discardableResult
  package func waitHere() -> Int32 {
    while true {
      if let status = state.withLock({ $0.status }) { return status }
      usleep(500)
    }
  }
}

/// A child's standard input, which ends with this process, or when it's closed.
package final class ChildInput: Sendable {
  private let ends = Mutex<(reader: Int32, writer: Int32)>((-1, -1))

  package init() {}

  deinit {
    close()
  }

  fileprivate var reader: Int32 { ends.withLock { $0.reader } }

  fileprivate func open() -> Bool {
    var files: [Int32] = [-1, -1]
    guard pipe(&files) == 0 else { return false }
    // No other child keeps it open.
    for file in files { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    ends.withLock { $0 = (files[0], files[1]) }
    return true
  }

  fileprivate func closeReader() {
    ends.withLock { ends in
      if ends.reader >= 0 { systemClose(ends.reader) }
      ends.reader = -1
    }
  }

  /// Ends the input.
  package func close() {
    ends.withLock { ends in
      for end in [ends.reader, ends.writer] where end >= 0 { systemClose(end) }
      ends = (-1, -1)
    }
  }
}

private func systemClose(_ file: Int32) {
  close(file)
}
