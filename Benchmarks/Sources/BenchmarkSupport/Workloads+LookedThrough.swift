// W19 to W21: an array of objects that are looked through, changed and read in plain Swift.

/// What W19 does to the array `items`.
///
/// Even steps undo what odd steps do, so the array keeps its size. Object number i has `n` = i. The guest,
/// which comes and goes, has the number of the objects as `n`, and so the greatest `n`.
public enum ListOperation: String, CaseIterable, Sendable {
  /// Appends the guest, or removes it.
  case append = "append and removeLast by turns"
  /// Swaps the first and the last object.
  case swap = "swapAt of both ends"
  /// Replaces the object in the middle by the guest, or the guest by that object.
  case replace = "items[i] = x"
  /// Assigns an array with the guest in the middle, or one without it. Both were made before.
  case assign = "assigned, one more or one less"

  /// What the observers are told after a step.
  func value(_ observed: ListObserved, of count: Int, afterOdd isOdd: Bool) -> Int {
    let hasGuest = isOdd && self != .swap
    let replaced = hasGuest && self == .replace
    switch observed {
    case .items: return count + (hasGuest && !replaced ? 1 : 0)
    case .maximum: return hasGuest ? count : count - 1
    case .sum, .getter, .getterWithValue, .each:
      return count * (count - 1) / 2 + (hasGuest ? count : 0) - (replaced ? count / 2 : 0)
    }
  }
}

/// What is observed in W19.
public enum ListObserved: String, CaseIterable, Sendable {
  /// The array itself, which nothing looks through.
  case items = "items observed, new"
  /// The sum of the objects' `n`.
  case sum = "sum observed, new"
  /// The greatest `n`.
  case maximum = "maximum observed, new"
  /// A computed property that adds up the objects' `n`; its value isn't requested.
  case getter = "getter observed, no values"
  /// The same property with its value, so that each notification adds up again.
  case getterWithValue = "getter observed, new"
  /// The `n` of each object. No values are requested, because they are an array that each notification
  /// would fill.
  case each = "each observed, no values"

  /// Whether the observer receives a value.
  ///
  /// Without one, hand-written code and publishers have nothing to do, because they don't follow the
  /// objects' `n`.
  public var hasValue: Bool { self != .getter && self != .each }
}

/// A task of W19: an operation on an array of some size, under an observer.
public struct ListTask: Sendable {
  /// What is done.
  public let operation: ListOperation
  /// The number of objects.
  public let count: Int
  /// What is observed.
  public let observed: ListObserved

  /// Every task, in the order of running.
  public static let all: [ListTask] =
    [ListTask(operation: .append, count: 10_000, observed: .items)]
    + ListOperation.allCases.flatMap { operation in
      ListObserved.allCases.filter { $0 != .items }.flatMap { observed in
        // Their growth is drawn.
        let isDrawn = observed == .sum && (operation == .append || operation == .assign)
        return (isDrawn ? [1_000, 10_000, 100_000] : [10_000]).map {
          ListTask(operation: operation, count: $0, observed: observed)
        }
      }
    }

  /// The number of operations whose instructions are counted: even, so that the array keeps its size.
  fileprivate var counted: Int {
    if observed == .items { return 2_000 }
    return count > 10_000 ? 0 : 4
  }

  /// The limit is a pass over the objects' references.
  ///
  /// A getter whose value is requested makes another pass, which W21 measures.
  fileprivate var targets: [Target] {
    switch (observed, operation) {
    case (.items, _), (.getterWithValue, _): []
    case (_, .assign): [.value(atMost: Double(3 * count))]
    case (_, .append), (_, .swap), (_, .replace): [.value(atMost: Double(count + 4_000))]
    }
  }
}

extension Workload {
  /// W19: changes an array of objects in plain Swift, with one observer.
  ///
  /// The checksum is the sum of the observed values; for an array, of its counts. If no value is requested,
  /// it's the sum of the objects' `n` in the end.
  public static func changedList(_ task: ListTask) -> Workload {
    Workload(
      "W19", "\(task.operation.rawValue), \(task.count) objects, \(task.observed.rawValue)",
      size: .fitted(maximum: 10_000), targets: task.targets
    ) { operations in
      let (observed, count) = (task.observed, task.count)
      let odd = task.operation.value(observed, of: count, afterOdd: true)
      let even = task.operation.value(observed, of: count, afterOdd: false)
      let isOdd = !operations.isMultiple(of: 2)
      let checksum =
        observed.hasValue
        ? (operations + 1) / 2 * odd + operations / 2 * even : isOdd ? odd : even
      return Expectation(notifications: operations, checksum: checksum)
    }.counting(task.counted)
  }

  /// W20: appends so many objects to an empty array in plain Swift, with an observer of their sum, which
  /// is called for each or, in a transaction, once.
  ///
  /// An operation is the whole filling. The checksum is the sum of the observed sums.
  public static func filledList(_ count: Int, inTransaction: Bool) -> Workload {
    let suffix = inTransaction ? ", in one transaction" : ""
    let limit: Double = inTransaction ? 3e6 : 40e6
    return Workload(
      "W20", "filled with \(count) objects by append, sum observed, new\(suffix)",
      size: .fitted(maximum: 1_000), targets: count == 4_000 ? [.value(atMost: limit)] : []
    ) { operations in
      inTransaction
        ? Expectation(notifications: operations, checksum: operations * count * (count - 1) / 2)
        : Expectation(
          notifications: operations * count,
          checksum: operations * (count - 1) * count * (count + 1) / 6)
    }.counting(count > 1_000 ? 0 : 1)
  }

  /// The number of objects of W21.
  public static let readObjects = 10_000

  /// W21: reads a computed property that adds up the `n` of an array's objects; nothing is observed.
  public static let readList = Workload(
    "W21", "read a getter that adds up \(readObjects) unobserved objects",
    targets: [.ratio(to: System.plain, atMost: 3)]
  ) { Expectation(notifications: 0, checksum: $0 * readObjects * (readObjects - 1) / 2) }
  .counting(20)

  /// W19 to W21.
  static let looksThrough: [Workload] =
    ListTask.all.map(changedList)
    + [400, 4_000].flatMap { count in
      [false, true].map { filledList(count, inTransaction: $0) }
    }
    + [readList]
}

/// The objects of W19.
public struct ListFixture<Item: AnyObject> {
  /// The objects at the beginning.
  public let items: [Item]
  /// The object that comes and goes.
  public let guest: Item
  /// The objects with the guest in their middle.
  public let longer: [Item]
  /// The index at which an object is replaced.
  public let middle: Int

  /// Makes the objects with a function from their `n`.
  public init(_ count: Int, _ make: (Int) -> Item) {
    items = (0..<count).map(make)
    guest = make(count)
    middle = count / 2
    longer = Array(items[..<middle]) + [guest] + items[middle...]
  }

  /// The array at the beginning of a sample.
  ///
  /// To be changed in place, it's an array that nothing shares and that has room for the guest. To be
  /// replaced, it's the kept one, so that the sample doesn't include releasing its objects.
  public func beginning(_ operation: ListOperation) -> [Item] {
    if operation == .assign { return items }
    var own: [Item] = []
    own.reserveCapacity(items.count + 1)
    own += items
    return own
  }
}
