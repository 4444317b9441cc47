/// Something that every system does in its own way, and is timed at.
public struct Workload: Sendable {
  /// What is measured of it.
  public enum Unit: String, Sendable {
    /// Time for an operation.
    case nanoseconds = "ns"
    /// Memory for an object.
    case bytes
  }

  /// How many operations one sample does.
  public enum Size: Sendable {
    /// As many as fill a sample's time: a multiple of the unit, at most the maximum.
    case fitted(unit: Int = 1, maximum: Int = 10_000_000)
    /// Always so many; fewer in a quick run.
    case fixed(Int, quick: Int)
  }

  /// What the observers must have heard after so many operations.
  public struct Expectation: Sendable, Equatable {
    /// The count of notifications.
    public var notifications: Int
    /// The checksum of the values that came, or of the final state where no values are asked for.
    public var checksum: Int

    /// Creates an expectation.
    public init(notifications: Int, checksum: Int) {
      self.notifications = notifications
      self.checksum = checksum
    }
  }

  /// The number of the workload: `W1`.
  public let group: String
  /// What is done.
  public let title: String
  /// What is measured.
  public let unit: Unit
  /// How many operations a sample does.
  public let size: Size
  /// What must be heard after so many operations.
  public let expected: @Sendable (Int) -> Expectation
  /// What this library is to reach.
  public let targets: [Target]

  /// Creates a workload.
  public init(
    _ group: String, _ title: String, unit: Unit = .nanoseconds, size: Size = .fitted(),
    targets: [Target] = [], expected: @escaping @Sendable (Int) -> Expectation
  ) {
    self.group = group
    self.title = title
    self.unit = unit
    self.size = size
    self.targets = targets
    self.expected = expected
  }

  /// The number and the title.
  public var name: String { "\(group) \(title)" }
}
