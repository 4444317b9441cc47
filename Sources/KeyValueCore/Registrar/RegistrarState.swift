import Synchronization

/// The state of one object's registrar: a pure value, changed only under the storage's lock.
///
/// Its methods run no client code; they return what the caller has to deliver.
struct RegistrarState {
  /// A `will…` call that waits for its `did…` call.
  struct ManualPair {
    let thread: ThreadIdentity
    let id: Int
    /// Nil if the property had no observers at `will…`.
    let started: (any AnnouncedMutation)?
  }

  private var entries = WatchedProperties()
  /// The number of the last attachment to any property of the object.
  private var lastAttachment: UInt64 = 0
  private static let attachments = Atomic<UInt64>(0)
  /// The number of attachments so far, to any object: if it's unchanged, there was none in between.
  static var attachmentCount: UInt64 { attachments.load(ordering: .relaxed) }
  /// The property that is currently being modified in place.
  private var modified = noProperty
  /// Further properties that are being modified; empty where `modified` is `noProperty`.
  private var alsoModified: ContiguousArray<Int> = []
  private static let noProperty = Int.min
  private var manualPairs: ContiguousArray<ManualPair> = []
  /// The registrations of observer objects.
  var observers = ObserverIndex()

  var isEmpty: Bool {
    entries.isEmpty && !hasModification && manualPairs.isEmpty && observers.isEmpty
  }

  // MARK: Watches

  var hasWatches: Bool { !entries.isEmpty }

  /// The change set of a mutation of this property.
  func watches(of id: Int) -> WatchList {
    entries.watches(of: id)
  }

  /// An assignment's audience; nil if the property is currently being modified in place.
  ///
  /// It changes nothing, but is mutating: a nonmutating method would first copy the state to the stack.
  @inline(__always)
  mutating func assignment(to id: Int) -> Assignment? {
    let count = RegistrarState.attachmentCount
    if hasModification, isModifying(id) { return nil }
    if let sole = entries.sole(of: id), ThreadContext.isQuiet {
      _ = sole.observance.retain()
      return Assignment(.one(sole), count)
    }
    return assignment(to: id, count)
  }

  /// An assignment's audience if it isn't a sole one.
  @inline(never)
  private func assignment(to id: Int, _ count: UInt64) -> Assignment {
    guard entries.isAutomatic(id) else { return Assignment(.empty, count) }
    return Assignment(.many(entries.watches(of: id)), count)
  }

  mutating func insert(_ watch: Watch, _ property: Property, isAutomatic: Bool) {
    let (found, index) = entries.index(of: property.id)
    if !found {
      entries.insert(WatchedProperty(id: property.id, isAutomatic: isAutomatic), at: index)
    }
    entries.insert(watch, at: index)
    lastAttachment = RegistrarState.attachments.wrappingAdd(1, ordering: .relaxed).newValue
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

  mutating func remove(_ observance: Observance, _ hop: WatchedHop?, id: Int) {
    let (found, index) = entries.index(of: id)
    guard found else { return }
    #if DEBUG || KVO_AUDIT
      DependencyAudit.noteDetachment()
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

  /// Finds the audience of an in-place modification, and marks the property unless something has to be
  /// read or called first.
  ///
  /// `hasOld` is whether there's an old value for an audience that asks for it.
  @inline(__always)
  mutating func begin(
    _ modification: inout KeyValueModification, _ schema: KeyValueSchema, hasOld: Bool
  ) -> KeyValueModification.Beginning {
    let id = modification.id
    let count = RegistrarState.attachmentCount
    if hasModification, isModifying(id) { return .overlapping }
    guard let sole = entries.sole(of: id), ThreadContext.isQuiet,
      let storage = schema.valueStorage(id: id)
    else {
      return beginAnnounced(&modification, count)
    }
    _ = sole.observance.retain()
    modification.begin(sole, storage, count)
    if hasOld, sole.wantsOld { return .readsOld }
    beginModifying(id)
    return .marked
  }

  /// Finds the change set of a modification without a sole audience.
  @inline(never)
  private mutating func beginAnnounced(
    _ modification: inout KeyValueModification, _ count: UInt64
  ) -> KeyValueModification.Beginning {
    guard entries.isAutomatic(modification.id) else {
      modification.begin(.silent, count)
      beginModifying(modification.id)
      return .marked
    }
    modification.begin(.announced, count)
    return .announces(entries.watches(of: modification.id))
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
        hasModification || alsoModified.isEmpty, "a modification is forgotten among several")
    }
  }
#endif
