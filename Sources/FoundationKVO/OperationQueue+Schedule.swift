/// Which operations a queue has, and which one starts next.
///
/// An operation is *held* while a barrier before it hasn't finished, else *admitted*. One that is admitted,
/// ready and not started stands in a heap. A *ticket* is a call that Dispatch was asked for; it takes the
/// first of the heap when it runs, so that priorities count until then.
///
/// `condition` guards everything. Nothing is called while it's held, and no operation dies.
// Checked by hand: see above.
final class OperationSchedule: @unchecked Sendable {
  private final class Entry {
    let operation: Operation
    let number: Int
    let isBarrier: Bool
    var priority: Int
    /// Counts up when the entry's places in the heap become void.
    var version = 0
    var isAdmitted = false
    var isReady = false
    var isStarted = false
    var isExamined = false
    var isExaminedAgain = false
    var token: NSKeyValueObservation?

    init(_ operation: Operation, _ number: Int, isBarrier: Bool) {
      self.operation = operation
      self.number = number
      self.isBarrier = isBarrier
      priority = operation.queuePriority.rawValue
    }

    var mayStart: Bool { isAdmitted && isReady && !isStarted }
  }

  private struct Place: Comparable {
    let priority: Int
    let number: Int
    let version: Int
    let entry: Entry

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
  /// Entries behind a barrier, from that on.
  private var held: ArraySlice<Entry> = []
  private var addedCount = 0
  private var admittedCount = 0
  private var barrierIsAdmitted = false
  private var startableCount = 0
  private var ticketCount = 0
  private var runningCount = 0
  private var isStopped = false
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

  var operations: [Operation] {
    locked { entries.values.sorted { $0.number < $1.number }.map(\.operation) }
  }
  var count: Int { locked { entries.count } }
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

  func add(_ operation: Operation, isBarrier: Bool, to queue: OperationQueue) {
    let priority = operation.queuePriority.rawValue
    locked {
      let entry = Entry(operation, addedCount, isBarrier: isBarrier)
      entry.priority = priority
      addedCount += 1
      entries[ObjectIdentifier(operation)] = entry
      setOwner(queue)
      held.append(entry)
      admitHeld()
    }
  }

  /// Admits what no barrier holds back.
  private func admitHeld() {
    while let entry = held.first, !barrierIsAdmitted, !entry.isBarrier || admittedCount == 0 {
      held.removeFirst()
      entry.isAdmitted = true
      admittedCount += 1
      if entry.isBarrier { barrierIsAdmitted = true }
      if entry.isReady { enterHeap(entry) }
    }
  }

  func keep(_ token: NSKeyValueObservation, for operation: Operation) {
    let isGone = locked {
      guard let entry = entries[ObjectIdentifier(operation)] else { return true }
      entry.token = token
      return false
    }
    if isGone { token.invalidate() }
  }

  func remove(_ operation: Operation) {
    let (entry, old) = locked { () -> (Entry?, OperationQueue?) in
      guard let entry = entries.removeValue(forKey: ObjectIdentifier(operation)) else {
        return (nil, nil)
      }
      if entry.mayStart { leaveHeap(entry) }
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
      return (entry, old)
    }
    entry?.token?.invalidate()
    withExtendedLifetime(old) {}
  }

  // MARK: Readiness

  /// Whether this thread asks the operation; else the one that is asking does so again.
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

  /// Takes the answer; false if the operation has to be asked again.
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
      Place(priority: entry.priority, number: entry.number, version: entry.version, entry: entry))
  }

  private func leaveHeap(_ entry: Entry) {
    startableCount -= 1
    entry.version += 1
  }

  // MARK: Starting

  /// How many calls to ask for, and of which queue.
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
        let entry = place.entry
        guard place.version == entry.version, entry.mayStart else { continue }
        startableCount -= 1
        entry.isStarted = true
        runningCount += 1
        return entry.operation
      }
      return nil
    }
  }

  // MARK: Waiting

  func waitUntilEmpty() {
    condition.withLock { while !entries.isEmpty { condition.wait() } }
  }

  func tellWaiting() {
    condition.withLock { if entries.isEmpty { condition.broadcast() } }
  }
}

/// A binary heap, the least element first.
struct OperationHeap<Element: Comparable> {
  private var elements: [Element] = []

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
