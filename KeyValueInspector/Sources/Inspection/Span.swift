/// One thing that happened, from its beginning to its end, as the page gets it.
public struct Span: Codable, Equatable, Sendable {
  /// What happened.
  public enum Kind: String, Codable, Sendable {
    case change, delivery, registered, ended, deferred, skipped, died, violation
  }

  /// The number of the event that began it.
  public var id: UInt64
  /// The span inside which it happened.
  public var parent: UInt64?
  public var kind: Kind
  /// How long it took, in microseconds; nil if it has no length, or has not ended.
  public var duration: Double?
  /// The number of its object, and the object's class.
  public var object: String?
  public var `class`: String?
  /// The key of a change, or the observed key path.
  public var key: String?
  /// The file and line of a registration or a change.
  public var place: String?
  /// The node of the graph that stands for it.
  public var node: String?
  /// What happened, in words.
  public var words: String
  /// The words that lead to this span from one that happened inside of it.
  public var inside: String
  /// What to say behind this span if it happened inside of nothing.
  public var origin: String
}

/// What one change led to that nothing observed had caused, or a thing that happened by itself.
public struct Cascade: Codable, Equatable, Sendable {
  /// The number of the span that began it.
  public var id: UInt64
  public var title: String
  public var thread: Int
  /// How long it took, in microseconds; so far, if it's open.
  public var duration: Double
  /// How many observers were called.
  public var deliveries: Int
  /// In the order in which they began; the first ones only, if there are very many.
  public var spans: [Span]
  /// How many spans were left out.
  public var omitted: Int
  /// Whether it goes on.
  public var isOpen: Bool
}

/// What the page gets a few times a second.
public struct Batch: Codable, Equatable, Sendable {
  /// Grows with each change of objects, observers or findings.
  public var revision: Int
  /// The time that it covers.
  public var seconds: Double
  /// How many spans began in that time.
  public var seen: Int
  /// How many of them are here.
  public var shown: Int
  /// How many events the buffer had no room for.
  public var lost: Int
  public var cascades: [Cascade]
}
