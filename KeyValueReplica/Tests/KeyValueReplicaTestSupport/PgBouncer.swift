import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A pooler between programs and a server.
package final class PgBouncer: Sendable {
  private static let program = ["/usr/sbin", "/usr/bin", "/opt/homebrew/bin"]
    .map { "\($0)/pgbouncer" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  package static var isInstalled: Bool { program != nil && PostgreSQLServer.isInstalled }

  private let folder: String
  private let input = ChildInput()

  /// Starts it, and waits until it takes connections.
  ///
  /// - Parameters:
  ///   - server: The server behind it, in whose folder its socket is.
  ///   - mode: Its `pool_mode`.
  /// - Throws: What keeps it from starting.
  package init(before server: PostgreSQLServer, mode: String) throws {
    folder = server.folder + "/" + mode
    let settings = """
      [databases]
      * = host=\(server.folder) port=\(server.port ?? 5432) user=kvo
      [pgbouncer]
      pool_mode = \(mode)
      unix_socket_dir = \(folder)
      listen_port = 6432
      auth_type = any
      """
    _ = try server.shell(
      """
      mkdir -p "$folder" && cd "$folder" && printf '%s\\n' "$text" >pgbouncer.ini || exit
      \(Self.program!) pgbouncer.ini >pgbouncer.log 2>&1 </dev/null &
      pooler=$!
      cat >/dev/null
      kill $pooler; wait $pooler
      """.replacing("$folder", with: folder), text: settings, input: input)
    let deadline = ContinuousClock.now + .seconds(600)
    // Its socket is there before it listens; it says that it's up afterwards.
    while (try? String(contentsOfFile: folder + "/pgbouncer.log", encoding: .utf8))?
      .contains("process up") != true
    {
      guard ContinuousClock.now < deadline else {
        throw Unexpected("The pooler doesn't start: see \(folder)/pgbouncer.log.")
      }
      usleep(2000)
    }
  }

  deinit { input.close() }

  /// Options by which libpq connects.
  package func options(database: String) -> String {
    "host=\(folder) port=6432 dbname=\(database) user=kvo"
  }
}
