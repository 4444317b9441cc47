extension KeyValueTrace {
  /// What the record shows that is probably not meant.
  ///
  /// ```swift
  /// let trace = KeyValueTrace.recording { model.reload() }
  /// #expect(trace.findings.cycles.isEmpty)
  /// print(trace.findings)
  /// ```
  public var findings: Findings { findings() }

  /// The same, with your own idea of how many deliveries one assignment may cause.
  ///
  /// - Parameters:
  ///   - avalancheLimit: How many deliveries a change may lead to.
  ///   - growthLimit: How many registrations, of which none ends, one place may make.
  /// - Returns: The findings.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events, of changes inside of changes O(*n* × depth).
  public func findings(avalancheLimit: Int = 20, growthLimit: Int = 10) -> Findings {
    Findings(of: self, avalancheLimit: avalancheLimit, growthLimit: growthLimit)
  }

  /// What a record shows that is probably not meant, and the time that handlers took.
  public struct Findings: Sendable {
    /// Changes that led to a change of the same property of the same object.
    public internal(set) var cycles: [Cycle] = []
    /// Changes that led to more deliveries than the limit.
    public internal(set) var avalanches: [Avalanche] = []
    /// Changes whose old and new values are equal, and that were delivered, those of one place as one.
    public internal(set) var equalValues: [Repetition] = []
    /// Observers that were told more than once by one cause, those of one place as one.
    public internal(set) var toldAgain: [Repetition] = []
    /// The handlers that ran, the one that took most time first.
    ///
    /// Registrations of the same key path at one place have one handler.
    public internal(set) var handlers: [HandlerTime] = []
    /// Places whose registrations only grew in number.
    public internal(set) var growing: [Growth] = []
    /// Registrations that ended before anything could be delivered.
    public internal(set) var endedAtOnce: [Growth] = []

    /// Whether nothing was found; the handlers' times don't count.
    public var isEmpty: Bool {
      cycles.isEmpty && avalanches.isEmpty && equalValues.isEmpty && toldAgain.isEmpty
        && growing.isEmpty && endedAtOnce.isEmpty
    }
  }

  /// A change that led to a change of the same property of the same object.
  public struct Cycle: Sendable {
    /// The changes and deliveries of one round, beginning and ending with a change of the property.
    public let events: [Event]
    /// How often it was seen.
    public internal(set) var count = 1

    /// The delivery whose observer made the change that closes the cycle.
    public var closing: Event {
      events.last { $0.kind == .delivered } ?? events[events.count - 1]
    }
  }

  /// A change that led to many deliveries, as a tree.
  public struct Avalanche: Sendable {
    /// A kind of event in the tree, with all of the same registration or property at this place.
    public struct Branch: Sendable {
      /// The first of these events.
      public let event: Event
      /// How many there are.
      public let count: Int
      /// What they led to.
      public let branches: [Branch]
    }

    /// The change, and what it led to.
    public let root: Branch
    /// How many deliveries it led to.
    public let deliveryCount: Int
  }

  /// An event that happened for nothing, or too often.
  public struct Repetition: Sendable {
    /// The first of these events.
    public let event: Event
    /// How many there are: deliveries of equal values, or the most calls by one cause.
    public let count: Int
  }

  /// How long an observer's handler ran.
  public struct HandlerTime: Sendable {
    /// The first of its deliveries.
    public let event: Event
    /// How often it was called.
    public let count: Int
    /// How long it ran altogether, in nanoseconds, what it called included.
    public let total: UInt64
    /// How long its longest call ran, in nanoseconds.
    public let longest: UInt64
  }

  /// Registrations that were made at one place.
  public struct Growth: Sendable {
    /// The first registration there.
    public let event: Event
    /// How many were made.
    public let count: Int
    /// How many objects they observe.
    ///
    /// As many as there are registrations may be meant, such as one for each row of a list. If there are
    /// fewer, objects have several registrations each, and tell each change as often.
    public let objectCount: Int
  }
}
