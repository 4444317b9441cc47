/// One system's way of doing one workload.
public struct Contender: Sendable {
  /// What is done.
  public let workload: Workload
  /// Who does it.
  public let system: String
  /// Makes what the samples need, and returns what takes one sample of so many operations.
  ///
  /// Called when the workload's turn comes; what it made goes when the workload is done.
  public let prepare: @Sendable () throws -> (Int) throws -> Reading

  /// The most operations that a sample does, where the workload has a fixed number of them.
  public var maximum = Int.max

  /// Creates a contender whose samples share what `prepare` makes.
  public init(
    _ workload: Workload, _ system: String,
    prepare: @escaping @Sendable () throws -> (Int) throws -> Reading
  ) {
    self.workload = workload
    self.system = system
    self.prepare = prepare
  }

  /// Creates a contender whose samples make their objects themselves; a sample is given a count of
  /// operations and an empty tally, and returns the nanoseconds or bytes of all operations.
  public init(
    _ workload: Workload, _ system: String,
    sample: @escaping @Sendable (Int, Tally) throws -> Double
  ) {
    self.init(workload, system) {
      { operations in
        let tally = Tally()
        return Reading(total: try sample(operations, tally), tally)
      }
    }
  }
}

extension Contender {
  /// The same with fewer operations, for a system that would take minutes.
  public func atMost(_ maximum: Int) -> Contender {
    var contender = self
    contender.maximum = maximum
    return contender
  }
}

/// The names of the systems that others are compared with.
public enum System {
  /// This library.
  public static let keyValue = "swift-kvo"
  /// This library, with the path in Foundation's spelling: `observe(\.x)`.
  public static let keyPathLiteral = "swift-kvo, literal"
  /// This library, with a plain key path: `observe(\Counter.value)`.
  public static let plainKeyPath = "swift-kvo, plain key path"
  /// This library, with a path that is made once and kept.
  public static let keptPath = "swift-kvo, kept path"
  /// What a person writes who has no library.
  public static let handWritten = "hand-written"
  /// A stored property without observers.
  public static let plain = "plain"
  /// The same, read as `Any?`.
  public static let boxed = "plain, boxed"
}
