/// One thing that happened, from its beginning to its end, as sent to the page.
package struct Span: Codable, Equatable, Sendable {
  /// What happened.
  package enum Kind: String, Codable, Sendable {
    case change, delivery, registered, ended, deferred, skipped, died, violation
  }

  /// The number of the event that began it.
  package var id: UInt64
  /// The span inside which it happened.
  package var parent: UInt64?
  package var kind: Kind
  /// How long it took, in microseconds; nil if it has no length, or has not ended.
  package var duration: Double?
  /// The number of its object, and the object's class.
  package var object: String?
  package var `class`: String?
  /// The key of a change, or the observed key path.
  package var key: String?
  /// The file and line of a registration or a change.
  package var place: String?
  /// The nodes of the graph that it goes through: a changed key, or an observed key and its observer.
  package var nodes: [String]
  /// What happened, in words.
  package var words: String
  /// The words that lead to this span from a span that happened inside it.
  package var inside: String
  /// The words after this span if it didn't happen inside another one.
  package var origin: String
}

/// A change that no observed event caused, with everything that it led to; or a single event.
package struct Cascade: Codable, Equatable, Sendable {
  /// The number of the span that began it.
  package var id: UInt64
  package var title: String
  package var thread: Int
  /// How long it took, in microseconds; if it's open, so far.
  package var duration: Double
  /// How many observers were called.
  package var deliveries: Int
  /// In the order in which they began; only the first ones if there are very many.
  package var spans: [Span]
  /// How many spans were left out.
  package var omitted: Int
  /// Whether it's still running.
  package var isOpen: Bool
}

/// What the page receives a few times a second.
package struct Batch: Codable, Equatable, Sendable {
  /// Grows with each change of objects, observers or findings.
  package var revision: Int
  /// The time that the batch covers.
  package var seconds: Double
  /// How many spans began in that time.
  package var seen: Int
  /// How many of them are here.
  package var shown: Int
  /// How many events were lost because the buffer was full.
  package var lost: Int
  package var cascades: [Cascade]
  /// The positions of the history, if they have changed.
  package var history: HistoryRange? = nil

  /// Whether nothing happened.
  package var isEmpty: Bool { seen == 0 && lost == 0 && cascades.isEmpty && history == nil }
}
