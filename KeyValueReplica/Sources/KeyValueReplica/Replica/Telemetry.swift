import Foundation
import KeyValueCore
import Logging
import Metrics

/// What a replica tells loggers and metrics; nothing by default.
struct Telemetry {
  private let logger: Logger?
  private let transactions: Counter?
  private let received: Counter?
  private let conflicts: Counter?
  private let restores: Counter?
  private let rebased: Counter?
  private let commit: Metrics.Timer?
  private let lag: Metrics.Timer?

  init(_ document: String, _ options: KeyValueReplicaOptions) {
    var logger = options.logger
    logger?[metadataKey: "document"] = "\(document)"
    self.logger = logger
    guard let factory = options.metrics else {
      (transactions, received, conflicts, restores) = (nil, nil, nil, nil)
      (rebased, commit, lag) = (nil, nil, nil)
      return
    }
    let dimensions = [("document", document)]
    func counter(_ name: String) -> Counter {
      Counter(label: "kvo_replica_\(name)", dimensions: dimensions, factory: factory)
    }
    func timer(_ name: String) -> Metrics.Timer {
      Metrics.Timer(label: "kvo_replica_\(name)", dimensions: dimensions, factory: factory)
    }
    transactions = counter("committed_total")
    received = counter("applied_total")
    conflicts = counter("conflicts_total")
    restores = counter("restores_total")
    rebased = counter("rebased_total")
    commit = timer("commit_seconds")
    lag = timer("lag_seconds")
  }

  func note(_ status: KeyValueReplicaStatus) {
    switch status {
    case .current, .sending, .behind: logger?.debug("status", metadata: ["status": "\(status)"])
    default: logger?.notice("status", metadata: ["status": "\(status)"])
    }
  }

  func committed(_ count: Int, after duration: Duration) {
    transactions?.increment(by: count)
    commit?.recordNanoseconds(duration.nanoseconds)
  }

  func applied(_ record: LogRecord) {
    received?.increment()
    // A store may have any date.
    let lag = max(0, -record.date.timeIntervalSinceNow) * 1e9
    self.lag?.recordNanoseconds(Int64(exactly: lag.rounded()) ?? .max)
  }

  func met(_ conflicts: [KeyValueReplicaConflict]) {
    self.conflicts?.increment(by: conflicts.count)
    for conflict in conflicts { logger?.notice("conflict", metadata: ["conflict": "\(conflict)"]) }
  }

  /// Own transactions were made again after another writer's.
  func made(again count: Int) { if count > 0 { rebased?.increment(by: count) } }

  func restoring() {
    restores?.increment()
    logger?.notice("restoring from a snapshot")
  }

  /// The document has keys, or objects, of older programs that this one doesn't have any more.
  func leavesOut(_ first: KeyValueLogError) {
    let place = [first.details.type, first.details.key].compactMap(\.self).joined(separator: ".")
    logger?.notice("what older programs have written is left out", metadata: ["first": "\(place)"])
  }

  func takenBack(_ error: KeyValueReplicaError) {
    logger?.error("a transaction was taken back", metadata: ["reason": "\(error)"])
  }

  func failed(_ error: LogError) {
    logger?.warning("sending or reading failed", metadata: ["error": "\(error)"])
  }

  func error(_ message: String, _ error: any Error) {
    logger?.error("\(message)", metadata: ["error": "\(error)"])
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
