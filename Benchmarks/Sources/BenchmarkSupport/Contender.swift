/// One system's implementation of one workload.
public struct Contender: Sendable {
  /// The workload.
  public let workload: Workload
  /// The system's name.
  public let system: String
  /// Prepares the samples, and returns a closure that takes one sample of a number of operations.
  ///
  /// Called when the workload begins; the closure is released when the workload is done.
  public let prepare: @Sendable () throws -> (Int) throws -> Reading

  /// The maximum number of operations in a sample, if the workload has a fixed number of them.
  public var maximum = Int.max

  /// Creates a contender with samples that share what `prepare` makes.
  public init(
    _ workload: Workload, _ system: String,
    prepare: @escaping @Sendable () throws -> (Int) throws -> Reading
  ) {
    self.workload = workload
    self.system = system
    self.prepare = prepare
  }

  /// Creates a contender with samples that make their own objects.
  ///
  /// A sample gets a count of operations and an empty tally, and returns the nanoseconds or bytes
  /// of all operations.
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
  /// The contender with fewer operations, for a system that would take minutes.
  public func atMost(_ maximum: Int) -> Contender {
    var contender = self
    contender.maximum = maximum
    return contender
  }
}

/// The names of the compared systems.
public enum System {
  /// This library.
  public static let keyValue = "swift-kvo"
  /// This library, with the path in Foundation's spelling: `observe(\.x)`.
  public static let keyPathLiteral = "swift-kvo, literal"
  /// This library, with a plain key path: `observe(\Counter.value)`.
  public static let plainKeyPath = "swift-kvo, plain key path"
  /// This library, with a stored path.
  public static let keptPath = "swift-kvo, kept path"
  /// This library, with a proxy of the collection.
  public static let proxy = "swift-kvo, proxy"
  /// This library, with everything that an object leads to.
  public static let graph = "swift-kvo, graph"
  /// Observing as written without a library.
  public static let handWritten = "hand-written"
  /// A stored property without observers.
  public static let plain = "plain"
  /// The same, read as `Any?`.
  public static let boxed = "plain, boxed"
}
