import Logging

/// Writes what a replica logs as an error to the journal: what didn't fit the graph, and was made up for.
struct JournalLog: LogHandler {
  let journal: JournalWriter
  /// Called when the replica goes on from a snapshot.
  let restoring: @Sendable () -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let text = "\(event.message)"
    if text == "restoring from a snapshot" { restoring() }
    // That a conflict has taken a transaction back is no error of the replica's.
    if event.level >= .error, text != "a transaction was taken back" {
      journal.write(.violation("\(text): \(event.metadata.map { "\($0)" } ?? "")"))
    }
  }
}
