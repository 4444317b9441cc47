import Foundation

/// Where the document is kept.
enum FuzzStore: String, Codable {
  case sqlite
  case postgresql
}

/// What a run does; all but the moments of the faults follows from the seed.
struct FuzzSettings {
  static let usage = """
    replica-fuzz [--store sqlite|postgresql] [--seed S] [--transactions N]

    Runs three to five replicas of one document as processes, makes random edits in them, and
    kills, stops and cuts off what it can. Compares what became of the document, and what
    observers were notified of, with the store's records. Prints one line, and exits with 1
    after the first difference.

    """

  var store = FuzzStore.sqlite
  var seed = UInt64.random(in: 1...999_999_999)
  var transactions = 1_000

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw FuzzError.usage }
      switch option {
      case "--store":
        guard let store = FuzzStore(rawValue: value) else { throw FuzzError.usage }
        self.store = store
      case "--seed":
        guard let seed = UInt64(value) else { throw FuzzError.usage }
        self.seed = seed
      case "--transactions":
        guard let count = Int(value), count > 0 else { throw FuzzError.usage }
        transactions = count
      default: throw FuzzError.usage
      }
    }
  }
}

enum FuzzError: Error {
  case usage
  /// The engine isn't installed.
  case unavailable(String)
}

/// A difference from what the contract says.
struct Violation: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
