import Foundation
import Synchronization

/// Stands between the participants and PostgreSQL's socket, and does what networks do.
final class Proxy: Sendable {
  /// What happens to a connection.
  enum Fault: String, CaseIterable {
    /// It ends at once, whatever is under way.
    case cut
    /// The server's next answer gets lost, and then it ends.
    case deafened
    /// Nothing gets through for a while.
    case stalled
  }

  private struct Connection {
    var client: Int32
    var server: Int32
    var losesAnswer = false
    var stall = Duration.zero
  }

  private struct State {
    var connections: [Int: Connection] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private let target: String
  /// The folder that libpq's `host` names.
  let folder: String

  init(to target: String, in folder: String) throws {
    self.target = target + "/.s.PGSQL.5432"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let listener = socket(AF_UNIX, streamType, 0)
    let isListening = withSocketAddress(folder + "/.s.PGSQL.5432") { address, size in
      bind(listener, address, size) == 0 && listen(listener, 64) == 0
    }
    guard isListening else { throw Violation("The proxy can't listen: \(errno).") }
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        guard let self else { return }
        begin(client)
      }
    }
  }

  private func begin(_ client: Int32) {
    let server = socket(AF_UNIX, streamType, 0)
    let isConnected = withSocketAddress(target) { connect(server, $0, $1) == 0 }
    guard isConnected else {
      close(client)
      close(server)
      return
    }
    let number = state.withLock { state in
      state.next += 1
      state.connections[state.next] = Connection(client: client, server: server)
      return state.next
    }
    let left = Atomic2(2)
    for (source, sink, isAnswer) in [(client, server, false), (server, client, true)] {
      Thread.detachNewThread { [self] in
        forward(from: source, to: sink, isAnswer: isAnswer, of: number)
        // Ends the other direction too; the last one closes.
        shutdown(client, Int32(shutReadWrite))
        shutdown(server, Int32(shutReadWrite))
        if left.countDown() == 0 {
          _ = state.withLock { $0.connections.removeValue(forKey: number) }
          close(client)
          close(server)
        }
      }
    }
  }

  private func forward(from source: Int32, to sink: Int32, isAnswer: Bool, of number: Int) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { return }
      let (losesAnswer, stall) = state.withLock { state -> (Bool, Duration) in
        guard let connection = state.connections[number] else { return (false, .zero) }
        state.connections[number]?.stall = .zero
        return (connection.losesAnswer, connection.stall)
      }
      if isAnswer, losesAnswer { return }
      if stall > .zero { usleep(UInt32(stall / .microseconds(1))) }
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBytes {
          write(sink, $0.baseAddress, $0.count)
        }
        guard written > 0 else { return }
        start += written
      }
    }
  }

  /// Does something to one of the connections.
  ///
  /// - Returns: Whether there was one.
  func inject(_ fault: Fault, _ numbers: inout some RandomNumberGenerator) -> Bool {
    // Outside of the lock: the numbers aren't the proxy's.
    let choice = UInt.random(in: 0...UInt.max, using: &numbers)
    let stall = Duration.milliseconds(Int.random(in: 5...300, using: &numbers))
    return state.withLock { state in
      let all = state.connections.keys.sorted()
      guard !all.isEmpty else { return false }
      let number = all[Int(choice % UInt(all.count))]
      switch fault {
      case .cut:
        if let connection = state.connections[number] {
          shutdown(connection.client, Int32(shutReadWrite))
          shutdown(connection.server, Int32(shutReadWrite))
        }
      case .deafened: state.connections[number]?.losesAnswer = true
      case .stalled: state.connections[number]?.stall = stall
      }
      return true
    }
  }
}

/// A number that two threads count down.
private final class Atomic2: Sendable {
  private let number: Mutex<Int>
  init(_ number: Int) { self.number = Mutex(number) }

  func countDown() -> Int {
    number.withLock { number in
      number -= 1
      return number
    }
  }
}

#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
  private let shutReadWrite = SHUT_RDWR
#else
  private let streamType = SOCK_STREAM
  private let shutReadWrite = SHUT_RDWR
#endif

/// Calls the body with the address of a socket in the file system.
private func withSocketAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    precondition(path.utf8.count < bytes.count, "The socket's path is too long.")
    bytes.copyBytes(from: path.utf8)
  }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
