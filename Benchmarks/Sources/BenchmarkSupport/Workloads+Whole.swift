// W10 to W13: memory, chains, the string API, threads.

extension Workload {
  /// W10: the memory of objects with one `Int`.
  ///
  /// Each object is set once after the count. Slow systems make fewer objects, which doesn't change
  /// their bytes.
  public static func memory(_ stage: MemoryStage) -> Workload {
    let observations: Int
    let targets: [Target]
    switch stage {
    case .unobserved: (observations, targets) = (0, [.value(atMost: 48)])
    case .firstObservation: (observations, targets) = (1, [.value(atMost: 420)])
    case .secondObservation: (observations, targets) = (2, [.value(atMost: 200)])
    case .removed: (observations, targets) = (0, [.value(atMost: 0)])
    }
    return Workload(
      "W10", stage.rawValue, unit: .bytes, size: .fixed(1_000_000, quick: 50_000),
      targets: targets
    ) { Expectation(notifications: $0 * observations, checksum: 0) }
  }

  /// W11: two observers of paths `a.b.c`, each of which writes the new value to the next object.
  ///
  /// The checksum is the sum of all reported values.
  public static let chain = Workload("W11", "two chained observers of a.b.c") {
    Expectation(notifications: 2 * $0, checksum: $0 * ($0 + 1))
  }

  /// W11: passes a value on through two bindings in a row, one-way or two-way.
  ///
  /// The last object has an observer.
  public static func bindings(twoWay: Bool) -> Workload {
    Workload("W11", "two chained \(twoWay ? "two-way" : "one-way") bindings") {
      Expectation(notifications: $0, checksum: $0 * ($0 + 1) / 2)
    }
  }

  /// W12: reads an `Int`, 7, by its key.
  public static let valueForKey = Workload(
    "W12", "value(forKey:)", targets: [.difference(from: System.boxed, atMost: 30)]
  ) { Expectation(notifications: 0, checksum: 7 * $0) }

  /// W12: sets an `Int` by its key.
  public static let setValueForKey = Workload("W12", "setValue(_:forKey:)") {
    Expectation(notifications: 0, checksum: $0)
  }

  /// W12: reads an `Int`, 7, by a path of three keys.
  public static let valueForKeyPath = Workload(
    "W12", "value(forKeyPath:), three components",
    targets: [.growth(from: valueForKey.name, atMost: 4)]
  ) { Expectation(notifications: 0, checksum: 7 * $0) }

  /// W12: sums the salaries 0 to 9,999.
  public static let sumOperator = Workload("W12", "@sum over 10000") {
    Expectation(notifications: 0, checksum: 49_995_000 * $0)
  }.counting(20)

  /// W12: sums the salaries 0 to 999, or as many bonuses of half a salary, an operation for each element.
  public static func sumElement(ofDoubles: Bool) -> Workload {
    Workload(
      "W12", "@sum over 1000 \(ofDoubles ? "Doubles" : "Ints"), an element",
      size: .fitted(unit: 1_000)
    ) { Expectation(notifications: 0, checksum: $0 / 1_000 * (ofDoubles ? 249_750 : 499_500)) }
  }

  /// W13: each thread sets an observed object of its own; no values.
  ///
  /// The time is wall-clock time, divided by the sets of all threads. The checksum is the sum of
  /// the last values.
  public static func ownObjects(threads: Int) -> Workload {
    Workload(
      "W13", "\(threads) \(threads == 1 ? "thread" : "threads"), own objects",
      size: .fitted(unit: threads),
      targets: threads > 1 ? [.growth(from: ownObjects(threads: 1).name, atMost: 0.8)] : []
    ) { Expectation(notifications: $0, checksum: $0) }
  }

  /// W13: all threads increment one observed object that locks itself; old and new.
  ///
  /// There are few steps, because one can take a thousand times as long as another: a contended
  /// lock may pass from thread to thread through the kernel.
  public static func sharedObject(threads: Int) -> Workload {
    Workload(
      "W13", "\(threads) \(threads == 1 ? "thread" : "threads"), one shared object",
      size: .fitted(unit: threads, maximum: 40_000)
    ) { Expectation(notifications: $0, checksum: sumOfSteps($0)) }
  }
}
