/// Counts the changes in progress that concern a journal or a recorder, from before their observers are called
/// until after.
///
/// ```
/// Change.will          enter, the priors, leave; enter, if the property may have `willSet` or `didSet`
/// Change.did           enter, the posts, settle, leave; leave, if it was entered before
/// group                enter, changes that belong together, leave
/// transaction's end    the same around the calls that have waited
/// ```
///
/// `left` follows when the outermost of the latter three is left, and the change is over.
///
/// Mutable state, confined to where the objects are used: `depth`, `depthOfPriors`, `groupDepth`.
// Checked by hand: as stated.
class ChangeScope: @unchecked Sendable {
  @exclusivity(unchecked) private(set) final var depth = 0
  /// How many of the changes in progress are calling their priors.
  @exclusivity(unchecked) private(set) final var depthOfPriors = 0

  /// How many groups of changes are open; what they change is kept as one.
  @exclusivity(unchecked) private(set) final var groupDepth = 0

  /// Whether `settle` has nothing to do.
  var isSettled: Bool { true }

  /// Whether stored values have to be read once the priors have been called, while priors are being called.
  var readsAfterPriors: Bool { false }

  /// Called before the priors of a change are called.
  func enterPriors() { depthOfPriors += 1 }

  /// Called when the priors of a change have been called.
  func leavePriors() { depthOfPriors -= 1 }

  /// Called when the outermost group has ended.
  func groupEnded() {}

  final func beginGroup() { groupDepth += 1 }

  final func endGroup() {
    groupDepth -= 1
    if groupDepth == 0 { groupEnded() }
  }

  /// Called when all observers of the outermost change have been called, before the scope is left.
  func settle() {}

  /// Called when the outermost change is over, with everything that its observers have done.
  func left() {}

  /// Does what leaving does, unless a change is in progress that will be left.
  final func settleOutsideOfChanges() {
    guard depth == 0 else { return }
    settle()
    left()
  }

  /// The scopes of the watches, each once.
  @inline(__always)
  private static func scopes(of watches: borrowing WatchList) -> ShortList<ChangeScope> {
    var scopes = ShortList<ChangeScope>()
    watches.forEach { watch in
      guard let scope = watch.observance.scope, !scopes.contains(where: { $0 === scope }) else {
        return
      }
      scopes.append(scope)
    }
    return scopes
  }

  /// Enters the scopes of the watches, each once.
  static func enter(_ watches: borrowing WatchList) -> ShortList<ChangeScope> {
    let scopes = scopes(of: watches)
    scopes.forEach { $0.depth += 1 }
    return scopes
  }

  /// Runs changes of a property that belong together, as a removal and an insertion that move an element.
  ///
  /// Observers are told each change. A log makes one record of them, and a recorder one level.
  static func group(_ watches: borrowing WatchList, _ body: () -> Void) {
    group(Array(scopes(of: watches)), body)
  }

  static func group(_ scopes: [ChangeScope], _ body: () -> Void) {
    enter(scopes)
    for scope in scopes { scope.beginGroup() }
    body()
    for scope in scopes { scope.endGroup() }
    leave(scopes)
  }

  static func enter(_ scopes: [ChangeScope]) {
    for scope in scopes { scope.depth += 1 }
  }

  /// Leaves scopes that were entered together.
  ///
  /// All are settled before one is left, so what is called meanwhile finds each of them in the change, whatever
  /// their order.
  static func leave(_ scopes: some Collection<ChangeScope>) {
    leaveWhileChanging(scopes)
    scopes.forEach { scope in if scope.depth == 0 { scope.left() } }
  }

  /// Leaves scopes before the change has happened.
  static func leaveWhileChanging(_ scopes: some Collection<ChangeScope>) {
    while let scope = scopes.first(where: { $0.depth == 1 && !$0.isSettled }) { scope.settle() }
    scopes.forEach { $0.depth -= 1 }
  }
}

/// Told each change of each stored key of the objects that it's attached to, once, before the change's
/// observers.
///
/// A journal is what rollback can't be: it outlives transactions and sees restored values as changes, too. A
/// subclass overrides `changed` and `settle`. In a transaction it may be told of several settings of a key as one
/// (*Lasting settings*).
///
/// One observance for each key of a class serves all objects of the class, so an attached object holds one
/// reference: to its class's `JournalTable`. An automatic key's manual pair isn't a change of its own; the
/// assignment inside is. A key that notifies manually is journaled by its pair, or by its accessors outside of
/// pairs.
///
/// ```
/// RegistrarState.bracket, .watches     the journals' watches, before the observers'
/// Change                               enter, each journal's `changed`, the observers, `settle`, leave
/// sole audience                        `changed`, then `settle`
/// ```
///
/// Mutable state, all confined to where the objects are used: `tables`, `shared`, `storedInPriors`, and a
/// `ChangeScope`'s.
// Checked by hand: as stated.
class Journal: ChangeScope, @unchecked Sendable {
  @exclusivity(unchecked) private var tables = IdentityTable<JournalTable>()
  /// The last table of a class's objects with other journals, which the objects keep alive.
  @exclusivity(unchecked) private var shared: [ObjectIdentifier: SharedTable] = [:]

  private struct SharedTable {
    weak let table: JournalTable?
  }

  /// The keys whose stored values are read once the priors have been called: those that handlers of priors have
  /// changed, and those that overrides may disguise.
  @exclusivity(unchecked) private var storedInPriors: Set<ObjectKey> = []

  /// One change of a stored key, with its values in the key's own type.
  struct Entry {
    let object: AnyObject
    let property: Property
    let kind: KeyValueChangeKind
    /// The elements' indexes in an ordered collection.
    let ranges: IndexRanges?
    /// The whole old value of a setting, the elements that left otherwise.
    let old: UnsafeRawPointer?
    let new: UnsafeRawPointer?
  }

  func changed(_ entry: Entry) {}

  // MARK: Lasting settings
  //
  // A journal that needs only what a setting replaced first, and what the last one left, lets the first one last.
  // It's told nothing of the next ones, so that no value between them is kept, and a collection that's changed in
  // place isn't copied each time.
  //
  // changed           the journal keeps the old value, and calls `ThreadContext.beginLastingSetting`
  // RegistrarState    `isLasting`: further settings leave the journal out
  // settingEnds       something other than a setting is about to happen to the property
  // settingsEnd       the transaction ends, or a part begins that may be rolled back

  /// Whether the journal has been told of a setting that lasts.
  func hasLastingSetting(at place: PropertyPlace) -> Bool { false }

  /// Ends a setting, if it lasts, while the property has the value that it leaves.
  func settingEnds(at place: PropertyPlace) {}

  /// Ends all settings that last.
  func settingsEnd() {}

  // MARK: Tables

  /// The table of a class's keys.
  private func table(_ schema: KeyValueSchema) -> JournalTable {
    let key = ObjectIdentifier(schema)
    if let table = tables[key] { return table }
    let table = JournalTable(schema, [self])
    tables[key] = table
    return table
  }

  /// The table of objects whose last journal is this one.
  private func table(
    _ schema: KeyValueSchema, after others: some Collection<Journal>
  ) -> JournalTable {
    if others.isEmpty { return table(schema) }
    let key = ObjectIdentifier(schema)
    if let table = shared[key]?.table,
      table.journals.dropLast().elementsEqual(others, by: ===)
    {
      return table
    }
    let table = JournalTable(schema, others + [self])
    shared[key] = SharedTable(table: table)
    return table
  }

  final func attach(to object: any KeyValueObservable, _ schema: KeyValueSchema) {
    let own = table(schema)
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object, schema) { _, state in
        guard let present = state.journals else { return state.journals = own }
        if present.journals.contains(where: { $0 === self }) { return }
        state.journals = table(schema, after: present.journals)
      }
    }
  }

  final func detach(from object: any KeyValueObservable, _ schema: KeyValueSchema) {
    // The last reference to a table may release another journal, which isn't to happen under the lock.
    var released: JournalTable?
    let own = tables[ObjectIdentifier(schema)]
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object, schema) { _, state in
        if state.journals === own { return state.journals = nil }
        guard let present = state.journals,
          present.journals.contains(where: { $0 === self })
        else { return }
        released = present
        let rest = present.journals.filter { $0 !== self }
        state.journals = rest.last?.table(schema, after: rest.dropLast())
      }
    }
    withExtendedLifetime(released) {}
  }

  /// Releases the tables, which retain the journal, once it's detached from all objects.
  final func end() { tables = IdentityTable() }

  /// The observance of one key of a class.
  fileprivate func observance(of property: Property, isDisguised: Bool) -> Observance {
    var options: KeyValueObservingOptions = isDisguised ? [.old, .new, .prior] : [.old, .new]
    if property.valueStorage?.hasPropertyObservers == true { options.insert(.propertyObservers) }
    return Observance(journal: self, options: options) {
      [weak self] object, _, delivery in
      self?.note(object, property, delivery)
    }
  }

  private func note(
    _ object: AnyObject, _ property: Property, _ delivery: UnsafePointer<Delivery>
  ) {
    let delivery = delivery.pointee
    if let result = delivery.result {
      guard storedInPriors.contains(ObjectKey(object, property)) else { return }
      result.pointee = property.captureStored(from: object)
      return
    }
    if depthOfPriors > 0 { storedInPriors.insert(ObjectKey(object, property)) }
    // Only the observance of a key that overrides may disguise has priors.
    if delivery.isPrior { return }
    if case .captured(let box) = delivery.old,
      let old = box.takeUnretainedValue() as? any CapturedValue
    {
      return noteStored(object, property, old: old)
    }
    changed(
      Entry(
        object: object, property: property, kind: delivery.kind, ranges: delivery.ranges?.pointee,
        old: delivery.old.storedAddress, new: delivery.new.storedAddress))
    settleOutsideOfChanges()
  }

  override var readsAfterPriors: Bool { !storedInPriors.isEmpty }

  override func leavePriors() {
    super.leavePriors()
    if depthOfPriors == 0, !storedInPriors.isEmpty { storedInPriors.removeAll() }
  }

  /// Notes a change as a setting of what is stored: of a key whose getter a subclass may have overridden, or that
  /// a prior's handler has changed, too.
  private func noteStored(_ object: AnyObject, _ property: Property, old: any CapturedValue) {
    old.withAddress { old in
      property.captureStored(from: object).withAddress { new in
        changed(
          Entry(
            object: object, property: property, kind: .setting, ranges: nil, old: old, new: new))
      }
    }
    settleOutsideOfChanges()
  }
}

extension Delivery.ValueLocation {
  fileprivate var storedAddress: UnsafeRawPointer? {
    if case .address(let address) = self { address } else { nil }
  }
}

/// The watches of some journals, by the property of one class.
// Checked by hand: immutable.
final class JournalTable: @unchecked Sendable {
  /// One key's watches.
  ///
  /// A class, because copying its values takes longer than looking it up.
  final class Key {
    let watches: WatchList
    /// The audience of an assignment without observers, if there's one journal.
    let sole: SoleAudience?
    let isAutomatic: Bool

    init(_ watches: WatchList, isAutomatic: Bool) {
      self.watches = watches
      sole = watches.sole
      self.isAutomatic = isAutomatic
    }
  }

  let journals: [Journal]
  private let keys: ContiguousArray<Key?>

  init(_ schema: KeyValueSchema, _ journals: [Journal]) {
    self.journals = journals
    var keys = ContiguousArray<Key?>(repeating: nil, count: schema.properties.count)
    for property in schema.properties where property.isStored {
      var watches = WatchList.none
      for journal in journals {
        let isDisguised = schema.mayDisguise(property)
        watches.insert(
          Watch(observance: journal.observance(of: property, isDisguised: isDisguised), hop: nil))
      }
      keys[property.id] = Key(watches, isAutomatic: schema.traits(of: property).isAutomatic)
    }
    self.keys = keys
  }

  subscript(id: Int) -> Key? {
    keys.indices.contains(id) ? keys[id] : nil
  }
}

extension RegistrarState {
  /// The bracket of a change by the accessors of an object with journals.
  mutating func bracket(
    of id: Int, _ storage: Unmanaged<ValueStorage>?, at registrar: UnsafePointer<KeyValueRegistrar>,
    _ journals: JournalTable, _ count: UInt64
  ) -> Bracket {
    let observers = automaticWatches(of: id)
    guard let key = journals[id], isJournaled(id, at: registrar, key, journals) else {
      return bracket(of: id, storage, count)
    }
    if observers.isEmpty, storage != nil, let sole = key.sole, ThreadContext.isQuiet {
      _ = sole.observance.retain()
      return Bracket(.one(sole), count, storage)
    }
    return Bracket(.several(key.watches.followed(by: observers)), count, storage)
  }

  /// The change set of a mutation that is announced from outside the accessors.
  ///
  /// `isAnnounced` is whether observers are notified, and `wrapsAccessors` whether
  /// the accessors make the change.
  func watches(
    of id: Int, at registrar: UnsafePointer<KeyValueRegistrar>, isAnnounced: Bool,
    wrapsAccessors: Bool
  ) -> WatchList {
    let observers = isAnnounced ? watches(of: id) : .none
    guard let key = journals?[id], !(wrapsAccessors && key.isAutomatic),
      let journals, isJournaled(id, at: registrar, key, journals)
    else { return observers }
    return key.watches.followed(by: observers)
  }

  /// Whether a change is a change of its own, not a part of one that is journaled.
  private func isJournaled(
    _ id: Int, at registrar: UnsafePointer<KeyValueRegistrar>, _ key: JournalTable.Key,
    _ table: JournalTable
  ) -> Bool {
    if !key.isAutomatic, hasOpenPair(of: id) { return false }
    guard let thread = ThreadContext.current else { return true }
    let place = PropertyPlace(registrar: registrar, id: id)
    let parts = thread.partsOfJournaled
    if !parts.isEmpty, parts.contains(place) { return false }
    return !thread.isLasting(place, for: table.journals)
  }
}

extension WatchList {
  /// The watches of both lists; all of the first were registered earlier.
  fileprivate func followed(by others: WatchList) -> WatchList {
    var watches = self
    others.forEach { watches.insert($0) }
    return watches
  }
}
