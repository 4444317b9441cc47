import Foundation
import KeyValueReplica

/// Where a shared ledger is kept.
package enum SharedPlace: Sendable, Equatable {
  /// A SQLite file, which programs of one machine share.
  case file(String)
  /// A PostgreSQL database, which programs of several machines share.
  case database(String)

  /// A URL of PostgreSQL's, or a file.
  package init(_ text: String) {
    let isURL = ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
    self = isURL ? .database(text) : .file(text)
  }

  package var store: any LogStore {
    switch self {
    case .file(let path): .sqlite(path: path)
    case .database(let url): .postgreSQL(url)
    }
  }

  /// The place as it's shown: a URL without user and password.
  package var title: String {
    switch self {
    case .file(let path): return path
    case .database(let url):
      guard let components = URLComponents(string: url) else { return "PostgreSQL" }
      let port = components.port.map { ":\($0)" } ?? ""
      return "postgresql://\(components.host ?? "")\(port)\(components.path)"
    }
  }

  /// The folder with what couldn't be sent to a database; nil for a file, which needs none.
  package var queueFolder: String? {
    guard case .database = self else { return nil }
    let state =
      ProcessInfo.processInfo.environment["XDG_STATE_HOME"].map { URL(filePath: $0) }
      ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
    // One for each database: documents of two may have the same name.
    let name = title.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "-" }
    return state.appending(path: "kvo-ledger/\(String(name))").path
  }
}
