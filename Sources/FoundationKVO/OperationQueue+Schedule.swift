/// A queue's operations, and which one starts next.
///
/// An operation is *held* while a barrier before it hasn't finished, and a barrier while any operation before
/// it hasn't; otherwise it's *admitted*. An operation that
/// is admitted, ready and not started is in a heap. A *ticket* is a call requested from Dispatch; it takes
/// the heap's first operation when it runs, so priorities count until then.
///
/// `condition` guards everything. While it's held, nothing is called and no operation is deallocated.
// Checked by hand: see above.
package final class OperationSchedule: @unchecked Sendable {
  private final class Entry {
    let operation: Operation
    let number: Int
    let isBarrier: Bool
    var priority: Int
    /// Incremented when the entry's places in the heap become invalid.
    var version = 0
    var isAdmitted = false
    var isReady = false
    var isStarted = false
    var isExamined = false
    var isExaminedAgain = false

    init(_ operation: Operation, _ number: Int, _ priority: Int, isBarrier: Bool) {
      self.operation = operation
      self.number = number
      self.priority = priority
      self.isBarrier = isBarrier
    }

    var mayStart: Bool { isAdmitted && isReady && !isStarted }
  }

  private struct Place: Comparable {
    let priority: Int
    let number: Int
    let version: Int
    /// Not the entry, which an invalid place would retain.
    let operation: ObjectIdentifier

    static func < (left: Place, right: Place) -> Bool {
      (right.priority, left.number) < (left.priority, right.number)
    }
    static func == (left: Place, right: Place) -> Bool {
      left.priority == right.priority && left.number == right.number
    }
  }

  private let condition = NSCondition()
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var heap = OperationHeap<Place>()
  /// The entries from a waiting barrier on, or behind an admitted one.
  private var held: [Entry] = []
  private var addedCount = 0
  private var admittedCount = 0
  private var barrierIsAdmitted = false
  private var barrierCount = 0
  private var startableCount = 0
  private var ticketCount = 0
  private var runningCount = 0
  private var isStopped = false
  /// How many operations are being removed, with observers to be called.
  private var leavingCount = 0
  /// The queue itself, as long as it has something to start.
  private var owner: OperationQueue?
  private var limitValue: Int
  private var nameValue: String?
  private var qualityValue = QualityOfService.default
  private var underlyingValue: DispatchQueue?
  private let own: DispatchQueue
  private let isMain: Bool

  init() {
    own = DispatchQueue(label: "FoundationKVO.OperationQueue", attributes: .concurrent)
    limitValue = OperationQueue.defaultMaxConcurrentOperationCount
    isMain = false
  }

  init(main: DispatchQueue) {
    own = main
    limitValue = 1
    isMain = true
  }

  private func locked<Result>(_ body: () -> Result) -> Result { condition.withLock(body) }

  // MARK: Properties

  func operations(withBarriers: Bool) -> [Operation] {
    locked {
      entries.values.filter { withBarriers || !$0.isBarrier }.sorted { $0.number < $1.number }
        .map(\.operation)
    }
  }
  /// How many operations there are, barriers not included.
  var count: Int { locked { entries.count - barrierCount } }
  /// How many places the heap has, invalid ones included.
  package var placeCount: Int { locked { heap.count } }
  var isSuspended: Bool { locked { isStopped } }

  var limit: Int {
    get { locked { limitValue } }
    set { locked { limitValue = newValue } }
  }
  var name: String? {
    get { locked { nameValue } }
    set { locked { nameValue = newValue } }
  }
  var qualityOfService: QualityOfService {
    get { locked { qualityValue } }
    set { locked { qualityValue = newValue } }
  }
  var underlying: DispatchQueue? {
    get { locked { isMain ? own : underlyingValue } }
    set { locked { if !isMain { underlyingValue = newValue } } }
  }

  var quality: DispatchQoS {
    switch qualityOfService {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    default: .unspecified
    }
  }

  func suspend(_ isStopped: Bool, _ queue: OperationQueue) {
    let old = locked {
      let old = owner
      self.isStopped = isStopped
      setOwner(queue)
      return old
    }
    withExtendedLifetime(old) {}
  }

  private func setOwner(_ queue: OperationQueue) {
    owner = entries.isEmpty || (isStopped && runningCount == 0) ? nil : queue
  }

  // MARK: Adding and removing

  func add(_ operation: Operation, to queue: OperationQueue) {
    let (priority, isBarrier) = (operation.queuePriority.rawValue, operation.life.isBarrier)
    locked {
      let entry = Entry(operation, addedCount, priority, isBarrier: isBarrier)
      addedCount += 1
      if isBarrier { barrierCount += 1 }
      entries[ObjectIdentifier(operation)] = entry
      setOwner(queue)
      if held.isEmpty, mayAdmit(entry) { admit(entry) } else { held.append(entry) }
    }
  }

  private func mayAdmit(_ entry: Entry) -> Bool {
    !barrierIsAdmitted && (!entry.isBarrier || admittedCount == 0)
  }

  private func admit(_ entry: Entry) {
    entry.isAdmitted = true
    admittedCount += 1
    if entry.isBarrier { barrierIsAdmitted = true }
    if entry.isReady { enterHeap(entry) }
  }

  /// Admits the entries that no barrier holds back any more.
  private func admitHeld() {
    var count = 0
    while count < held.count, mayAdmit(held[count]) {
      admit(held[count])
      count += 1
    }
    held.removeFirst(count)
  }

  func remove(_ operation: Operation) {
    let (entry, old) = locked { () -> (Entry?, OperationQueue?) in
      guard let entry = entries.removeValue(forKey: ObjectIdentifier(operation)) else {
        return (nil, nil)
      }
      if entry.mayStart { leaveHeap(entry) }
      if entry.isBarrier { barrierCount -= 1 }
      if entry.isStarted { runningCount -= 1 }
      entry.isStarted = true
      if entry.isAdmitted {
        admittedCount -= 1
        if entry.isBarrier { barrierIsAdmitted = false }
      } else {
        held.removeAll { $0 === entry }
      }
      admitHeld()
      let old = owner
      if entries.isEmpty || (isStopped && runningCount == 0) { owner = nil }
      // An observer of another operation's end doesn't wait for the removal's observers.
      if entries.isEmpty { condition.broadcast() }
      return (entry, old)
    }
    withExtendedLifetime((entry, old)) {}
  }

  // MARK: Readiness

  /// Whether this thread checks the operation; if not, the thread that is checking it does so again.
  func beginExamining(_ operation: Operation) -> Bool {
    locked {
      guard let entry = entries[ObjectIdentifier(operation)] else { return false }
      if entry.isExamined {
        entry.isExaminedAgain = true
        return false
      }
      entry.isExamined = true
      return true
    }
  }

  /// Records the result; false if the operation has to be checked again.
  func endExamining(_ operation: Operation, isReady: Bool) -> Bool {
    locked {
      guard let entry = entries[ObjectIdentifier(operation)] else { return true }
      if entry.isExaminedAgain {
        entry.isExaminedAgain = false
        return false
      }
      entry.isExamined = false
      let couldStart = entry.mayStart
      entry.isReady = isReady
      if entry.mayStart, !couldStart { enterHeap(entry) }
      if couldStart, !entry.mayStart { leaveHeap(entry) }
      return true
    }
  }

  func setPriority(_ operation: Operation) {
    let priority = operation.queuePriority.rawValue
    locked {
      guard let entry = entries[ObjectIdentifier(operation)] else { return }
      let mayStart = entry.mayStart
      if mayStart { leaveHeap(entry) }
      entry.priority = priority
      if mayStart { enterHeap(entry) }
    }
  }

  private func enterHeap(_ entry: Entry) {
    startableCount += 1
    heap.insert(
      Place(
        priority: entry.priority, number: entry.number, version: entry.version,
        operation: ObjectIdentifier(entry.operation)))
    // `next()` doesn't find the invalid ones behind the first valid one.
    if heap.count > 2 * startableCount + 32 { heap.keep { self.entry(at: $0) != nil } }
  }

  private func leaveHeap(_ entry: Entry) {
    startableCount -= 1
    entry.version += 1
  }

  /// The entry that may start at a place; nil if the place is invalid.
  private func entry(at place: Place) -> Entry? {
    guard let entry = entries[place.operation], entry.number == place.number,
      entry.version == place.version, entry.mayStart
    else { return nil }
    return entry
  }

  // MARK: Starting

  /// How many calls to request, and from which queue.
  func takeTickets() -> (Int, DispatchQueue) {
    locked {
      let limit = limitValue < 0 ? Int.max : limitValue
      let count = isStopped ? 0 : min(startableCount, limit - runningCount) - ticketCount
      ticketCount += max(0, count)
      return (max(0, count), isMain ? own : underlyingValue ?? own)
    }
  }

  /// Takes the operation that a ticket starts.
  func next() -> Operation? {
    locked {
      ticketCount -= 1
      let limit = limitValue < 0 ? Int.max : limitValue
      if isStopped || runningCount >= limit { return nil }
      while let place = heap.removeFirst() {
        guard let entry = self.entry(at: place) else { continue }
        startableCount -= 1
        entry.isStarted = true
        runningCount += 1
        return entry.operation
      }
      return nil
    }
  }

  // MARK: Waiting

  /// Runs the code that removes an operation and announces it.
  func leaving(_ body: () -> Void) {
    locked { leavingCount += 1 }
    body()
    locked {
      leavingCount -= 1
      if entries.isEmpty { condition.broadcast() }
    }
  }

  /// Waits until there is no operation and observers have been called; an observer waits for no other one.
  func waitUntilEmpty() {
    let holdsUpOthers = OperationLife.holdsUpOthers
    locked {
      while !entries.isEmpty || (!holdsUpOthers && leavingCount > 0) { condition.wait() }
    }
  }
}

/// A binary heap, the least element first.
struct OperationHeap<Element: Comparable> {
  private var elements: [Element] = []

  var count: Int { elements.count }

  /// Keeps only the elements that a condition is true for.
  mutating func keep(_ isKept: (Element) -> Bool) {
    // What is sorted is a heap.
    elements = elements.filter(isKept).sorted()
  }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() -> Element? {
    guard let first = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return first }
    elements[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      if least == parent { return first }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}
