/// Collects the changes of a graph and makes a record of each outermost transaction, and of each single change
/// outside of transactions.
///
/// ```
/// changed                   the graph follows what entered and left; the change is pending
/// single change             its record is made at once, before observers can change anything else
/// transaction               its record is made when it ends, before its observers are called
/// group                     its record is made when it ends; observers are told each change meanwhile
/// rolled-back part          what was pending since its beginning is forgotten
/// another writer's change   a recorder's record of the changes before it is made first
/// settle                    the records are delivered, when the observers of the outermost change have been called
/// ```
///
/// Mutable state, all confined to where the objects are used, as the graph.
// Checked by hand: as stated.
final class ChangeCollector: Journal, TransactionParticipant, @unchecked Sendable {
  /// One change, with the values that its edit needs.
  struct Pending {
    let entry: LogGraph.Entry
    let key: LoggedKey
    let kind: KeyValueChangeKind
    let ranges: IndexRanges?
    let old: KeptLogValue?
    var new: KeptLogValue?
    /// The place among the changes that a record being applied makes; nil if it isn't one.
    let step: Int?

    var isApplied: Bool { step != nil }

    /// The key of the object that the change is of.
    struct Place: Hashable {
      let entry: ObjectIdentifier
      let key: ObjectIdentifier

      init(_ entry: LogGraph.Entry, _ key: LoggedKey) {
        (self.entry, self.key) = (ObjectIdentifier(entry), ObjectIdentifier(key))
      }
    }

    var place: Place { Place(entry, key) }
  }

  /// A record, and how it can be taken back without making objects anew.
  struct Collected {
    let record: KeyValueTransactionRecord
    /// The objects that left, also those that entered with the record, and what the earlier values of those that
    /// came back refer to, with their ids.
    let left: [LogGraph.Entry]
    /// Its place among the collector's records, from 1.
    fileprivate(set) var number: UInt64 = 0
  }

  @exclusivity(unchecked) private(set) var graph: LogGraph!
  @exclusivity(unchecked) private var pending: [Pending] = []
  /// The number of the writer whose changes are pending in a recorder's graph; 0 if they are this program's own.
  @exclusivity(unchecked) private var pendingAuthor: UInt32 = 0
  /// The position of the first pending change.
  ///
  /// It grows with each record that is made of pending changes, and each time listening begins, so that no earlier
  /// position is valid.
  @exclusivity(unchecked) private var firstPosition = 0
  /// The settings of the open transaction that its next settings of the same keys belong to.
  @exclusivity(unchecked) private var lasting = LastingChanges()
  @exclusivity(unchecked) private var undelivered: [Collected] = []
  /// How many records have been made.
  @exclusivity(unchecked) private(set) var recordCount: UInt64 = 0
  @exclusivity(unchecked) private var isDelivering = false
  /// The changes that a record being applied is about to make as one; nil when they have happened.
  @exclusivity(unchecked) var expected: [PropertyPlace?] = []
  /// The record that is being applied, with the present names of classes, until the log has its changes.
  @exclusivity(unchecked) var applied: KeyValueTransactionRecord?
  /// Whether a record is being prepared, or some of its changes haven't been stored.
  @exclusivity(unchecked) var isApplying = false
  /// Whether records are made; without, only the graph is followed.
  @exclusivity(unchecked) private(set) var isListening = false
  @exclusivity(unchecked) var deliver: (Collected) -> Void = { _ in }
  /// Called when the observers of a change have been called, and its records and theirs have been delivered.
  @exclusivity(unchecked) var hasLeft: (() -> Void)?

  /// - Parameter keepsInstances: Whether taking back a record leaves the instances, as a recorder does. Then records
  ///   have the edits of objects that arrive with them, and create these with their values before.
  init(keepsInstances: Bool) {
    super.init()
    graph = LogGraph(self, keepsInstances: keepsInstances)
  }

  // MARK: Changes

  override func changed(_ change: Entry) {
    guard let entry = graph.entry(of: change.object), let key = entry.type[change.property.id]
    else { return }
    let step = takeExpected(change)
    var (transaction, author): (Transaction?, UInt32) = (nil, 0)
    if let thread = ThreadContext.current {
      transaction = thread.transaction as? Transaction
      author = thread.author
    }
    let isAlone = transaction == nil && author == 0 && groupDepth == 0
    if !isAlone {
      if author != pendingAuthor {
        separate(author, in: transaction)
        // The object may have left with the record that has been made.
        guard graph.entry(of: change.object) === entry else { return }
      }
      transaction?.enlist(self)
    }
    if change.kind == .setting, transaction != nil, settingsMayLast(key), expected.isEmpty,
      applied == nil, beginLasting(change, entry, key)
    {
      return
    }
    follow(change, entry, key)
    if records(entry) || isAnswer(step) {
      let isPart = change.kind != .setting
      let change = Pending(
        entry: entry, key: key, kind: change.kind, ranges: change.ranges,
        old: change.old.map { key.keep(at: $0, isPart: isPart) },
        new: change.new.map { key.keep(at: $0, isPart: isPart) }, step: step)
      if isAlone, applied == nil, pending.isEmpty, graph.isSettled {
        return collect(change)
      }
      pending.append(change)
    } else {
      noteUnwritten(entry, key)
    }
    if transaction == nil, !isExpectingMore { collect(isTransaction: false) }
  }

  /// Whether a change answers a record that is being applied, whose new objects are recorded as they came.
  private func isAnswer(_ step: Int?) -> Bool { isListening && applied != nil && step == nil }

  /// Notes a changed value that no record will write, unless the creation of its object does.
  private func noteUnwritten(_ entry: LogGraph.Entry, _ key: LoggedKey) {
    if key.mayHaveObjectsInside, !entry.isNew { graph.noteUnwritten(entry, key) }
  }

  func setListening(_ isListening: Bool) {
    // What has happened until now isn't recorded.
    if isListening != self.isListening { settingsEnd() }
    if isListening, !self.isListening {
      // Objects that entered or left until now aren't recorded either.
      collectPending(isTransaction: false)
      firstPosition += 1
    }
    self.isListening = isListening
  }

  /// Makes a recorder's record of what one writer has changed, before another one's changes follow.
  ///
  /// If a part of the transaction may be rolled back, and has changes already, they and the other writer's are one
  /// record, which is this program's.
  private func separate(_ author: UInt32, in transaction: Transaction?) {
    // A log's record has the origin with which it's applied.
    guard graph.keepsInstances else { return }
    if pending.isEmpty, graph.isSettled {
      pendingAuthor = author
    } else if transaction?.keepsAll(of: self) == false || !lasting.isEmpty {
      pendingAuthor = 0
    } else {
      collectPending(isTransaction: pending.count > 1)
      pendingAuthor = author
    }
  }

  /// The origin of the record that is being made; a log's own is what it's applied with.
  private var origin: KeyValueChangeOrigin {
    pendingAuthor == 0 ? .local : .remote(ChangeAuthors.name(pendingAuthor))
  }

  /// Whether some of what is one change has happened, and some hasn't.
  private var isExpectingMore: Bool {
    !expected.isEmpty && expected.contains(nil) && expected.contains { $0 != nil }
  }

  private func takeExpected(_ change: Entry) -> Int? {
    if expected.isEmpty { return nil }
    guard let object = change.object as? any KeyValueObservable,
      let index = expected.firstIndex(of: PropertyPlace(of: object, id: change.property.id))
    else { return nil }
    expected[index] = nil
    return index
  }

  /// Whether a record can be applied: of one that is being applied, all has been stored and noted.
  var mayApply: Bool { !isApplying && expected.allSatisfy { $0 == nil } }

  /// Makes the record of what was expected and has happened, if not all of it has.
  func endExpecting() {
    let isComplete = expected.allSatisfy { $0 == nil }
    expected = []
    if !isComplete, Transaction.current == nil { collect(isTransaction: false) }
  }

  /// Lets objects enter and leave with the references of a change.
  private func follow(_ change: Entry, _ entry: LogGraph.Entry, _ key: LoggedKey) {
    guard key.relation != .nothing else { return }
    if key.isWeak {
      let target = change.new.flatMap { key.references(at: $0).first }
      graph.releaseTarget(of: key, entry, for: key.references(of: entry.instance).first)
      return graph.weakPlaces.set(target, entry, key)
    }
    let (left, entered) = differing(
      change.old.map { key.references(at: $0) } ?? [],
      change.new.map { key.references(at: $0) } ?? [])
    for target in entered {
      do {
        try graph.enter(target, from: entry)
      } catch {
        graph.hasRefused = true
        graph.reportUnlogged(error)
      }
    }
    for target in left { graph.leave(target, from: entry) }
  }

  /// The references that left a value and that entered it, each as often as it did.
  ///
  /// What stays does neither. If it left and came back, the graph would have to find out whether it leads to itself: a
  /// walk through all that it leads to.
  ///
  /// - Complexity: Linear in the number of references.
  private func differing(
    _ old: [AnyObject], _ new: [AnyObject]
  ) -> (left: [AnyObject], entered: [AnyObject]) {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] === new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] === new[new.count - 1 - end] { end += 1 }
    let (left, entered) = (old[start..<old.count - end], new[start..<new.count - end])
    // Nearly always it's one object, or elements that only enter or only leave.
    if left.isEmpty || entered.isEmpty || left.count + entered.count == 2 {
      return (Array(left), Array(entered))
    }
    var counts: [ObjectIdentifier: Int] = [:]
    for object in left { counts[ObjectIdentifier(object), default: 0] += 1 }
    /// Takes away one of the counted references to an object, if there's one.
    func takesOne(_ object: AnyObject) -> Bool {
      guard let count = counts[ObjectIdentifier(object)], count > 0 else { return false }
      counts[ObjectIdentifier(object)] = count - 1
      return true
    }
    let onlyEntered: [AnyObject] = entered.filter { !takesOne($0) }
    return (left.filter(takesOne), onlyEntered)
  }

  // MARK: Settings that last

  /// Whether the key's first setting in a transaction may stand for the next ones, which aren't told.
  ///
  /// Where edits of objects that arrive are recorded, these have to enter at once.
  private func settingsMayLast(_ key: LoggedKey) -> Bool {
    key.settingsMayLast && !(graph.keepsInstances && key.relation != .nothing)
  }

  /// Whether changes of an object are recorded, not only the values with which it arrives.
  private func records(_ entry: LogGraph.Entry) -> Bool {
    isListening && (!entry.isNew || graph.keepsInstances)
  }

  /// Lets a setting last until something else happens to the key, or the transaction ends.
  ///
  /// What enters and leaves with it is found only then.
  ///
  /// - Returns: Whether it lasts; if it does already, the change is a part of it.
  private func beginLasting(
    _ change: Entry, _ entry: LogGraph.Entry, _ key: LoggedKey
  ) -> Bool {
    let place = PropertyPlace(of: entry.object, id: key.property.id)
    if lasting.holds(place) { return true }
    guard let address = change.old, case .boxed(let old) = key.keep(at: address, isPart: false)
    else { return false }
    var position: Int?
    if records(entry) {
      position = pending.count
      pending.append(
        Pending(
          entry: entry, key: key, kind: .setting, ranges: nil, old: .boxed(old), new: nil,
          step: nil))
    } else {
      noteUnwritten(entry, key)
    }
    lasting.append(.init(entry: entry, key: key, place: place, old: old, position: position))
    ThreadContext.ofThisThread.beginLastingSetting(for: self)
    return true
  }

  override func hasLastingSetting(at place: PropertyPlace) -> Bool { lasting.holds(place) }

  override func settingEnds(at place: PropertyPlace) {
    guard let change = lasting.take(place) else { return }
    // The end may be asked for by code that is modifying the key in place.
    if change.isBeingModified { return lasting.append(change) }
    let new = change.key.kept(of: change.entry.instance)
    if let position = change.position { pending[position].new = new }
    guard change.key.relation != .nothing, case .boxed(let box) = new else { return }
    change.old.withAddress { old in
      box.withAddress { new in
        let entry = Entry(
          object: change.entry.instance, property: change.key.property, kind: .setting,
          ranges: nil, old: old, new: new)
        follow(entry, change.entry, change.key)
      }
    }
  }

  override func settingsEnd() {
    if lasting.isEmpty { return }
    for change in lasting.all { settingEnds(at: change.place) }
  }

  /// Forgets the settings that last.
  func forgetLasting() {
    // Values that die here may make changes.
    let forgotten = lasting
    lasting = LastingChanges()
    withExtendedLifetime(forgotten) {}
  }

  // MARK: Transactions

  var scope: ChangeScope? { self }

  var position: Int { firstPosition + pending.count }

  func takeBack(to position: Int) {
    let position = position - firstPosition
    // An observer that has begun since then knows what is taken back, and needs the record of it.
    if position < 0 { return }
    // The graph has to follow what has been restored.
    for change in lasting.all(from: position) { settingEnds(at: change.place) }
    // Values that die here may make changes.
    let forgotten = pending[position...]
    pending.removeSubrange(position...)
    withExtendedLifetime(forgotten) {}
  }

  func transactionEnds() {
    settingsEnd()
    collect(isTransaction: true)
  }

  func transactionEnded() {}

  override func groupEnded() { collectGroup() }

  /// Whether the changes of an open group have no record until it ends.
  var isGrouping: Bool { groupDepth > 0 }

  /// Makes the record of what the open group, or the one that ends, has changed until now.
  func collectGroup() {
    // The record is made when the transaction ends.
    if let transaction = Transaction.current { return transaction.enlist(self) }
    // Of a log, it's a proxy's operation, which observers are told change by change.
    collectPending(isTransaction: graph.keepsInstances && pending.count > 1)
    settleOutsideOfChanges()
  }

  // MARK: Records

  /// Makes the record of a single change with which nothing enters or leaves.
  private func collect(_ change: Pending) {
    do {
      append(KeyValueTransactionRecord([try edit(change)], id: graph.newRecordID()))
    } catch {
      reportUnrecorded(error)
    }
  }

  func append(_ record: KeyValueTransactionRecord, left: [LogGraph.Entry] = []) {
    recordCount += 1
    undelivered.append(Collected(record: record, left: left, number: recordCount))
  }

  /// Whether all that has changed until now has its record.
  var isComplete: Bool {
    settingsEnd()
    return pending.isEmpty && graph.isSettled
  }

  /// Whether a change outside of transactions is in progress: its observers, or those of the log, are being called.
  var isChanging: Bool { depth > 0 || isDelivering }

  private func reportUnrecorded(_ error: any Error) {
    KeyValueViolation.report(
      .unobservableValue, "\(error) A change of a graph that is logged was not recorded.")
  }

  private func collect(isTransaction: Bool) {
    if groupDepth == 0 { collectPending(isTransaction: isTransaction) }
  }

  private func collectPending(isTransaction: Bool) {
    defer { pendingAuthor = 0 }
    graph.releaseTargets()
    if pending.isEmpty, graph.isSettled { return }
    let changes = pending
    pending = []
    firstPosition += changes.count
    let unwritten = graph.takeUnwritten()
    let settled = graph.settle()
    if !unwritten.isEmpty { check(unwritten) }
    if changes.isEmpty, settled.arrived.isEmpty, settled.left.isEmpty { return }
    guard isListening else { return }
    do {
      try graph.writing(settled) { try make(changes, settled, isTransaction) }
    } catch {
      reportUnrecorded(error)
    }
  }

  /// Reports values with objects inside that the graph doesn't have, each once.
  private func check(_ unwritten: [(entry: LogGraph.Entry, key: LoggedKey?)]) {
    var checked: Set<Pending.Place> = []
    for (entry, key) in unwritten where graph.entry(of: entry.instance) === entry {
      if let key {
        guard checked.insert(Pending.Place(entry, key)).inserted else { continue }
      } else if isListening {
        // The record has its values.
        continue
      }
      do {
        try naming(entry) { try graph.checkInside(entry, key) }
      } catch {
        graph.reportUnlogged(error)
      }
    }
  }

  /// Makes the record of these changes, of differences, and of the deletions of what was never in the graph.
  func make(
    _ changes: [Pending], _ settled: LogGraph.Settled, _ isTransaction: Bool,
    and differences: [Difference] = [], _ deletions: [KeyValueEdit] = []
  ) throws {
    let (arrived, left) = (settled.arrived, settled.left)
    let applied = changes.contains(where: \.isApplied) ? applied : nil
    // A transaction in which an observer applies another record has an id of its own.
    if applied != nil { self.applied = nil }
    if let applied, !changes.allSatisfy(\.isApplied), !applied.edits.isEmpty {
      append(applied)
      return try makeAnswer(to: applied, changes, settled, isTransaction)
    }
    var edits: [KeyValueEdit] = []
    for entry in arrived {
      edits.append(
        .create(
          entry.id, class: entry.type.name,
          values: try graph.values(of: entry) { _ in .leaving }))
    }
    let new = Set(arrived.map(\.id))
    let changed =
      graph.weakPlaces.isEmpty ? [] : Set(changes.map(\.place) + differences.map(\.place))
    for entry in arrived { edits += try weakEdits(of: entry, enters: true, new, besides: changed) }
    var own = changes
    // They were made as one, in any order.
    if !isTransaction { own.sort { $0.step ?? 0 < $1.step ?? 0 } }
    if !settled.passed.isEmpty { for change in own { graph.mention(change.entry) } }
    edits += try self.edits(of: own, areMerged: isTransaction)
    edits += differences.map(\.edit)
    for entry in left { edits += try weakEdits(of: entry, enters: false, new, besides: changed) }
    let ownPlaces = left.isEmpty ? [] : Set(own.map(\.place))
    for entry in left {
      // A weak key that hasn't changed refers to what was in the graph before.
      let values = try graph.values(of: entry) { key in
        ownPlaces.contains(Pending.Place(entry, key)) ? .leaving : .arriving
      }
      graph.noteLeft(entry, with: values)
      edits.append(.delete(entry.id, class: entry.type.name, values: values))
    }
    edits += deletions
    for entry in settled.passed {
      // What came back as something other than what it left as has changed, too.
      guard let earlier = settled.returned[entry.id]?.values else { continue }
      let now = KeyValueLogValue.dictionary(try graph.values(of: entry) { _ in .leaving })
      if !now.isIdentical(to: .dictionary(earlier)) { graph.mention(entry) }
    }
    // What came and went again has an id only in this record.
    var passed: [LogGraph.Entry] = []
    var creations: [KeyValueEdit] = []
    while let entry = graph.takeMentioned() {
      let values = try graph.values(of: entry) { _ in .leaving }
      graph.noteLeft(entry, with: values)
      creations.append(.create(entry.id, class: entry.type.name, values: values))
      edits.append(.delete(entry.id, class: entry.type.name, values: values))
      passed.append(entry)
    }
    if !creations.isEmpty { edits.insert(contentsOf: creations.reversed(), at: 0) }
    var kept = left + passed
    if graph.keepsInstances {
      edits = changingReturned(settled.returned, creatingEarlier(edits), keeping: &kept)
    }
    if !edits.isEmpty {
      let record =
        applied.map {
          KeyValueTransactionRecord(
            edits, isTransaction: $0.isTransaction, origin: $0.origin, id: $0.id)
        }
        ?? KeyValueTransactionRecord(
          edits, isTransaction: isTransaction, origin: origin, id: graph.newRecordID())
      append(record, left: kept)
    }
  }

  // MARK: Delivery

  override var isSettled: Bool {
    isDelivering || undelivered.isEmpty && graph.hasNoDepartures
  }

  override func left() { hasLeft?() }

  override func settle() {
    if isDelivering { return }
    if undelivered.isEmpty { return graph.endDepartures() }
    isDelivering = true
    defer { isDelivering = false }
    // A handler may make changes, whose records follow: those of the first change, of what answers it, and so on.
    var rounds = 0
    while !undelivered.isEmpty {
      if rounds >= DeliveryNesting.limit { return endLoop() }
      rounds += 1
      deliverRound()
      if undelivered.isEmpty { graph.endDepartures() }
    }
  }

  /// Delivers the records that have been made until now.
  private func deliverRound() {
    // Taking the last one moves it, and the array keeps its room.
    if undelivered.count == 1 { return deliver(undelivered.removeLast()) }
    let round = undelivered
    undelivered = []
    for collected in round { deliver(collected) }
  }

  /// Reports that observers of the log answer their own changes without end, and leaves out the records that follow.
  private func endLoop() {
    let last = undelivered.first?.record.edits.first.map { edit in
      [graph.entry(edit.id)?.type.schema.name ?? "\(edit.id)", edit.key].compactMap(\.self)
        .joined(separator: ".")
    }
    // Values that die here may make changes.
    let left = undelivered
    undelivered = []
    graph.endDepartures()
    withExtendedLifetime(left) {}
    KeyValueViolation.report(
      .runawayRecursion,
      "Observing the log of \(graph.root?.type.schema.name ?? "a graph") leads back to itself more than "
        + "\(DeliveryNesting.limit) times: its observers answer each record with another change, last of "
        + "\(last ?? "the graph"), whose record is left out. Answer only the keys that the observer doesn't set itself, "
        + "or break the loop.")
  }
}
