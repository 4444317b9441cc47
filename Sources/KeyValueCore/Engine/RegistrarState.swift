import Synchronization

/// The state of one object's registrar, changed only under the storage's lock; copies share what's rare.
///
/// Its methods run no client code; they return what the caller has to deliver.
struct RegistrarState {
  /// A `will…` call that waits for its `did…` call.
  struct ManualPair {
    let thread: ThreadIdentity
    let id: Int
    /// Nil if the property had no observers at `will…`.
    let started: BoxedBracket?
  }

  // The order of the properties is that of a small block of memory: 120 bytes with the storage's own.
  private var entries = WatchedProperties()
  /// The property that is currently being modified in place.
  private var modified = noProperty
  /// The number of the last attachment to any property of the object.
  private var lastAttachment: UInt64 = 0
  private static let attachments = Atomic<UInt64>(0)
  /// The number of attachments so far, to any object: if it's unchanged, there was none in between.
  static var attachmentCount: UInt64 { attachments.load(ordering: .relaxed) }
  private static let noProperty = Int32.min
  private var rarities: Rarities?
  /// The journals that are told each change of the object.
  var journals: JournalTable?

  /// What few objects have.
  ///
  /// An object that has had some keeps the block.
  private final class Rarities {
    /// Further properties that are being modified; empty where `modified` is `noProperty`.
    @exclusivity(unchecked) var modified: ContiguousArray<Int32> = []
    @exclusivity(unchecked) var manualPairs: ContiguousArray<ManualPair> = []
    @exclusivity(unchecked) var observers = ObserverIndex()
  }

  /// The rarities, made if there are none.
  private var madeRarities: Rarities {
    mutating get {
      if let rarities { return rarities }
      let made = Rarities()
      rarities = made
      return made
    }
  }

  private var manualPairs: ContiguousArray<ManualPair> { rarities?.manualPairs ?? [] }

  /// The registrations of observer objects.
  var observers: ObserverIndex {
    get { rarities?.observers ?? ObserverIndex() }
    _modify { yield &madeRarities.observers }
  }

  var isEmpty: Bool {
    entries.isEmpty && !hasModification && journals == nil
      && (rarities.map { $0.manualPairs.isEmpty && $0.observers.isEmpty } ?? true)
  }

  // MARK: Watches

  var hasWatches: Bool { !entries.isEmpty || journals != nil }

  /// The change set of a mutation of this property.
  func watches(of id: Int) -> WatchList {
    entries.watches(of: id)
  }

  /// The bracket of a change by the property's accessors; nil if the property is being modified in place.
  ///
  /// It changes nothing, but is mutating, as the methods that it calls: a nonmutating method would first copy the
  /// state to the stack.
  @inline(__always)
  mutating func bracket(
    of id: Int, _ storage: Unmanaged<ValueStorage>?, at registrar: UnsafePointer<KeyValueRegistrar>
  ) -> Bracket? {
    let count = RegistrarState.attachmentCount
    if hasModification, isModifying(id) { return nil }
    if let journals { return bracket(of: id, storage, at: registrar, journals, count) }
    if storage != nil, let sole = entries.sole(of: id) {
      if ThreadContext.isQuiet {
        _ = sole.observance.retain()
        return Bracket(.one(sole), count, storage)
      }
      // A transaction's later changes of a property then cost little more than the stores.
      if sole.isCompleteInTransaction { return Bracket(.nobody, count, storage) }
    }
    return bracket(of: id, storage, count)
  }

  /// A bracket if its audience isn't a sole one.
  @inline(never)
  mutating func bracket(
    of id: Int, _ storage: Unmanaged<ValueStorage>?, _ count: UInt64
  ) -> Bracket {
    let watches = automaticWatches(of: id)
    // As above, for several observances and for a collection that a path leads through.
    let isComplete = !ThreadContext.isQuiet && watches.isCompleteInTransaction
    return Bracket(isComplete || watches.isEmpty ? .nobody : .several(watches), count, storage)
  }

  /// The change set of a mutation by the property's accessors.
  @inline(__always)
  func automaticWatches(of id: Int) -> WatchList {
    entries.isAutomatic(id) ? entries.watches(of: id) : .none
  }

  mutating func insert(_ watch: Watch, _ property: Property, isAutomatic: Bool) {
    lastAttachment = RegistrarState.attachments.wrappingAdd(1, ordering: .relaxed).newValue
    watch.hop?.attachment = lastAttachment
    let (found, index) = entries.index(of: property.id)
    if !found {
      entries.insert(WatchedProperty(id: property.id, isAutomatic: isAutomatic), at: index)
    }
    entries.insert(watch, at: index)
    #if DEBUG || KVO_AUDIT
      DependencyAudit.noteAttachment(of: watch.observance)
    #endif
  }

  /// The property's watches that were attached since that count and aren't in the change set.
  func watches(of id: Int, since attachment: UInt64, besides frozen: WatchList) -> [Watch] {
    guard lastAttachment > attachment else { return [] }
    var known: Set<ObjectIdentifier> = []
    frozen.forEach { known.insert($0.identity) }
    var late: [Watch] = []
    watches(of: id).forEach { if !known.contains($0.identity) { late.append($0) } }
    return late
  }

  mutating func remove(_ observance: Observance, _ hop: Hop?, id: Int) {
    let (found, index) = entries.index(of: id)
    guard found else { return }
    #if DEBUG || KVO_AUDIT
      DependencyAudit.noteAttachment(of: observance)
    #endif
    entries.remove(observance, hop, at: index)
  }

  /// Every watch, each property's in registration order.
  func allWatches() -> [Watch] {
    var watches: [Watch] = []
    for entry in entries.all { entry.watches.forEach { watches.append($0) } }
    return watches
  }

  // MARK: In-place modification

  /// Whether any property is being modified.
  var hasModification: Bool { modified != RegistrarState.noProperty }

  // Inlined, because a call would copy the whole state.
  @inline(__always)
  func isModifying(_ id: Int) -> Bool {
    let id = Int32(truncatingIfNeeded: id)
    return modified == id || rarities?.modified.contains(id) == true
  }

  @inline(__always)
  mutating func beginModifying(_ id: Int) {
    let id = Int32(truncatingIfNeeded: id)
    if hasModification { madeRarities.modified.append(id) } else { modified = id }
  }

  @inline(__always)
  mutating func endModifying(_ id: Int) {
    let id = Int32(truncatingIfNeeded: id)
    if modified == id, rarities == nil {
      modified = RegistrarState.noProperty
    } else {
      endOneOfSeveral(id)
    }
  }

  @inline(never)
  private mutating func endOneOfSeveral(_ id: Int32) {
    if let rarities, let index = rarities.modified.lastIndex(of: id) {
      rarities.modified.remove(at: index)
    } else if modified == id {
      modified = rarities?.modified.popLast() ?? RegistrarState.noProperty
    }
  }

  // MARK: Manual pairs

  mutating func push(_ pair: ManualPair) { madeRarities.manualPairs.append(pair) }

  /// The innermost open pair of this thread and property.
  mutating func pop(_ id: Int, on thread: ThreadIdentity) -> ManualPair? {
    guard let rarities,
      let index = rarities.manualPairs.lastIndex(where: { $0.id == id && $0.thread == thread })
    else { return nil }
    return rarities.manualPairs.remove(at: index)
  }

  var openPairs: [Int] { manualPairs.map(\.id) }

  /// Whether this thread has announced a change of the property that hasn't ended.
  func hasOpenPair(of id: Int) -> Bool {
    manualPairs.contains { $0.id == id && $0.thread == .current }
  }
}

#if KVO_INVARIANTS
  extension RegistrarState {
    /// Traps if the state contradicts itself; only `Scripts/check --full` compiles it.
    func checkInvariants() {
      for (entry, next) in zip(entries.all, entries.all.dropFirst()) {
        precondition(entry.id < next.id, "entries are not sorted by id")
      }
      for entry in entries.all {
        precondition(!entry.watches.isEmpty, "an entry without watches is kept")
        if case .many(let slots) = entry.watches { slots.checkInvariants() }
      }
      precondition(
        manualPairs.allSatisfy { $0.id >= 0 }, "a property without an id is announced")
      precondition(
        hasModification || rarities?.modified.isEmpty != false,
        "a modification is forgotten among several")
    }
  }
#endif

/// The watched properties of an object, sorted by id.
///
/// Nearly always there's only one, which is stored inline, not in an array.
struct WatchedProperties {
  private var others: ContiguousArray<WatchedProperty> = []
  /// The property with the lowest id; a placeholder if there's none.
  private var first = WatchedProperties.none

  private static let noProperty = Int.min
  private static var none: WatchedProperty { WatchedProperty(id: noProperty, isAutomatic: false) }

  var isEmpty: Bool { first.id == WatchedProperties.noProperty }

  /// The properties in order, in a new array.
  var all: [WatchedProperty] { isEmpty ? [] : [first] + others }

  /// The sole audience of a property, if it has one; the property is then announced automatically.
  ///
  /// Mutating for the same reason as its caller, `RegistrarState.bracket(of:_:at:)`: nothing is copied.
  @inline(__always)
  mutating func sole(of id: Int) -> SoleAudience? {
    first.id == id ? first.sole : otherSole(of: id)
  }

  @inline(never)
  private mutating func otherSole(of id: Int) -> SoleAudience? {
    let (found, index) = index(of: id)
    return found && index > 0 ? others[index - 1].sole : nil
  }

  /// Whether a property is watched and announced by its accessors.
  func isAutomatic(_ id: Int) -> Bool {
    if first.id == id { return first.isAutomatic }
    let (found, index) = index(of: id)
    return found && others[index - 1].isAutomatic
  }

  func watches(of id: Int) -> WatchList {
    if first.id == id { return first.watches }
    let (found, index) = index(of: id)
    return found ? others[index - 1].watches : .none
  }

  mutating func insert(_ watch: Watch, at index: Int) {
    if index == 0 { first.insert(watch) } else { others[index - 1].insert(watch) }
  }

  /// Removes a watch, and the property with its last watch.
  mutating func remove(_ observance: Observance, _ hop: Hop?, at index: Int) {
    let isLast =
      index == 0 ? first.remove(observance, hop) : others[index - 1].remove(observance, hop)
    if isLast { remove(at: index) }
  }

  /// A property's index, or the index to insert it at.
  @inline(__always)
  func index(of id: Int) -> (found: Bool, index: Int) {
    first.id == id ? (true, 0) : search(id)
  }

  private func search(_ id: Int) -> (found: Bool, index: Int) {
    if id < first.id || isEmpty { return (false, 0) }
    var low = 0
    var high = others.count
    while low < high {
      let middle = (low + high) / 2
      if others[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return (low < others.count && others[low].id == id, low + 1)
  }

  mutating func insert(_ property: WatchedProperty, at index: Int) {
    if isEmpty {
      first = property
    } else if index == 0 {
      others.insert(first, at: 0)
      first = property
    } else if index > others.count {
      others.append(property)  // `insert` at the end takes longer
    } else {
      others.insert(property, at: index - 1)
    }
  }

  private mutating func remove(at index: Int) {
    if index > 0 {
      others.remove(at: index - 1)
    } else {
      first = others.isEmpty ? WatchedProperties.none : others.removeFirst()
    }
  }
}

/// One property of an object, and its watches.
struct WatchedProperty {
  let id: Int
  private(set) var watches = WatchList.none
  /// The sole audience of an assignment, if it needs nothing but the values.
  ///
  /// Reading it doesn't copy the watch.
  private(set) var sole: SoleAudience?
  let isAutomatic: Bool

  init(id: Int, isAutomatic: Bool) {
    self.id = id
    self.isAutomatic = isAutomatic
  }

  mutating func insert(_ watch: Watch) {
    watches.insert(watch)
    sole = isAutomatic ? watches.sole : nil
  }

  /// Removes a watch; returns whether it was the last.
  mutating func remove(_ observance: Observance, _ hop: Hop?) -> Bool {
    watches.remove(observance, hop)
    sole = isAutomatic ? watches.sole : nil
    return watches.isEmpty
  }
}

/// Finds the registrations of observer objects, oldest first, in constant time regardless of their number
/// (Parity R4, R7).
struct ObserverIndex {
  /// What a registration is looked up by: exactly this context, or any if it's nil.
  private struct Key: Hashable {
    let observer: ObjectIdentifier
    let keyPath: String
    let context: UnsafeMutableRawPointer??
  }

  /// Registrations in order; ended ones stay until they're more than half.
  private struct Queue {
    var observances: ContiguousArray<Observance> = []
    /// All registrations before this index have ended.
    var head = 0
    var endedCount = 0
  }

  private var queues: [Key: Queue] = [:]
  /// How many registrations are added until the dead observers are looked for.
  private var additionsLeft = ObserverIndex.fewestAdditions

  private static let fewestAdditions = 16

  var isEmpty: Bool { queues.isEmpty }

  mutating func insert(_ observance: Observance) {
    for key in keys(of: observance) { queues[key, default: Queue()].observances.append(observance) }
    additionsLeft -= 1
  }

  /// All registrations, if it's time to look for dead observers among them; otherwise none.
  ///
  /// It's time when half as many have been added as there were the last time.
  ///
  /// - Complexity: O(1) for each addition, amortised.
  mutating func allIfDue() -> [Observance] {
    if additionsLeft > 0 { return [] }
    var all: [Observance] = []
    for (key, queue) in queues where key.context == nil {
      all += queue.observances.filter { $0.isActive }
    }
    additionsLeft = max(all.count / 2, ObserverIndex.fewestAdditions)
    return all
  }

  /// Records that an observance has ended.
  mutating func remove(_ observance: Observance) {
    for key in keys(of: observance) {
      guard var queue = queues.removeValue(forKey: key) else { continue }
      queue.endedCount += 1
      if queue.endedCount * 2 > queue.observances.count {
        queue.observances.removeAll { !$0.isActive }
        queue.head = 0
        queue.endedCount = 0
      }
      if !queue.observances.isEmpty { queues[key] = queue }
    }
  }

  /// The oldest active registration; nil for `context` matches any.
  mutating func first(
    _ observer: ObjectIdentifier, _ keyPath: String, context: UnsafeMutableRawPointer??,
    where matches: (Observance) -> Bool
  ) -> Observance? {
    let key = Key(observer: observer, keyPath: keyPath, context: context)
    guard var queue = queues.removeValue(forKey: key) else { return nil }
    defer { queues[key] = queue }
    while queue.head < queue.observances.count, !queue.observances[queue.head].isActive {
      queue.head += 1
    }
    return queue.observances[queue.head...].first { $0.isActive && matches($0) }
  }

  private func keys(of observance: Observance) -> [Key] {
    guard let (observer, context) = observance.policy?.registration else { return [] }
    return [nil, .some(context)].map {
      Key(observer: observer, keyPath: observance.keyPath, context: $0)
    }
  }
}
