import Foundation
import KeyValueObserving

/// A suite that sends a firm's snapshots and records to a copy.
protocol LogReplaySuite {}

extension LogReplaySuite {
  func replica(_ log: KeyValueChangeLog<Firm>) throws -> KeyValueChangeLog<Firm> {
    let data = try JSONEncoder().encode(log.snapshot())
    let snapshot = try JSONDecoder().decode(KeyValueSnapshot.self, from: data)
    return try KeyValueChangeLog(restoring: snapshot, as: Firm.self, classes: [.init(Boss.self)])
  }

  func throughJSON(_ record: KeyValueTransactionRecord) throws -> KeyValueTransactionRecord {
    try JSONDecoder().decode(
      KeyValueTransactionRecord.self, from: JSONEncoder().encode(record))
  }
}
