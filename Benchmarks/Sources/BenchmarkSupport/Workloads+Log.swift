// W22 to W26: every change as data.

extension Workload {
  /// The number of objects of W24 to W26.
  public static let loggedObjects = 10_000
  /// The number of elements that W26 appends.
  public static let loggedAppends = 1_000
  /// The number of levels that W23 keeps.
  public static let keptLevels = 100

  /// W22: sets an `Int` of an object whose changes are logged.
  ///
  /// Without a listener nothing is recorded. A listener counts the records and adds up the recorded values.
  public static func loggedSet(isListening: Bool) -> Workload {
    Workload(
      "W22", "set Int, logged, \(isListening ? "records counted" : "no listener")",
      targets: [.value(atMost: isListening ? 300 : 200)]
    ) { operations in
      isListening
        ? Expectation(
          notifications: operations,
          checksum: (1...operations).reduce(0) { $0 &+ Tally.weight(old: $1 - 1, new: $1) })
        : Expectation(notifications: 0, checksum: operations)
    }
  }

  /// W22: sets a reference between logged objects, to which strong references lead in circles.
  ///
  /// The checksum is the number of operations, if the last one has set its reference.
  public static let loggedReference = Workload(
    "W22", "set a reference, \(loggedObjects) logged objects in circles",
    targets: [.value(atMost: 2_000)]
  ) { Expectation(notifications: 0, checksum: $0) }

  /// W23: sets an `Int` whose changes can be undone, of which the last are kept, then undoes one.
  ///
  /// The checksum is the value after undoing.
  public static let recordedSet = Workload(
    "W23", "set Int, \(keptLevels) levels of undo kept", targets: [.value(atMost: 600)]
  ) { Expectation(notifications: 0, checksum: $0 - 1) }

  /// W24: the memory that a log takes for each object of a graph, an `Int` and a `String` in each.
  public static let loggedMemory = Workload(
    "W24", "bytes for an object attached to a log", unit: .bytes,
    size: .fixed(loggedObjects, quick: loggedObjects), targets: [.value(atMost: 250)]
  ) { Expectation(notifications: $0, checksum: 0) }
  .counting(0)

  /// What W25 does with a graph of objects with an `Int` and a `String`.
  public enum GraphTask: String, CaseIterable, Sendable {
    /// Attaches a log, and detaches it.
    case attach = "a log attached and detached"
    /// Takes a snapshot.
    case snapshot = "a snapshot taken"
    /// Makes the objects of a snapshot, and attaches a log to them.
    case restore = "a snapshot restored"
    /// Writes a snapshot as JSON; plain structures are encoded with Foundation's `JSONEncoder`.
    case encode = "a snapshot encoded as JSON"
    /// Reads a snapshot's JSON; plain structures are decoded with Foundation's `JSONDecoder`.
    case decode = "a snapshot decoded from JSON"
    /// Encodes a snapshot with Foundation's `JSONEncoder`.
    case encodeByFoundation = "a snapshot encoded by JSONEncoder"
    /// Decodes a snapshot with Foundation's `JSONDecoder`.
    case decodeByFoundation = "a snapshot decoded by JSONDecoder"
    /// Applies a snapshot in which one object differs.
    case apply = "a snapshot applied, one differs"

    var limit: Double? {
      switch self {
      case .attach: 5e6
      case .snapshot: 4e6
      case .restore: 20e6
      case .encode: 25e6
      case .decode: 50e6
      case .encodeByFoundation, .decodeByFoundation: nil
      case .apply: 3e6
      }
    }
  }

  /// W25: one task for a whole graph.
  ///
  /// The checksum is the number of objects in the result; for an applied snapshot, the value that differs.
  public static func graph(_ task: GraphTask) -> Workload {
    Workload(
      "W25", "\(loggedObjects) objects, \(task.rawValue)", size: .fitted(maximum: 100),
      targets: task.limit.map { [.value(atMost: $0)] } ?? []
    ) { operations in
      Expectation(
        notifications: 0,
        checksum: task == .apply
          ? (1...operations).reduce(0) { $0 + ($1 & 1) } : operations * (loggedObjects + 1))
    }.counting(2)
  }

  /// W26: appends strings through a proxy in one transaction, with one record of it, or applies such a record.
  ///
  /// The checksum is the number of elements that records contain, or that the list has got.
  public static func recordedAppends(isApplied: Bool) -> Workload {
    Workload(
      "W26", "\(loggedAppends) appends in one transaction, \(isApplied ? "applied" : "recorded")",
      size: .fitted(maximum: 1_000), targets: [.value(atMost: isApplied ? 2e6 : 1e6)]
    ) { Expectation(notifications: isApplied ? 0 : $0, checksum: $0 * loggedAppends) }
    .counting(2)
  }

  /// W26: appends strings in place in one transaction, with one record of it; another record empties the list again.
  public static let recordedAppendsInPlace = Workload(
    "W26", "\(loggedAppends) appends in place in one transaction, recorded",
    size: .fitted(maximum: 1_000), targets: [.value(atMost: 0.5e6)]
  ) { Expectation(notifications: 2 * $0, checksum: $0 * loggedAppends) }
  .counting(2)

  /// W22 to W26.
  static let logs: [Workload] =
    [false, true].map(loggedSet) + [loggedReference, recordedSet, loggedMemory]
    + GraphTask.allCases.map(graph)
    + [false, true].map(recordedAppends) + [recordedAppendsInPlace]
}
