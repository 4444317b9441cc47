import Synchronization

/// What one object's registrar knows: a pure value, changed only under the storage's guard.
///
/// No method here runs code of the user's; what is to be delivered is returned.
struct RegistrarState {
  private struct Entry {
    let id: Int
    let isAutomatic: Bool
    private(set) var watches = WatchList.none
    /// Whom an assignment has to tell its values, where that is all it has to do.
    ///
    /// It is at hand without copying the watch.
    private(set) var sole: SoleAudience?

    init(id: Int, isAutomatic: Bool) {
      self.id = id
      self.isAutomatic = isAutomatic
    }

    mutating func insert(_ watch: Watch) {
      watches.insert(watch)
      findSole()
    }

    mutating func remove(_ observance: Observance, _ hop: WatchedHop?) {
      watches.remove(observance, hop)
      findSole()
    }

    private mutating func findSole() {
      sole =
        if isAutomatic, case .one(let watch) = watches, watch.isPlain {
          SoleAudience(
            observance: .passUnretained(watch.observance),
            leaf: watch.hop.flatMap { $0.isOnRoot ? nil : .passUnretained($0.property) })
        } else {
          nil
        }
    }
  }

  /// One `will…` that waits for its `did…`.
  struct ManualPair {
    let thread: ThreadIdentity
    let id: Int
    /// Nil where nobody observed the property at `will…`.
    let started: (any AnnouncedMutation)?
  }

  /// Sorted by id.
  private var entries: ContiguousArray<Entry> = []
  /// The number of the last attachment to any property of the object.
  private var lastAttachment: UInt64 = 0
  private static let attachments = Atomic<UInt64>(0)
  /// How many attachments there have been, to any object: the same number twice means that there has
  /// been none in between.
  static var attachmentCount: UInt64 { attachments.load(ordering: .relaxed) }
  /// The property that is being modified in place at this moment.
  private var modified = noProperty
  /// Further properties that are being modified; empty where `modified` is `noProperty`.
  private var alsoModified: ContiguousArray<Int> = []
  private static let noProperty = Int.min
  private var manualPairs: ContiguousArray<ManualPair> = []
  /// Where observer objects are found again.
  var observers = ObserverIndex()

  var isEmpty: Bool {
    entries.isEmpty && !hasModification && manualPairs.isEmpty && observers.isEmpty
  }

  // MARK: Watches

  var hasWatches: Bool { !entries.isEmpty }

  @inline(__always)
  private func index(of id: Int) -> (found: Bool, index: Int) {
    if let first = entries.first, first.id == id { return (true, 0) }
    return search(id)
  }

  private func search(_ id: Int) -> (found: Bool, index: Int) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return (low < entries.count && entries[low].id == id, low)
  }

  /// The change set of a mutation of this property.
  func watches(of id: Int) -> WatchList {
    let (found, index) = index(of: id)
    return found ? entries[index].watches : .none
  }

  /// Whom an assignment concerns.
  @inline(__always)
  func assignment(to id: Int) -> Assignment {
    let (found, index) = index(of: id)
    let count = RegistrarState.attachmentCount
    if hasModification, isModifying(id) { return Assignment(.overlapping, count) }
    guard found, entries[index].isAutomatic else { return Assignment(.nobody, count) }
    if let sole = entries[index].sole, ThreadContext.isQuiet {
      _ = sole.observance.retain()
      return Assignment(.one(sole), count)
    }
    return Assignment(.many(entries[index].watches), count)
  }

  mutating func insert(_ watch: Watch, _ property: Property, isAutomatic: Bool) {
    let (found, index) = index(of: property.id)
    if !found {
      let entry = Entry(id: property.id, isAutomatic: isAutomatic)
      // `insert` at the end takes longer than `append`.
      if index == entries.count { entries.append(entry) } else { entries.insert(entry, at: index) }
    }
    entries[index].insert(watch)
    lastAttachment = RegistrarState.attachments.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The watches of a property that were attached since that count, and are not in the change set.
  func watches(of id: Int, since attachment: UInt64, besides frozen: WatchList) -> [Watch] {
    guard lastAttachment > attachment else { return [] }
    var known: Set<ObjectIdentifier> = []
    frozen.forEach { known.insert($0.identity) }
    var late: [Watch] = []
    watches(of: id).forEach { if !known.contains($0.identity) { late.append($0) } }
    return late
  }

  mutating func remove(_ observance: Observance, _ hop: WatchedHop?, id: Int) {
    let (found, index) = index(of: id)
    guard found else { return }
    #if DEBUG || KVO_AUDIT
      DependencyAudit.noteDetachment()
    #endif
    entries[index].remove(observance, hop)
    if entries[index].watches.isEmpty { entries.remove(at: index) }
  }

  /// Every watch, each property's in registration order.
  func allWatches() -> [Watch] {
    var watches: [Watch] = []
    for entry in entries { entry.watches.forEach { watches.append($0) } }
    return watches
  }

  // MARK: In-place modification

  /// Whether any property is being modified.
  var hasModification: Bool { modified != RegistrarState.noProperty }

  // Not inlined: nearly always `hasModification` has given the answer before.
  @inline(never)
  func isModifying(_ id: Int) -> Bool { modified == id || alsoModified.contains(id) }

  @inline(__always)
  mutating func beginModifying(_ id: Int) {
    if hasModification { alsoModified.append(id) } else { modified = id }
  }

  @inline(__always)
  mutating func endModifying(_ id: Int) {
    if modified == id, alsoModified.isEmpty {
      modified = RegistrarState.noProperty
    } else {
      endOneOfSeveral(id)
    }
  }

  @inline(never)
  private mutating func endOneOfSeveral(_ id: Int) {
    if let index = alsoModified.lastIndex(of: id) {
      alsoModified.remove(at: index)
    } else if modified == id {
      modified = alsoModified.popLast() ?? RegistrarState.noProperty
    }
  }

  /// Finds what a modification in place has to tell, and marks the property unless something has to be
  /// read or called before that.
  ///
  /// `hasOld` is whether there's an old value for an audience that asks for it.
  @inline(__always)
  mutating func begin(
    _ modification: inout KeyValueModification, _ schema: KeyValueSchema, hasOld: Bool
  ) -> KeyValueModification.Beginning {
    let id = modification.id
    let count = RegistrarState.attachmentCount
    if hasModification, isModifying(id) { return .overlapping }
    let (found, index) = index(of: id)
    guard found, entries[index].isAutomatic else {
      modification.begin(.silent, count)
      beginModifying(id)
      return .marked
    }
    guard let sole = entries[index].sole, ThreadContext.isQuiet,
      let storage = schema.valueStorage(id: id)
    else {
      modification.begin(.announced, count)
      return .announces(entries[index].watches)
    }
    _ = sole.observance.retain()
    modification.begin(sole, storage, count)
    if hasOld, sole.wantsOld { return .readsOld }
    beginModifying(id)
    return .marked
  }

  // MARK: Manual pairs

  mutating func push(_ pair: ManualPair) { manualPairs.append(pair) }

  /// The innermost open pair of this thread and property.
  mutating func pop(_ id: Int, on thread: ThreadIdentity) -> ManualPair? {
    guard let index = manualPairs.lastIndex(where: { $0.id == id && $0.thread == thread }) else {
      return nil
    }
    return manualPairs.remove(at: index)
  }

  var openPairs: [Int] { manualPairs.map(\.id) }
}

#if KVO_INVARIANTS
  extension RegistrarState {
    /// Traps where the state contradicts itself; built in by `Scripts/check --full` only.
    func checkInvariants() {
      for (entry, next) in zip(entries, entries.dropFirst()) {
        precondition(entry.id < next.id, "entries are not sorted by id")
      }
      for entry in entries {
        precondition(!entry.watches.isEmpty, "an entry without watches is kept")
        if case .many(let slots) = entry.watches { slots.checkInvariants() }
      }
      precondition(
        manualPairs.allSatisfy { $0.id >= 0 }, "a property without an id is announced")
      precondition(
        hasModification || alsoModified.isEmpty, "a modification is forgotten among several")
    }
  }
#endif
