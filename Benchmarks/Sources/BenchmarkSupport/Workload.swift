/// A task that every system implements in its own way, and that is timed.
public struct Workload: Sendable {
  /// The measured quantity.
  public enum Unit: String, Sendable {
    /// Time for an operation.
    case nanoseconds = "ns"
    /// Memory for an object.
    case bytes
  }

  /// The number of operations in one sample.
  public enum Size: Sendable {
    /// As many as fill a sample's time: a multiple of the unit, up to the maximum.
    case fitted(unit: Int = 1, maximum: Int = 10_000_000)
    /// A constant number; fewer in a quick run.
    case fixed(Int, quick: Int)
  }

  /// The observers' expected notifications.
  public struct Expectation: Sendable, Equatable {
    /// The number of notifications.
    public var notifications: Int
    /// The checksum of the values, or of the final state if none are requested.
    public var checksum: Int

    /// Creates an expectation.
    public init(notifications: Int, checksum: Int) {
      self.notifications = notifications
      self.checksum = checksum
    }
  }

  /// The number of the workload: `W1`.
  public let group: String
  /// The task.
  public let title: String
  /// The measured quantity.
  public let unit: Unit
  /// The number of operations in a sample.
  public let size: Size
  /// The expected notifications after a number of operations.
  public let expected: @Sendable (Int) -> Expectation
  /// This library's targets.
  public let targets: [Target]
  /// The number of operations whose instructions are counted; 0 if counting would take too long.
  public private(set) var counted = 2_000

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

extension Workload {
  /// The workload with another number of counted operations, because each of them is long.
  public func counting(_ operations: Int) -> Workload {
    var workload = self
    workload.counted = operations
    return workload
  }
}
