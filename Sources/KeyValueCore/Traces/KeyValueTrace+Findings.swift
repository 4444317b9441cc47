extension KeyValueTrace {
  /// What the record shows that is probably unintended.
  ///
  /// ```swift
  /// let trace = KeyValueTrace.recording { model.reload() }
  /// #expect(trace.findings.cycles.isEmpty)
  /// print(trace.findings)
  /// ```
  public var findings: Findings { findings() }

  /// What the record shows that is probably unintended, with limits of your own.
  ///
  /// - Parameters:
  ///   - avalancheLimit: How many deliveries a change may lead to; more are an avalanche. If the
  ///     change is one of *n* elements, the deliveries that its observers cause in turn count 1/*n*
  ///     each, because handling each element is their purpose. Initial deliveries don't count.
  ///   - growthLimit: How many registrations of one place, of which none ends, are a finding.
  /// - Returns: The findings.
  ///
  /// - Complexity: O(*n* × *d* + *n* × *p*) for *n* events, nested *d* deep, and *p* places whose registrations
  ///   only grow.
  public func findings(avalancheLimit: Int = 20, growthLimit: Int = 10) -> Findings {
    Findings(of: self, avalancheLimit: avalancheLimit, growthLimit: growthLimit)
  }

  /// What a record shows that is probably unintended, and the time that handlers took.
  public struct Findings: Sendable {
    /// Changes that led to a change of the same property of the same object, not only through
    /// bindings.
    public internal(set) var cycles: [Cycle] = []
    /// Changes that led to more deliveries than the limit, for each element of the change.
    public internal(set) var avalanches: [Avalanche] = []
    /// Delivered changes whose old and new values are equal, combined by place.
    public internal(set) var equalValues: [Repetition] = []
    /// Deliveries of values that were out of date, because a later change had been delivered first,
    /// combined by place.
    public internal(set) var outdated: [Repetition] = []
    /// Observers that one cause notified more than once, combined by place.
    public internal(set) var toldAgain: [Repetition] = []
    /// The handlers that ran, the one with the longest total time first.
    ///
    /// Registrations of the same key path at one place share a handler.
    public internal(set) var handlers: [HandlerTime] = []
    /// Places whose registrations only grew in number.
    public internal(set) var growing: [Growth] = []
    /// Registrations that ended before anything could be delivered.
    public internal(set) var endedAtOnce: [Growth] = []

    /// Whether nothing was found, not counting the handlers' times.
    public var isEmpty: Bool {
      cycles.isEmpty && avalanches.isEmpty && equalValues.isEmpty && outdated.isEmpty
        && toldAgain.isEmpty
        && growing.isEmpty && endedAtOnce.isEmpty
    }
  }

  /// A change that led to a change of the same property of the same object.
  public struct Cycle: Sendable {
    /// The changes and deliveries of one round, beginning and ending with a change of the property.
    public let events: [Event]
    /// How often the cycle was seen.
    public internal(set) var count = 1

    /// The delivery whose observer made the change that closes the cycle.
    public var closing: Event {
      events.last { $0.kind == .delivered } ?? events[events.count - 1]
    }
  }

  /// A change that led to many deliveries, as a tree.
  public struct Avalanche: Sendable {
    /// Similar events at one position in the tree: those of the same registration or property.
    public struct Branch: Sendable {
      /// The first of these events.
      public let event: Event
      /// The number of these events.
      public let count: Int
      /// What these events led to.
      public let branches: [Branch]
    }

    /// The change, and what it led to.
    public let root: Branch
    /// The number of deliveries that the change led to.
    public let deliveryCount: Int
  }

  /// An event that happened needlessly or too often.
  public struct Repetition: Sendable {
    /// The first of these events.
    public let event: Event
    /// The number of deliveries of equal or outdated values, or the most calls by one cause.
    public let count: Int
  }

  /// How long an observer's handler ran.
  public struct HandlerTime: Sendable {
    /// The handler's first delivery.
    public let event: Event
    /// How often the handler was called.
    public let count: Int
    /// The total time of the calls in nanoseconds, including what the handler called.
    public let total: UInt64
    /// The time of the longest call, in nanoseconds.
    public let longest: UInt64
  }

  /// Registrations that were made at one place.
  public struct Growth: Sendable {
    /// The first of these registrations.
    public let event: Event
    /// The number of these registrations.
    public let count: Int
    /// The number of objects that they observe.
    public let objectCount: Int
    /// The number of properties that they observe: the key paths of each object.
    ///
    /// As many properties as registrations may be intended, such as one for each column of each row
    /// of a list. If there are fewer properties, one has several registrations, all of which are
    /// notified of every change.
    public let propertyCount: Int
  }
}
