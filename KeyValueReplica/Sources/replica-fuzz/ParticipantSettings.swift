import Foundation
import KeyValueReplica

/// What a process of the run is told when it's started.
struct ParticipantSettings: Codable {
  enum Rule: String, Codable, CaseIterable {
    case reject, lastWriterWins, custom

    var conflictRule: KeyValueConflictRule {
      switch self {
      case .reject: .reject
      case .lastWriterWins: .lastWriterWins
      case .custom:
        .custom { conflict in
          // The same key is always decided in the same way.
          switch (conflict.key ?? "").count % 3 {
          case 0: .mine
          case 1: .theirs
          default: .reject
          }
        }
      }
    }
  }

  static let document = "firm"

  var name: String
  /// How often a process of this name has been started.
  var incarnation: Int
  var seed: UInt64
  var store: FuzzStore
  /// A file's path, or libpq's options.
  var place: String
  /// The folder of the journals.
  var folder: String
  var isReader: Bool
  var rule: Rule
  var snapshotInterval: Int
  var keepsQueue: Bool

  /// The file that the process writes what happened to.
  var journal: String { "\(folder)/\(name)-\(incarnation).journal" }
  var queueFolder: String { "\(folder)/\(name)-queue" }

  func makeStore() -> any LogStore {
    switch store {
    case .sqlite: SQLiteLogStore(path: place, durability: .process)
    case .postgresql: PostgreSQLLogStore(place, timeout: .seconds(20))
    }
  }

  /// How it's passed to the process.
  var argument: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  init(argument: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(argument.utf8))
  }

  init(
    name: String, seed: UInt64, store: FuzzStore, place: String, folder: String, isReader: Bool,
    rule: Rule, snapshotInterval: Int, keepsQueue: Bool
  ) {
    self.name = name
    incarnation = 0
    self.seed = seed
    self.store = store
    self.place = place
    self.folder = folder
    self.isReader = isReader
    self.rule = rule
    self.snapshotInterval = snapshotInterval
    self.keepsQueue = keepsQueue
  }
}
