import Foundation
import KeyValueCore

/// How a replica stands to its document.
///
/// It's the value of the observable key `status` of ``KeyValueReplica``:
///
/// ```swift
/// for await status in replica.kvo.status.values() { print(status) }
/// // current
/// // sending 1
/// // current
/// ```
public enum KeyValueReplicaStatus: Sendable, Equatable {
  /// The replica has all transactions that it knows of, and its own are acknowledged.
  case current
  /// This number of own transactions isn't acknowledged yet.
  case sending(Int)
  /// This number of other writers' transactions isn't applied yet.
  case behind(Int)
  /// The store can't be reached. Own changes are kept, and sent when it can.
  case offline(since: Date)
  /// Own transactions met conflicts, and were decided by the rule. The next status follows at once;
  /// ``KeyValueReplica/KeyValueReplica/conflicts`` keeps them.
  case conflict([KeyValueReplicaConflict])
  /// The document was written by a program with a newer schema. Others' changes still arrive; own changes are
  /// taken back. What was made before and not sent stays in the graph and in the queue's file, and waits for a
  /// program of the newer schema; `flush()` says how much.
  case readOnly(schema: Int)
  /// The store refuses own transactions, which are kept: there is no permission, or no room. The replica tries
  /// again.
  case refused(KeyValueReplicaError)
  /// The document is gone, or the replica was closed.
  case ended(KeyValueReplicaError)
}

extension KeyValueReplicaStatus: CustomStringConvertible {
  /// The case in words: `sending 3`.
  public var description: String {
    switch self {
    case .current: "current"
    case .sending(let count): "sending \(count)"
    case .behind(let count): "behind by \(count)"
    case .offline(let date):
      "offline since \(date.formatted(.iso8601.time(includingFractionalSeconds: false)))"
    case .conflict(let conflicts):
      "conflict: " + conflicts.map { "\($0)" }.joined(separator: "; ")
    case .readOnly(let schema): "read-only: the document's schema is \(schema)"
    case .refused(let error): "refused: \(error)"
    case .ended(let error): "ended: \(error)"
    }
  }
}

/// Why a replica can't do what it's asked for.
public enum KeyValueReplicaError: Error, Sendable, Equatable {
  /// The store can't be reached.
  case unreachable(String)
  /// The store refuses, and the code is its own; or the replica refuses, and the message says why.
  case refused(code: String, message: String)
  /// The document is of a newer schema than the program, so the program only reads it. So many transactions that
  /// were made before wait.
  case readOnly(expected: Int, found: Int, waiting: Int = 0)
  /// There is no such document any more.
  case noDocument(String)
  /// Transactions met conflicts, or were built on one that did, and were taken back.
  case conflict([KeyValueReplicaConflict])
  /// So many transactions aren't acknowledged that no more are taken; this one was taken back.
  case queueFull(limit: Int)
  /// The transaction is larger than the limit, in bytes, and was taken back.
  case tooLarge(bytes: Int, limit: Int)
  /// The document's data doesn't fit the program's classes, or wouldn't after a change that was taken back; or a
  /// transaction that an earlier process left doesn't, and was dropped.
  case unfit(String)
  /// The replica was closed.
  case closed

  init(_ error: LogError) {
    self =
      switch error {
      case .unreachable(let message), .outcomeUnknown(let message): .unreachable(message)
      case .refused("unfit", let message): .unfit(message)
      case .refused(let code, let message): .refused(code: code, message: message)
      case .schema(let expected, let found): .readOnly(expected: expected, found: found)
      case .noDocument(let name): .noDocument(name)
      }
  }
}

extension KeyValueReplicaError {
  /// A transaction was sent, and the store has forgotten since whether it was committed.
  static let outcomeForgotten = refused(
    code: "forgotten",
    message: "A transaction was sent, its answer was lost, and the store has forgotten since "
      + "whether it was committed. It isn't sent again: see whether the document has its change.")

  /// The codes with which the replica itself refuses; others are a store's.
  private static let ownCodes: Set<String> = [
    "", "forgotten", "keys", "payload", "queue", "restore",
  ]
}

extension KeyValueReplicaError: CustomStringConvertible {
  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .unreachable(let message): "The store can't be reached: \(message)"
    case .refused(let code, let message) where Self.ownCodes.contains(code): message
    case .refused(let code, let message): "The store refuses (\(code)): \(message)"
    case .readOnly(let expected, let found, let waiting):
      "The document's schema is \(found) and this program's \(expected), so it only reads the document. "
        + "Use the newer program to change it."
        + (waiting == 0
          ? ""
          : " \(waiting) transactions weren't sent before. They are in the queue's file, if "
            + "`options.queueFolder` names a folder, and the newer program sends them from there.")
    case .noDocument(let name): "There is no document \(name.debugDescription)."
    case .conflict(let conflicts):
      (conflicts.allSatisfy { $0.builtOn != nil }
        ? "What the transaction was built on was taken back: "
        : "Another writer changed the same: ")
        + conflicts.map { "\($0)" }.joined(separator: "; ") + ". The transaction was taken back."
    case .queueFull(let limit):
      "\(limit) transactions wait to be acknowledged, and no more are taken. The change isn't kept; "
        + "wait until `status` is `current`."
    case .tooLarge(let bytes, let limit):
      "The transaction has \(bytes) bytes, more than \(limit). It was taken back; make it in parts."
    case .unfit(let reason): "The document doesn't fit this program's classes: \(reason)"
    case .closed: "The replica was closed."
    }
  }
}
