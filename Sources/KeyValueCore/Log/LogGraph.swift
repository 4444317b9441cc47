/// The objects that strong stored relationships reach from a root, with their ids.
///
/// Each object counts how many relationships lead to it. An object whose count falls to 0 leaves when the
/// graph settles, at the end of a transaction, so a move is no departure. Where a count falls but not to 0, and
/// the object leads back to itself, the graph is swept, unless a way from the root to the object is known.
///
/// Confined to where the objects are used, as its log; so exclusivity is unchecked, here and in `Entry`.
final class LogGraph {
  /// One object.
  final class Entry {
    let id: KeyValueObjectID
    /// Retained, so that the values with which it leaves can be read.
    let instance: AnyObject
    let type: LoggedClass
    /// How many relationships lead to it.
    @exclusivity(unchecked) fileprivate(set) var count: Int32 = 0
    /// An object that leads to it, on a way from the root if that one has such an object, too.
    @exclusivity(unchecked) fileprivate var support: ObjectIdentifier?
    /// Whether it has entered since the graph settled.
    @exclusivity(unchecked) fileprivate(set) var isNew = true
    @exclusivity(unchecked) fileprivate(set) var isGone = false
    /// Whether its count has fallen since the graph settled, so that it may leave.
    @exclusivity(unchecked) fileprivate var isCandidate = false
    /// Whether the walk through the graph that is going on has found it.
    @exclusivity(unchecked) fileprivate var isFound = false

    init(_ id: KeyValueObjectID, _ object: AnyObject, _ type: LoggedClass) {
      self.id = id
      instance = object
      self.type = type
    }

    var object: any KeyValueObservable { type.observable(instance) }
    var identity: ObjectIdentifier { ObjectIdentifier(instance) }
  }

  /// Nil before the log is attached and after it has ended.
  private(set) var root: Entry?
  /// The root's id, from when the log is attached.
  private(set) var rootID = KeyValueObjectID()
  /// The ids of new objects and of records.
  @exclusivity(unchecked) private var numbers = UniqueNumbers()
  @exclusivity(unchecked) private(set) var entries = EntryTable<ObjectIdentifier>()
  @exclusivity(unchecked) private var byID = EntryTable<KeyValueObjectID>()
  private var classes: [ObjectIdentifier: LoggedClass] = [:]
  /// The class of the last object that entered.
  @exclusivity(unchecked) private var lastClass: (type: AnyClass, logged: LoggedClass)?
  /// What attaches to an object that enters, and detaches from one that leaves.
  ///
  /// It has the graph.
  private unowned(unsafe) let journal: Journal
  /// Called with each class that enters first; throws if its objects can't be made.
  var admits: (LoggedClass) throws -> Void = { _ in }
  /// What stands for a class that can't be logged, of objects that enter later; nil if these are left out.
  var standsIn: ((KeyValueSchema, KeyValueLogError) -> LoggedClass)?

  /// The objects that have entered since the graph settled, in order.
  @exclusivity(unchecked) private(set) var arrived: [Entry] = []
  /// Those of them that have come back, if instances are kept.
  @exclusivity(unchecked) private var returned: [KeyValueObjectID: Returned] = [:]
  /// The values that may have objects inside and that no record has written, in order; a nil key is all of the
  /// object's.
  @exclusivity(unchecked) private var unwritten: [(entry: Entry, key: LoggedKey?)] = []
  @exclusivity(unchecked) private var candidates: [Entry] = []
  /// The weak keys of the objects in the graph.
  var weakPlaces = WeakPlaces()
  /// The record that is being written; it has no objects while none is.
  private var record = RecordBeingWritten()
  /// The objects that the value that is being written can't refer to.
  private var hidden: Set<ObjectIdentifier> = []
  /// The objects whose departure is recorded and not yet delivered; code outside still gets their ids.
  @exclusivity(unchecked) private var leaving: [ObjectIdentifier: Entry] = [:]
  private var departed = DepartedObjects()
  /// Objects that are being made and don't belong to the graph yet, with the ids that they will have.
  @exclusivity(unchecked) private var reserved = EntryTable<ObjectIdentifier>()
  @exclusivity(unchecked) private var arriving = EntryTable<KeyValueObjectID>()

  /// Makes the object with an id, while objects are being made, if it's among them.
  @exclusivity(unchecked) var makes: ((KeyValueObjectID) throws -> Void)?
  /// Whether an object couldn't enter.
  @exclusivity(unchecked) var hasRefused = false
  /// Whether a class has a key that refers to objects without owning them.
  private(set) var hasWeakKeys = false
  /// Whether a class has such a constant.
  private(set) var hasWeakConstants = false
  /// What `keepTarget` has kept.
  @exclusivity(unchecked) private var targetsOutside = TargetsOutside()
  /// Whether taking back a record leaves all instances as they are, apart from what the record changes.
  ///
  /// Then weak keys refer to objects that have left, too.
  let keepsInstances: Bool
  /// Whether objects that have left have their ids.
  private var namesDeparted = false

  init(_ journal: Journal, keepsInstances: Bool) {
    self.journal = journal
    self.keepsInstances = keepsInstances
  }

  /// - Throws: `KeyValueLogError` if the graph leads to an object whose class can't be logged.
  func checkReferences() throws {
    // Looking at a class may run code that lets objects leave.
    let entries = Array(entries.values)
    for entry in entries {
      if let problem = entry.type.problem { throw problem }
      for key in entry.type.followed {
        for target in key.references(of: entry.instance) where !knows(target) {
          _ = try loggedClass(of: target)
        }
      }
    }
  }

  /// Whether the object leaves when the graph settles, as far as is known without a sweep.
  func isLeaving(_ entry: Entry) -> Bool { entry.count == 0 && entry.isCandidate }

  /// How many relationships to each object come from objects that leave when the graph settles.
  func countsFromLeaving() -> [KeyValueObjectID: Int] {
    var counts: [KeyValueObjectID: Int] = [:]
    func count(_ entry: Entry, _ body: (Entry, Int) -> Void) {
      for key in entry.type.followed {
        for target in key.references(of: entry.instance) {
          guard let target = entries[ObjectIdentifier(target)], target !== root else { continue }
          counts[target.id, default: 0] += 1
          body(target, counts[target.id]!)
        }
      }
    }
    var leaving = candidates.filter { isLeaving($0) && !$0.isGone && $0 !== root }
    while let entry = leaving.popLast() {
      count(entry) { target, count in if count == Int(target.count) { leaving.append(target) } }
    }
    // What still leads to an object may be only what it leads to.
    let mayLeadToThemselves =
      candidates.filter { !isLeaving($0) }
      + counts.compactMap { id, count in byID[id].flatMap { count < Int($0.count) ? $0 : nil } }
    if !mayLeadToThemselves.contains(where: \.type.isInCycle) { return counts }
    counts = [:]
    for entry in unreached() { count(entry) { _, _ in } }
    return counts
  }

  func setRoot(_ object: any KeyValueObservable) throws {
    guard let entry = try enter(object) else { return }
    // All that the graph leads to is known only now.
    for (entry, key) in takeUnwritten() {
      do {
        try checkInside(entry, key)
      } catch let error as KeyValueLogError {
        throw error.completed { $0.type = entry.type.schema.name }
      }
    }
    try checkUntyped()
    entry.count = 1
    root = entry
    rootID = entry.id
  }

  /// Checks that the values whose types don't say so can be written.
  ///
  /// - Throws: `KeyValueLogError.notLoggable`.
  private func checkUntyped() throws {
    guard classes.values.contains(where: { !$0.untyped.isEmpty }) else { return }
    // Writing a dictionary's keys may run code that lets objects leave.
    for entry in Array(entries.values) {
      for key in entry.type.untyped {
        do {
          _ = try key.data(of: entry.instance, self)
        } catch let error as KeyValueLogError {
          throw error.completed { details in
            details.type = entry.type.schema.name
            details.reason = details.reason.map {
              "\($0). Give the property a Codable type, or mark it @KeyValueIgnored"
            }
          }
        }
      }
    }
  }

  func detachAll() {
    // Objects that die here may make changes.
    let (all, last, outside) = (entries, root, targetsOutside)
    for entry in all.values { journal.detach(from: entry.object, entry.type.schema) }
    journal.end()
    entries = EntryTable()
    byID = EntryTable()
    // A transaction may keep the graph, and settle it.
    (arrived, returned, unwritten, candidates) = ([], [:], [], [])
    (weakPlaces, leaving, root) = (WeakPlaces(), [:], nil)
    targetsOutside = TargetsOutside()
    withExtendedLifetime((all, last, outside)) {}
  }

  var isSettled: Bool {
    arrived.isEmpty && candidates.isEmpty && unwritten.isEmpty
  }

  // MARK: Classes and ids

  /// The object's class; nil if the object isn't observable.
  private func loggedClass(of object: AnyObject) throws -> LoggedClass? {
    let type: AnyClass = type(of: object)
    if let lastClass, lastClass.type == type { return lastClass.logged }
    guard let observable = object as? any KeyValueObservable else { return nil }
    let logged = try loggedClass(observable.schema)
    lastClass = (type, logged)
    return logged
  }

  func loggedClass(_ schema: KeyValueSchema) throws -> LoggedClass {
    let key = ObjectIdentifier(schema)
    if let known = classes[key] { return known }
    do {
      let type = try LoggedClass(schema)
      try admits(type)
      classes[key] = type
      if !type.weak.isEmpty { hasWeakKeys = true }
      if type.weak.contains(where: \.isConstant) { hasWeakConstants = true }
      return type
    } catch let error as KeyValueLogError {
      guard root != nil, let type = standsIn?(schema, error) else { throw error }
      classes[key] = type
      hasRefused = true
      reportUnlogged(error)
      return type
    }
  }

  /// Reports an object that has entered although it can't be logged.
  func reportUnlogged(_ error: any Error) {
    KeyValueViolation.report(
      .unobservableValue,
      "\(error) It came into a graph that is logged, and its changes are not recorded.")
  }

  /// Whether the object has an id.
  func knows(_ object: AnyObject) -> Bool { identity(of: object) != nil }

  func entry(of object: AnyObject) -> Entry? { entries[ObjectIdentifier(object)] }
  func entry(_ id: KeyValueObjectID) -> Entry? { byID[id] }
  /// The object with an id, also if the record of its departure hasn't been delivered.
  func object(_ id: KeyValueObjectID) -> (any KeyValueObservable)? {
    if let entry = byID[id] { return entry.object }
    return departed.identity(id).flatMap { leaving[$0] }?.object
  }

  func isArriving(_ id: KeyValueObjectID) -> Bool { arriving[id] != nil }

  /// The id of an object in the graph; nil outside.
  func identity(of object: AnyObject) -> KeyValueObjectID? {
    if let entry = entries[ObjectIdentifier(object)] {
      return hidden.contains(ObjectIdentifier(object)) ? nil : entry.id
    }
    if let entry = record.departing(ObjectIdentifier(object)) {
      if hidden.contains(ObjectIdentifier(object)) { return nil }
      mention(entry)
      return entry.id
    }
    if let entry = reserved[ObjectIdentifier(object)] { return entry.id }
    return namesDeparted ? departed.id(of: object) : nil
  }

  /// The id of an object in the graph, or of one whose departure is being delivered.
  func id(of object: AnyObject) -> KeyValueObjectID? {
    identity(of: object) ?? leaving[ObjectIdentifier(object)]?.id
  }

  /// Writes the record with which objects arrive and leave; both have their ids in it.
  func writing<Result>(_ settled: Settled, _ body: () throws -> Result) rethrows -> Result {
    let outer = record
    record = RecordBeingWritten(settled, in: outer)
    defer { record = outer }
    return try body()
  }

  /// Notes that the record has an edit of an object; one that entered and left is created and deleted, too.
  func mention(_ entry: Entry) { record.mention(entry) }

  /// The next object that entered and left, and that the record refers to.
  func takeMentioned() -> Entry? { record.takeMentioned() }

  /// What a weak key's value doesn't refer to.
  enum Outside {
    case nothing
    /// What arrives with the record: the value is from before it.
    case arriving
    /// What leaves with the record: the value is from after it.
    case leaving
  }

  /// Writes a weak key's value.
  func hiding<Result>(_ outside: Outside, _ body: () throws -> Result) rethrows -> Result {
    if keepsInstances {
      namesDeparted = true
      defer { namesDeparted = false }
      return try body()
    }
    switch outside {
    case .nothing: return try body()
    case .arriving: hidden = record.arriving
    case .leaving: hidden = record.leaving
    }
    defer { hidden = [] }
    return try body()
  }

  var hasNoDepartures: Bool { leaving.isEmpty && !targetsOutside.hasReleased }

  /// Forgets the objects that have left, when the record of it has been delivered.
  func endDepartures() {
    if !hasNoDepartures { releaseDeparted() }
  }

  // Apart, because nearly always there's nothing to release, and a set would pay for it.
  @inline(never)
  private func releaseDeparted() {
    // Objects that die here may make changes.
    let gone = (leaving, targetsOutside.takeReleased())
    leaving = [:]
    withExtendedLifetime(gone) {}
  }

  /// - Throws: `KeyValueLogError.unknownObject`.
  func instance(_ id: KeyValueObjectID) throws -> any KeyValueObservable {
    if let entry = present(id) { return entry.object }
    try makes?(id)
    if let entry = arriving[id] { return entry.object }
    if keepsInstances, let object = departed.object(id) { return object }
    throw KeyValueLogError.unknownObject(.init(object: id))
  }

  /// What is in the graph, or is being made, with an id.
  func present(_ id: KeyValueObjectID) -> Entry? { byID[id] ?? arriving[id] }

  /// An object of exactly this class that has left, if it's still alive.
  func departedObject(
    _ id: KeyValueObjectID, as type: LoggedClass
  ) -> (any KeyValueObservable)? {
    guard let object = departed.object(id), object.schema === type.schema else { return nil }
    return object
  }

  /// Whether there is an object with an id, in the graph or outside.
  func isAlive(_ id: KeyValueObjectID) -> Bool { present(id) != nil || departed.object(id) != nil }

  /// Keeps what a key without nil refers to, although it leaves.
  ///
  /// Such a key can't say that it refers to nothing, and reading it traps once the object has died.
  func keepTarget(of key: LoggedKey, _ entry: Entry) {
    guard !isOptional(key.property.valueType),
      let target = key.references(of: entry.instance).first
    else { return }
    // Objects that die here may make changes.
    let earlier = targetsOutside.keep(target, for: ObjectKey(entry.instance, key.property))
    withExtendedLifetime(earlier) {}
  }

  /// Lets go of what `keepTarget` has kept, unless the key refers to it.
  ///
  /// `target` is what the key refers to now.
  func releaseTarget(of key: LoggedKey, _ entry: Entry, for target: @autoclosure () -> AnyObject?) {
    if targetsOutside.isEmpty { return }
    let place = ObjectKey(entry.instance, key.property)
    guard let kept = targetsOutside[place] else { return }
    let isPast = kept !== target()
    targetsOutside.note(place, isPast: isPast)
    if isPast { releaseTargets() }
  }

  /// Lets go of what keys don't refer to any more, when the records of the changes until now have been delivered.
  ///
  /// While the thread's transaction may be rolled back, all of it is kept, because the keys would refer to it again.
  @inline(__always)
  func releaseTargets() {
    if targetsOutside.hasPast { releasePastTargets() }
  }

  private func releasePastTargets() {
    if ThreadContext.current?.transaction?.mayRollBack == true { return }
    targetsOutside.releasePast()
  }

  /// Whether a key that refers to one object refers to this one, in the graph or outside.
  func refers(_ key: LoggedKey, of entry: Entry, to id: KeyValueObjectID) -> Bool {
    guard let target = key.references(of: entry.instance).first else { return false }
    return (identity(of: target) ?? departed.id(of: target)) == id
  }

  /// Lets an object arrive with an id; until it enters the graph, only this finds it.
  func reserve(_ id: KeyValueObjectID, for object: AnyObject, _ type: LoggedClass) -> Entry {
    let entry = Entry(id, object, type)
    arriving.insert(entry)
    // A closure may make one object for two ids; the object gets the last one.
    reserved.remove(entry.identity)
    reserved.insert(entry)
    return entry
  }

  func endArrivals() {
    if arriving.count == 0 { return }
    // Objects that die here may make changes.
    let gone = (arriving, reserved)
    (arriving, reserved) = (EntryTable(), EntryTable())
    withExtendedLifetime(gone) {}
  }

  func newRecordID() -> KeyValueRecordID { KeyValueRecordID(numbers.next()) }

  private func newEntry(for object: AnyObject, _ type: LoggedClass) -> Entry {
    let departed = departed.remove(object)
    guard let departed else { return Entry(KeyValueObjectID(numbers.next()), object, type) }
    if let values = departed.values { returned[departed.id] = Returned(type: type, values: values) }
    return Entry(departed.id, object, type)
  }

  /// Notes the values with which an object has left.
  func noteLeft(_ entry: Entry, with values: [String: KeyValueLogValue]) {
    if keepsInstances { departed.setValues(values, of: entry.id) }
  }

  /// The entries that keep what a value refers to outside of the graph; nil if something of it has died.
  func keepingDeparted(in value: KeyValueLogValue) -> [Entry]? {
    var kept: [Entry]? = []
    value.forEachReference { id in
      if present(id) != nil { return }
      guard let object = departed.object(id), let type = try? loggedClass(object.schema) else {
        return kept = nil
      }
      kept?.append(Entry(id, object, type))
    }
    return kept
  }

  // MARK: Entering and leaving

  /// Counts one more relationship to an object, which enters with all that it leads to if it's new.
  ///
  /// - Throws: `KeyValueLogError`, if the class of an object can't be logged; all others have entered, unless the log
  ///   is being attached.
  @discardableResult
  func enter(_ object: AnyObject, from owner: Entry? = nil) throws -> Entry? {
    let first = ObjectIdentifier(object)
    var current = Targets(objects: [object], owner: owner)
    // The targets of the objects on the way from the first one to the current ones.
    var work: [Targets] = []
    // The objects after one that can't enter are counted all the same, because they will be when they leave.
    var refusal: (any Error)?
    while true {
      while let object = current.next() {
        let targets: Targets
        do {
          targets = try enterOne(object, from: current.owner)
        } catch {
          if root == nil { throw error }
          refusal = refusal ?? error
          continue
        }
        if targets.objects.isEmpty { continue }
        if !current.isAtEnd { work.append(current) }
        current = targets
      }
      guard let last = work.popLast() else {
        if let refusal { throw refusal }
        return entries[first]
      }
      current = last
    }
  }

  /// Counts one more relationship to an object; returns what it leads to if it's new.
  private func enterOne(_ object: AnyObject, from owner: Entry?) throws -> Targets {
    if let entry = entries[ObjectIdentifier(object)] {
      entry.count += 1
      guard let owner else { return .none }
      owner.type.leads(to: entry.type)
      if entry.support == nil, isReached(owner, without: entry) { entry.support = owner.identity }
      return .none
    }
    guard let type = try loggedClass(of: object) else { return .none }
    owner?.type.leads(to: type)
    let entry = reserved[ObjectIdentifier(object)] ?? newEntry(for: object, type)
    entry.count = owner == nil ? 0 : 1
    entry.support = owner?.identity
    entries.insert(entry)
    byID.insert(entry)
    // What is there when the log is attached doesn't arrive.
    if root == nil { entry.isNew = false } else { arrived.append(entry) }
    journal.attach(to: entry.object, type.schema)
    if type.isPlain { return .none }
    if !type.opaque.isEmpty { unwritten.append((entry, nil)) }
    for key in type.weak {
      let target = key.references(of: object).first
      releaseTarget(of: key, entry, for: target)
      weakPlaces.set(target, entry, key)
    }
    return Targets(objects: type.followed.flatMap { $0.references(of: object) }, owner: entry)
  }

  /// The objects that an object leads to, in the order of declaration.
  private struct Targets {
    static var none: Targets { Targets(objects: [], owner: nil) }

    let objects: [AnyObject]
    let owner: Entry?
    private var index = 0

    init(objects: [AnyObject], owner: Entry?) {
      self.objects = objects
      self.owner = owner
    }

    var isAtEnd: Bool { index == objects.count }

    mutating func next() -> AnyObject? {
      if isAtEnd { return nil }
      defer { index += 1 }
      return objects[index]
    }
  }

  /// Counts one relationship to an object less.
  func leave(_ object: AnyObject, from owner: Entry?) {
    guard let entry = entries[ObjectIdentifier(object)] else { return }
    entry.count -= 1
    if let owner, entry.support == owner.identity { entry.support = nil }
    if entry.isCandidate || entry.isGone { return }
    // What still leads to it may be only what it leads to.
    if entry.count == 0 || entry.type.isInCycle {
      entry.isCandidate = true
      candidates.append(entry)
    }
  }

  /// Lets an object enter before anything leads to it.
  func hold(_ entry: Entry) {
    let isNew = entries[entry.identity] == nil
    do {
      try enter(entry.instance)
    } catch {
      reportUnlogged(error)
    }
    // It enters also if something that it leads to can't.
    if isNew { entries[entry.identity]?.count += 1 }
  }

  /// Counts the relationship less that `hold` has counted.
  func release(_ entry: Entry) { leave(entry.instance, from: nil) }

  /// What entered and what left since the graph last settled.
  struct Settled {
    let arrived: [Entry]
    let left: [Entry]
    /// What did both.
    let passed: [Entry]
    /// What has come back, by its ids.
    let returned: [KeyValueObjectID: Returned]
  }

  /// An object that has come back.
  struct Returned {
    let type: LoggedClass
    /// The recorded values with which it had left.
    let values: [String: KeyValueLogValue]
  }

  /// Detaches the objects that the root no longer leads to.
  ///
  /// Of those that only keep each other, some are in a cycle that nothing else of them leads to. So the last
  /// relationship from outside led to an object that leads to itself.
  func settle() -> Settled {
    var gone: [Entry] = []
    // How many objects have been found from candidates.
    var walked = 0
    var (mustSweep, hasSwept) = (false, false)
    while !candidates.isEmpty || mustSweep {
      while let entry = candidates.popLast() {
        entry.isCandidate = false
        if entry.isGone || entry === root { continue }
        if entry.count > 0 {
          // Behind a sweep, the root leads to what is left.
          if hasSwept || mustSweep || !entry.type.isInCycle || isReached(entry) { continue }
          mustSweep = leadsToItself(entry, &walked) || walked > entries.count
          continue
        }
        entry.isGone = true
        gone.append(entry)
        for key in entry.type.followed {
          for target in key.references(of: entry.instance) { leave(target, from: entry) }
        }
      }
      guard mustSweep else { continue }
      (mustSweep, hasSwept) = (false, true)
      for entry in unreached() where !entry.isGone {
        entry.count = 0
        entry.isCandidate = true
        candidates.append(entry)
      }
    }
    for entry in gone { remove(entry) }
    let settled = Settled(
      arrived: arrived.filter { !$0.isGone }, left: gone.filter { !$0.isNew },
      passed: gone.filter(\.isNew), returned: returned)
    for entry in arrived { entry.isNew = false }
    (arrived, returned) = ([], [:])
    departed.forgetDead(besides: entries.count)
    return settled
  }

  /// Whether a way from the root to an entry is known that doesn't lead over another one.
  ///
  /// - Complexity: Linear in the length of the way.
  private func isReached(_ entry: Entry, without other: Entry? = nil) -> Bool {
    var entry = entry
    // A relationship that was changed unannounced may have left a circle.
    for _ in 0..<entries.count {
      if entry === root { return true }
      guard entry !== other, let support = entry.support, let next = entries[support] else {
        return false
      }
      entry = next
    }
    return false
  }

  private func remove(_ entry: Entry) {
    journal.detach(from: entry.object, entry.type.schema)
    entries.remove(entry.identity)
    byID.remove(entry.id)
    // What came back and leaves again has left before; the record of a departure has the values of what hasn't.
    departed.insert(entry.object, entry.id, returned[entry.id]?.values)
    leaving[entry.identity] = entry
    for key in entry.type.weak {
      weakPlaces.remove(entry, key)
      // An instance that a recorder puts back refers to the same object.
      if !keepsInstances { releaseTarget(of: key, entry, for: nil) }
    }
  }

  /// The entries that the root doesn't lead to.
  private func unreached() -> [Entry] {
    guard let root else { return [] }
    let found = findTargets(of: root)
    let unreached = entries.values.filter { !$0.isFound && $0 !== root }
    for entry in found { entry.isFound = false }
    return unreached
  }

  /// Hides what leaves when the graph settles, and returns its identities.
  func hideUnreached() -> Set<ObjectIdentifier> {
    if isSettled { return [] }
    hidden = Set(unreached().map(\.identity))
    return hidden
  }

  func unhideUnreached() { hidden = [] }

  /// Whether an entry leads to itself; `walked` grows by the number of objects that have been found until then.
  private func leadsToItself(_ entry: Entry, _ walked: inout Int) -> Bool {
    let found = findTargets(of: entry, untilItself: true)
    walked += found.count
    let leadsToItself = entry.isFound
    for entry in found { entry.isFound = false }
    return leadsToItself
  }

  /// Finds all that an entry leads to, or what it leads to until it's found itself; the caller clears `isFound`.
  private func findTargets(of first: Entry, untilItself: Bool = false) -> [Entry] {
    var found: [Entry] = []
    var next = 0
    var entry = first
    while true {
      for key in entry.type.followed {
        for target in key.references(of: entry.instance) {
          guard let target = entries[ObjectIdentifier(target)], !target.isFound else { continue }
          target.isFound = true
          if first === root { target.support = entry.identity }
          found.append(target)
          if untilItself, target === first { return found }
        }
      }
      if next == found.count { return found }
      entry = found[next]
      next += 1
    }
  }

  // MARK: Objects inside values

  /// Notes a value that has changed and that no record will write.
  func noteUnwritten(_ entry: Entry, _ key: LoggedKey) { unwritten.append((entry, key)) }

  func takeUnwritten() -> [(entry: Entry, key: LoggedKey?)] {
    if unwritten.isEmpty { return [] }
    defer { unwritten = [] }
    return unwritten
  }

  /// Checks that the objects inside the values of an object, or of one of its keys, belong to the graph.
  ///
  /// - Throws: `KeyValueLogError.notLoggable`.
  func checkInside(_ entry: Entry, _ key: LoggedKey?) throws {
    for key in key.map({ [$0] }) ?? entry.type.opaque {
      try key.checkInside(of: entry.instance) { [unowned self] object in
        entries[ObjectIdentifier(object)] != nil
      }
    }
  }
}
