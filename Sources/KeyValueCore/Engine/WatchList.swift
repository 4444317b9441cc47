import Synchronization

/// One observance's interest in one property of one object.
@usableFromInline
struct Watch {
  let observance: Observance
  /// The property's hop on the observance's path; nil if the property is the whole path and has no
  /// dependencies.
  let hop: Hop?

  var identity: ObjectIdentifier {
    hop.map { ObjectIdentifier($0) } ?? ObjectIdentifier(observance)
  }

  /// What orders the watches of one observance, which are attached one after another; 0 if it's the only one.
  var attachment: UInt64 { hop?.attachment ?? 0 }

  /// Whether the property's value is the observed value, not just one of its sources.
  var isLeaf: Bool { hop?.isLeaf ?? true }

  /// Whether a change requires nothing besides delivering the property's own values.
  var isPlain: Bool { isLeaf && needs.isDisjoint(with: Needs.beyondValues) }

  var needs: Needs { hop?.needs ?? observance.needs }

  fileprivate var precedence: Int {
    guard let hop else { return 1 }
    if hop.isInDependency { return 0 }
    return hop.isLeaf ? 1 : 2
  }

  /// The dependent keys between the property and the observed path, nearest first.
  var way: [KeyValueTrace.Step] { hop?.way ?? [] }

  /// The property whose values the change's addresses hold.
  var property: Property? { hop?.property ?? observance.property }

  /// The path's current end, if it can be read along the hops.
  @inline(__always)
  func end(mutated object: AnyObject) -> PathEnd? {
    guard let hop, hop.isOnPlainWay, !hop.isLeaf else { return nil }
    return observance.withTree { $0.end(behind: hop, of: object) }
  }

  /// The observed object, which may differ from the mutated one; nil once it is dying.
  func root(mutated object: AnyObject) -> AnyObject? {
    hop?.isOnRoot ?? true ? object : observance.root
  }
}

/// The watches of one property, in registration order (Parity N3).
///
/// A copy is the frozen change set of a mutation (N2). Taking it costs one retain, and registering or
/// removing a watch leaves existing copies unchanged. Adding costs O(1), removing O(log n) amortised: a
/// removed watch leaves an empty slot until half of the slots are empty.
@usableFromInline
enum WatchList {
  case none
  case one(Watch)
  case many(WatchSlots)

  /// The combined needs of all watches.
  var needs: Needs {
    switch self {
    case .none: []
    case .one(let watch): watch.needs
    case .many(let slots): slots.needs
    }
  }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  mutating func insert(_ watch: Watch) {
    switch self {
    case .none:
      self = .one(watch)
    case .one(let first):
      let slots = WatchSlots()
      slots.insert(first)
      slots.insert(watch)
      self = .many(slots)
    case .many(var slots):
      self = .none  // keeps the slots uniquely referenced
      WatchSlots.makeUnique(&slots)
      slots.insert(watch)
      self = .many(slots)
    }
  }

  /// Removes a watch, if it is in the list.
  mutating func remove(_ observance: Observance, _ hop: Hop?) {
    switch self {
    case .none: break
    case .one(let watch):
      if watch.observance === observance, watch.hop === hop { self = .none }
    case .many(var slots):
      self = .none
      WatchSlots.makeUnique(&slots)
      slots.remove(observance, hop)
      self = slots.liveCount == 0 ? .none : .many(slots)
    }
  }

  @inline(__always)
  func forEach(_ body: (Watch) -> Void) {
    switch self {
    case .none: break
    case .one(let watch): body(watch)
    case .many(let slots):
      slots.read { slots in
        for slot in slots {
          if let watch = slot.watch { body(watch) }
        }
      }
    }
  }
}

extension SoleAudience {
  /// Whether the thread's transaction has all that a change adds, so that the change needs no audience.
  // Not inlined, so that a change outside of transactions needs no registers for what a transaction asks.
  @inline(never)
  var isCompleteInTransaction: Bool {
    guard let transaction = ThreadContext.current?.untracedTransaction else { return false }
    return observance._withUnsafeGuaranteedRef { observance in
      observance.tree == nil && transaction.isComplete(for: observance, at: nil)
    }
  }
}

extension WatchList {
  /// The same for all the watches.
  var isCompleteInTransaction: Bool {
    guard let transaction = ThreadContext.current?.untracedTransaction else { return false }
    var isComplete = true
    forEach {
      isComplete = isComplete && transaction.isComplete(for: $0.observance, at: $0.hop)
    }
    return isComplete
  }

  /// Whether each observance is notified at the transaction's end of a change before this one.
  func wait(in transaction: any OpenTransaction) -> Bool {
    var wait = true
    forEach { wait = wait && transaction.holds($0.observance) }
    return wait
  }

  /// Calls the body once for each observance, in registration order, with its position.
  ///
  /// An observance that the property reaches in several ways is in the list several times in a row. It's called
  /// once, for its first watch in this order: the property is a step of the observed path; its value is the
  /// observed one; the path depends on it.
  @inline(__always)
  func forEachObservance(_ body: (Watch, Int) -> Void) {
    switch self {
    case .none: break
    case .one(let watch): body(watch, 0)
    case .many(let slots):
      var pending: Watch?
      var index = 0
      slots.read { slots in
        for slot in slots {
          guard let watch = slot.watch else { continue }
          if let last = pending {
            if last.observance === watch.observance {
              if watch.precedence > last.precedence { pending = watch }
              continue
            }
            body(last, index)
            index += 1
          }
          pending = watch
        }
      }
      if let pending { body(pending, index) }
    }
  }
}

/// The watches of a property that has, or had, several.
///
/// Changed only under the registrar's lock, by the list that holds the sole reference to it. A frozen
/// change set that also refers to it reads it without the lock.
// Checked by hand: `makeUnique` makes a copy before a change that a frozen change set could see. Its
// accesses can't overlap, because none runs the user's code while it changes anything.
@usableFromInline
final class WatchSlots {
  struct Slot {
    let number: UInt64
    /// The address of the watch's observance or, in an empty slot, the attachment of the watch that was there.
    private var word: UInt64
    private(set) var watch: Watch?

    init(_ watch: Watch) {
      number = watch.observance.number
      let observance = Unmanaged.passUnretained(watch.observance)
      word = UInt64(UInt(bitPattern: observance.toOpaque()))
      self.watch = watch
    }

    /// The watch's observance, to be called without retaining it; an empty slot has none.
    @inline(__always)
    var observance: Unmanaged<Observance> {
      let address = UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: word))
      return .fromOpaque(address.unsafelyUnwrapped)
    }

    /// The attachment of the watch that is there, or was.
    var attachment: UInt64 { watch.map { $0.attachment } ?? word }

    /// Removes the watch; the slot keeps its place in the order.
    mutating func empty() {
      word = attachment
      watch = nil
    }
  }

  @exclusivity(unchecked) private var slots: ContiguousArray<Slot> = []
  @exclusivity(unchecked) private(set) var liveCount = 0
  /// Whether any watch has, or had, a hop, so that one observance may appear several times.
  @exclusivity(unchecked) private(set) var hasHops = false
  /// The combined needs of all watches.
  @exclusivity(unchecked) private(set) var needs: Needs = []
  /// How many watches have each need, by its bit; nil as long as all have had the same needs.
  @exclusivity(unchecked) private var counts: ContiguousArray<Int>?
  /// How many reads without the lock have ended.
  ///
  /// It orders them before the next change in place. The reference count does so too, but the thread
  /// sanitizer can't see that.
  private let endedReadings = Atomic<UInt>(0)

  init() {}

  private init(copying other: WatchSlots) {
    // Copies the elements, as the change that follows would do anyway. Two lists that share a buffer
    // order their accesses by its reference count, which the thread sanitizer doesn't see.
    slots = other.slots.withUnsafeBufferPointer { ContiguousArray($0) }
    liveCount = other.liveCount
    hasHops = other.hasHops
    needs = other.needs
    counts = other.counts
  }

  /// Prepares a change; a frozen change set keeps its contents.
  static func makeUnique(_ slots: inout WatchSlots) {
    if isKnownUniquelyReferenced(&slots) {
      _ = slots.endedReadings.load(ordering: .acquiring)
    } else {
      slots = WatchSlots(copying: slots)
    }
  }

  /// Reads the slots of a frozen change set.
  @inline(__always)
  func read(_ body: (ContiguousArray<Slot>) -> Void) {
    body(slots)
    endedReadings.add(1, ordering: .releasing)
  }

  func insert(_ watch: Watch) {
    let number = watch.observance.number
    let index =
      slots.last.map { $0.number <= number } ?? true
      ? slots.count : firstIndex(after: number)
    let slot = Slot(watch)
    // `insert` takes longer at the end.
    if index == slots.count { slots.append(slot) } else { slots.insert(slot, at: index) }
    note(watch.needs)
    liveCount += 1
    if watch.hop != nil { hasHops = true }
  }

  func remove(_ observance: Observance, _ hop: Hop?) {
    let attachment = hop?.attachment ?? 0
    var index = firstIndex(after: observance.number, attachment) - 1
    while index >= 0, slots[index].number == observance.number,
      slots[index].attachment == attachment
    {
      if let watch = slots[index].watch, watch.observance === observance, watch.hop === hop {
        slots[index].empty()
        liveCount -= 1
        forget(watch.needs)
        if liveCount < slots.count / 2 { slots.removeAll { $0.watch == nil } }
        return
      }
      index -= 1
    }
  }

  /// Adds the needs of a new watch.
  private func note(_ added: Needs) {
    if counts == nil {
      if liveCount == 0 { needs = added }
      if added == needs { return }
      let everybody = liveCount
      let shared = needs
      counts = ContiguousArray(Needs.bits.map { shared.contains($0) ? everybody : 0 })
    }
    for (bit, need) in Needs.bits.enumerated() where added.contains(need) { counts?[bit] += 1 }
    needs.formUnion(added)
  }

  /// Removes the needs that only the removed watch had.
  private func forget(_ removed: Needs) {
    guard counts != nil else {
      if liveCount == 0 { needs = [] }
      return
    }
    for (bit, need) in Needs.bits.enumerated() where removed.contains(need) {
      counts?[bit] -= 1
      if counts?[bit] == 0 { needs.remove(need) }
    }
  }

  /// The index behind the watches of earlier observances, and behind those of this one up to an attachment.
  private func firstIndex(after number: UInt64, _ attachment: UInt64 = .max) -> Int {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = (low + high) / 2
      let isBefore =
        slots[middle].number == number
        ? slots[middle].attachment <= attachment : slots[middle].number < number
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

#if KVO_INVARIANTS
  extension WatchSlots {
    /// Traps if the slots are inconsistent; only `Scripts/check --full` includes it.
    func checkInvariants() {
      // With many watches every registration would cost O(n).
      guard slots.count < 64 else { return }
      let live = slots.filter { $0.watch != nil }
      precondition(live.count == liveCount, "live watches are miscounted")
      precondition(liveCount * 2 >= slots.count - 1, "empty slots pile up")
      let needed = live.reduce(into: Needs()) { $0.formUnion($1.watch?.needs ?? []) }
      precondition(needs == needed, "what is needed is not what the watches need")
      for (slot, next) in zip(slots, slots.dropFirst()) {
        precondition(
          (slot.number, slot.attachment) <= (next.number, next.attachment),
          "watches are out of registration order")
      }
      for slot in live {
        precondition(
          slot.watch?.observance === slot.observance.takeUnretainedValue(),
          "a slot calls another observance than its watch")
      }
    }
  }
#endif

/// What a change set has to prepare before and after the mutation.
struct Needs: OptionSet {
  let rawValue: UInt16

  static let prior = Needs(rawValue: 1)
  /// The property's own old value.
  static let old = Needs(rawValue: 2)
  /// The property's own new value.
  static let new = Needs(rawValue: 4)
  /// The old value of an observance that the property is only a source of.
  static let evaluatedOld = Needs(rawValue: 8)
  static let evaluatedNew = Needs(rawValue: 16)
  /// Something may have to be reattached.
  static let structure = Needs(rawValue: 32)
  /// What enters and leaves a collection matters.
  static let membership = Needs(rawValue: 64)
  /// An assignment is delivered element by element; a change behind a collection, with the element.
  static let elements = Needs(rawValue: 128)
  // These two are the options of the same names, shifted by two.
  /// A journal has to know that the property's `willSet` and `didSet` may be called.
  static let propertyObservers = Needs(rawValue: 256)
  /// A journal or a recorder has to know that the change's observers are being called.
  static let scope = Needs(rawValue: 512)
  /// A maintained operator has to include the new value.
  static let contribution = Needs(rawValue: 1024)

  /// Each need by itself; `contribution` is the last one.
  static let bits = (0...contribution.rawValue.trailingZeroBitCount).map {
    Needs(rawValue: 1 << $0)
  }

  /// Needs for which an assignment does more than read the property before and after.
  static let beyondValues: Needs = [
    .prior, .evaluatedOld, .evaluatedNew, .structure, .membership, .elements, .contribution,
    .propertyObservers,
  ]

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ options: KeyValueObservingOptions) {
    self = []
    if options.contains(.prior) { insert(.prior) }
    if options.contains(.old) { insert(.old) }
    if options.contains(.new) { insert(.new) }
    let own = options.intersection([.scope, .propertyObservers])
    formUnion(Needs(rawValue: UInt16(truncatingIfNeeded: own.rawValue) << 2))
    // Both values are needed to find what changed.
    if options.contains(.elementChanges) { formUnion([.old, .new, .elements]) }
  }

  /// The same needs for an observed value that has to be evaluated.
  var evaluated: Needs {
    var result = intersection([.prior, .scope])
    if contains(.old) { result.insert(.evaluatedOld) }
    if contains(.new) { result.insert(.evaluatedNew) }
    return result
  }
}
