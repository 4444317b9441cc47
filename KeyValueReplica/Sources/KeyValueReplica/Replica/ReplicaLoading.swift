import Foundation
@_spi(Replication) import KeyValueCore

/// Reads a document's state.
enum ReplicaLoading {
  /// The newest snapshot with the records after it.
  ///
  /// A record that can't be read, or doesn't fit what is before it, is left out, so that the document can be opened
  /// all the same.
  ///
  /// - Parameters:
  ///   - document: The document's name.
  ///   - store: Where it is.
  ///   - unfit: Called with the revision of a record that is left out.
  /// - Returns: The state, its position, the document's schema, the first revision that the state lacks because this
  ///   program can't read it, and how many records are behind the snapshot.
  /// - Throws: `LogError`.
  static func load(
    _ document: String, from store: any LogStore, unfit: (Int64, any Error) -> Void
  ) async throws -> (
    state: KeyValueSnapshot, position: LogPosition, schema: Int, unreadable: Int64?, count: Int64
  ) {
    // A compaction between the readings takes the records away; then there's a newer snapshot.
    for _ in 0..<10 {
      guard let stored = try await store.snapshot(of: document) else {
        throw LogError.noDocument(document)
      }
      var state: KeyValueSnapshot
      do {
        state = try await Payload.decodeSnapshot(stored.payload)
      } catch {
        throw LogError.refused(
          code: "payload",
          message: "The snapshot of document \(document.debugDescription) at revision "
            + "\(stored.position.revision) can't be read: \(error) Restore the document from a backup, "
            + "or use the newer program that has made the snapshot.")
      }
      var position = stored.position
      var unreadable: Int64?
      reading: while true {
        switch try await store.records(of: document, after: position, limit: LogLimits.records) {
        case .restore: break reading
        case .records(let records, let head, let schema):
          for (record, stored) in zip(await Payload.decode(records), records) {
            if case .failure = record, unreadable == nil { unreadable = stored.revision }
            do {
              try state.applyTolerantly(record.get())
            } catch {
              unfit(stored.revision, error)
            }
            position.revision = stored.revision
            position.transaction = stored.transaction.id
          }
          if position.revision >= head || records.isEmpty {
            let count = position.revision - stored.position.revision
            return (state, position, schema, unreadable, count)
          }
        }
      }
    }
    throw LogError.refused(
      code: "payload",
      message: "The snapshot and the records of document \(document.debugDescription) don't fit "
        + "together: one is missing. Restore the document from a backup.")
  }

  /// Writes records to a document, unless others come first: so read the document again afterwards.
  ///
  /// - Parameters:
  ///   - records: The records, in order.
  ///   - document: The document's name.
  ///   - base: The position that the records were made on.
  ///   - store: Where the document is.
  ///   - author: The writer's name.
  ///   - schema: The writer's schema.
  /// - Throws: `LogError`.
  static func write(
    _ records: [KeyValueTransactionRecord], to document: String, after base: LogPosition,
    in store: any LogStore, author: String, schema: Int
  ) async throws {
    var (rest, position) = (records[...], base)
    while !rest.isEmpty {
      let limit = LogLimits.append
      let batch = try await Payload.encode(
        Array(rest.prefix(limit.count)), author: author, upTo: limit.bytes)
      do {
        guard
          case .committed(let revision) = try await store.append(
            batch, to: document, after: position, schema: schema)
        else { return }
        position.revision = revision
        position.transaction = batch.last?.id
      } catch LogError.outcomeUnknown, LogError.schema {
        return
      }
      rest = rest.dropFirst(batch.count)
    }
  }
}

extension KeyValueLogError {
  /// An error with what to do about a key that only other programs have: a replica has no snapshot to change.
  static func explained(_ error: any Error, schema: Int) -> any Error {
    guard case .unknownKey(var details)? = error as? KeyValueLogError else { return error }
    details.reason =
      "a program of the same schema, \(schema), has written it. If the key is gone, raise `options.schema`: what "
      + "older programs have written of it is left out then. If it's new, raise it in the program that has the key"
    return KeyValueLogError.unknownKey(details)
  }
}

extension LogError {
  /// Other writers have always come before this program could write the values that its keys begin with.
  ///
  /// A running replica tries again after a while.
  static func lackingKeys(in document: String) -> LogError {
    .refused(
      code: "keys",
      message: "The document \(document.debugDescription) lacks values of new keys, and other "
        + "programs write to it all the time. Try again.")
  }
}
