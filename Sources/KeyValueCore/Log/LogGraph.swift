/// The objects that strong stored relationships reach from a root, with their ids.
///
/// Each object counts how many relationships lead to it. An object whose count falls to 0 leaves when the
/// graph settles, at the end of a transaction, so a move is no departure. Where a count falls but not to 0, and
/// the object's class can lead back to itself, the graph is swept.
///
/// Confined to where the objects are used, as its log.
final class LogGraph: LogIdentities {
  /// One object.
  final class Entry {
    let id: KeyValueObjectID
    /// Retained, so that the values with which it leaves can be read.
    let object: any KeyValueObservable
    let type: LoggedClass
    /// How many relationships lead to it.
    fileprivate(set) var count: Int32 = 0
    /// Whether it has entered since the graph settled.
    fileprivate(set) var isNew = true
    fileprivate(set) var isGone = false
    fileprivate var isCandidate = false
    fileprivate var mark: UInt32 = 0

    init(_ id: KeyValueObjectID, _ object: any KeyValueObservable, _ type: LoggedClass) {
      self.id = id
      self.object = object
      self.type = type
    }
  }

  /// A weak key of an object, whose target may enter or leave.
  struct WeakPlace {
    let entry: Entry
    let key: LoggedKey
  }

  private struct Departed {
    weak let object: (any KeyValueObservable)?
    let id: KeyValueObjectID
  }

  /// Nil before the log is attached and after it has ended.
  private(set) var root: Entry?
  /// The root's id, from when the log is attached.
  private(set) var rootID = KeyValueObjectID()
  /// The ids of new objects and of records.
  private var numbers = UniqueNumbers()
  private(set) var entries = IdentityTable<Entry>()
  private var byID: [KeyValueObjectID: Entry] = [:]
  private var classes: [ObjectIdentifier: LoggedClass] = [:]
  /// What attaches to an object that enters, and detaches from one that leaves.
  private unowned let journal: Journal
  /// Called with each class that enters first; throws if its objects can't be made.
  var admits: (LoggedClass) throws -> Void = { _ in }

  /// The objects that have entered since the graph settled, in order.
  private(set) var arrived: [Entry] = []
  private var candidates: [Entry] = []
  private var mustSweep = false
  private var sweeps: UInt32 = 0
  /// The weak keys that refer to an object, in the graph or outside.
  private var weakPlaces: [ObjectIdentifier: [WeakPlace]] = [:]
  /// The objects whose departure is being recorded.
  private var departing: [ObjectIdentifier: Entry] = [:]
  /// The objects that entered and left in the transaction whose record is being made.
  private var passing: Set<ObjectIdentifier> = []
  /// Those of them that the record has referred to, and that it doesn't create yet.
  private var mentioned: [Entry] = []
  /// The objects that enter with the record that is being made.
  private var justArrived: Set<ObjectIdentifier> = []
  /// The objects that the value that is being written can't refer to.
  private var hidden: Set<ObjectIdentifier> = []
  /// The objects whose departure is recorded and not yet delivered; code outside still gets their ids.
  private var leaving: [ObjectIdentifier: Entry] = [:]
  /// The ids of objects that have left and are still alive, so that they keep them if they come back.
  private var departed: [ObjectIdentifier: Departed] = [:]
  private var departedByID: [KeyValueObjectID: ObjectIdentifier] = [:]
  /// The ids that arriving objects will have.
  private var reserved: [ObjectIdentifier: KeyValueObjectID] = [:]
  /// Objects that are being made and don't belong to the graph yet.
  private var arriving: [KeyValueObjectID: any KeyValueObservable] = [:]

  init(_ journal: Journal) {
    self.journal = journal
  }

  func setRoot(_ object: any KeyValueObservable) throws {
    guard let entry = try enter(object) else { return }
    entry.count = 1
    root = entry
    rootID = entry.id
  }

  func detachAll() {
    // Objects that die here may make changes.
    let (all, last) = (entries, root)
    for entry in all.values { journal.detach(from: entry.object, entry.type.schema) }
    journal.end()
    entries = IdentityTable()
    byID = [:]
    // A transaction may keep the graph, and settle it.
    (arrived, candidates, mustSweep) = ([], [], false)
    (weakPlaces, leaving, root) = ([:], [:], nil)
    withExtendedLifetime((all, last)) {}
  }

  var isSettled: Bool { arrived.isEmpty && candidates.isEmpty && !mustSweep }

  // MARK: Classes and ids

  func loggedClass(_ schema: KeyValueSchema) throws -> LoggedClass {
    let key = ObjectIdentifier(schema)
    if let known = classes[key] { return known }
    let type = try LoggedClass(schema)
    try admits(type)
    classes[key] = type
    return type
  }

  /// Whether the object has an id.
  func knows(_ object: AnyObject) -> Bool { identity(of: object) != nil }

  func entry(of object: AnyObject) -> Entry? { entries[ObjectIdentifier(object)] }
  func entry(_ id: KeyValueObjectID) -> Entry? { byID[id] }
  func arrivingObject(_ id: KeyValueObjectID) -> (any KeyValueObservable)? { arriving[id] }

  func identity(of object: AnyObject) -> KeyValueObjectID? {
    if let entry = entries[ObjectIdentifier(object)] {
      return hidden.contains(ObjectIdentifier(object)) ? nil : entry.id
    }
    if let entry = departing[ObjectIdentifier(object)] {
      if hidden.contains(ObjectIdentifier(object)) { return nil }
      if passing.remove(ObjectIdentifier(object)) != nil { mentioned.append(entry) }
      return entry.id
    }
    return reserved.isEmpty ? nil : reserved[ObjectIdentifier(object)]
  }

  /// The id of an object in the graph, or of one whose departure is being delivered.
  func id(of object: AnyObject) -> KeyValueObjectID? {
    identity(of: object) ?? leaving[ObjectIdentifier(object)]?.id
  }

  /// Writes the record with which objects arrive and leave; both have their ids in it.
  func writing<Result>(_ settled: Settled, _ body: () throws -> Result) rethrows -> Result {
    for entry in settled.left + settled.passed { departing[ObjectIdentifier(entry.object)] = entry }
    passing = Set(settled.passed.map { ObjectIdentifier($0.object) })
    justArrived = Set(settled.arrived.map { ObjectIdentifier($0.object) }).union(passing)
    defer { (departing, passing, mentioned, justArrived) = ([:], [], [], []) }
    return try body()
  }

  /// The next object that entered and left, and that the record refers to.
  func takeMentioned() -> Entry? { mentioned.isEmpty ? nil : mentioned.removeFirst() }

  /// What a weak key's value doesn't refer to.
  enum Outside {
    case nothing
    /// What arrives with the record: the value is from before it.
    case arriving
    /// What leaves with the record: the value is from after it.
    case leaving
  }

  /// Writes a value.
  func hiding<Result>(_ outside: Outside, _ body: () throws -> Result) rethrows -> Result {
    switch outside {
    case .nothing: return try body()
    case .arriving: hidden = justArrived
    case .leaving: hidden = Set(departing.keys)
    }
    defer { hidden = [] }
    return try body()
  }

  var hasNoDepartures: Bool { leaving.isEmpty }

  /// Forgets the objects that have left, when the record of it has been delivered.
  func endDepartures() {
    if leaving.isEmpty { return }
    // Objects that die here may make changes.
    let gone = leaving
    leaving = [:]
    withExtendedLifetime(gone) {}
  }

  func instance(_ id: KeyValueObjectID) throws -> any KeyValueObservable {
    guard let object = byID[id]?.object ?? arriving[id] else {
      throw KeyValueLogError.unknownObject(.init(object: id))
    }
    return object
  }

  /// An object of exactly this class that has left, if it's still alive.
  func departedObject(
    _ id: KeyValueObjectID, as type: any KeyValueObservable.Type
  ) -> (any KeyValueObservable)? {
    guard let identity = departedByID[id], let object = departed[identity]?.object,
      object.schema.type == type
    else { return nil }
    return object
  }

  /// Lets an object arrive with an id; until it enters the graph, only this finds it.
  func reserve(_ id: KeyValueObjectID, for object: any KeyValueObservable) {
    arriving[id] = object
    reserved[ObjectIdentifier(object)] = id
  }

  func endArrivals() {
    arriving = [:]
    reserved = [:]
  }

  func newRecordID() -> KeyValueRecordID { KeyValueRecordID(numbers.next()) }

  private func newID(for object: any KeyValueObservable) -> KeyValueObjectID {
    let identity = ObjectIdentifier(object)
    if let id = reserved[identity] { return id }
    if let known = departed.removeValue(forKey: identity) {
      departedByID[known.id] = nil
      if known.object === object { return known.id }
    }
    return KeyValueObjectID(numbers.next())
  }

  // MARK: Entering and leaving

  /// Counts one more relationship to an object, which enters with all that it leads to if it's new.
  ///
  /// - Throws: `KeyValueLogError`, if the class of an object can't be logged; what entered before stays.
  @discardableResult
  func enter(_ object: AnyObject, from owner: LoggedClass? = nil) throws -> Entry? {
    var work: [(object: AnyObject, owner: LoggedClass?)] = [(object, owner)]
    var first: Entry?
    while let (object, owner) = work.popLast() {
      if let entry = entries[ObjectIdentifier(object)] {
        entry.count += 1
        owner?.leads(to: entry.type)
        first = first ?? entry
        continue
      }
      guard let observable = object as? any KeyValueObservable else { continue }
      let type = try loggedClass(observable.schema)
      owner?.leads(to: type)
      let entry = Entry(newID(for: observable), observable, type)
      entry.count = owner == nil ? 0 : 1
      entries[ObjectIdentifier(object)] = entry
      byID[entry.id] = entry
      arrived.append(entry)
      journal.attach(to: observable, type.schema)
      first = first ?? entry
      for key in type.weak { note(key.references(of: object), entry, key) }
      // In reverse, so that objects enter in the order of declaration.
      for key in type.followed.reversed() {
        for target in key.references(of: object).reversed() { work.append((target, type)) }
      }
    }
    return first
  }

  /// Counts one relationship to an object less.
  func leave(_ object: AnyObject) {
    guard let entry = entries[ObjectIdentifier(object)] else { return }
    entry.count -= 1
    if entry.count == 0 {
      if !entry.isCandidate {
        entry.isCandidate = true
        candidates.append(entry)
      }
    } else if !mustSweep, entry.type.isInCycle {
      mustSweep = true
    }
  }

  /// What entered and what left since the graph last settled.
  struct Settled {
    let arrived: [Entry]
    let left: [Entry]
    /// What did both.
    let passed: [Entry]
  }

  /// Detaches the objects that the root no longer leads to.
  func settle() -> Settled {
    var gone: [Entry] = []
    while !candidates.isEmpty || mustSweep {
      while let entry = candidates.popLast() {
        entry.isCandidate = false
        if entry.isGone || entry === root { continue }
        if entry.count > 0 {
          // What leads to it now may be only what it leads to.
          mustSweep = mustSweep || entry.type.isInCycle && leadsToItself(entry)
          continue
        }
        entry.isGone = true
        gone.append(entry)
        for key in entry.type.followed {
          for target in key.references(of: entry.object) { leave(target) }
        }
      }
      guard mustSweep else { continue }
      mustSweep = false
      for entry in unreached() where !entry.isGone {
        entry.count = 0
        entry.isCandidate = true
        candidates.append(entry)
      }
    }
    for entry in gone { remove(entry) }
    let settled = Settled(
      arrived: arrived.filter { !$0.isGone }, left: gone.filter { !$0.isNew },
      passed: gone.filter(\.isNew))
    for entry in arrived { entry.isNew = false }
    arrived = []
    forgetDead()
    return settled
  }

  private func remove(_ entry: Entry) {
    journal.detach(from: entry.object, entry.type.schema)
    entries[ObjectIdentifier(entry.object)] = nil
    byID[entry.id] = nil
    let earlier = departed.updateValue(
      Departed(object: entry.object, id: entry.id), forKey: ObjectIdentifier(entry.object))
    // Another object that has died had the same address.
    if let earlier { departedByID[earlier.id] = nil }
    departedByID[entry.id] = ObjectIdentifier(entry.object)
    leaving[ObjectIdentifier(entry.object)] = entry
    for key in entry.type.weak { forget(key.references(of: entry.object), entry, key) }
  }

  private func forgetDead() {
    guard departed.count > 64, departed.count > entries.count else { return }
    departed = departed.filter { $0.value.object != nil }
    departedByID = [:]
    for (identity, gone) in departed { departedByID[gone.id] = identity }
  }

  /// The entries that the root doesn't lead to.
  private func unreached() -> [Entry] {
    guard let root else { return [] }
    markTargets(of: root)
    root.mark = sweeps
    return entries.values.filter { $0.mark != sweeps }
  }

  private func leadsToItself(_ entry: Entry) -> Bool {
    markTargets(of: entry)
    return entry.mark == sweeps
  }

  /// Marks all that an entry leads to.
  private func markTargets(of first: Entry) {
    sweeps &+= 1
    var work: [Entry] = [first]
    while let entry = work.popLast() {
      for key in entry.type.followed {
        for target in key.references(of: entry.object) {
          guard let target = entries[ObjectIdentifier(target)], target.mark != sweeps else {
            continue
          }
          target.mark = sweeps
          work.append(target)
        }
      }
    }
  }

  // MARK: Weak references

  func note(_ targets: [AnyObject], _ entry: Entry, _ key: LoggedKey) {
    for target in targets {
      weakPlaces[ObjectIdentifier(target), default: []].append(WeakPlace(entry: entry, key: key))
    }
  }

  func forget(_ targets: [AnyObject], _ entry: Entry, _ key: LoggedKey) {
    for target in targets {
      let identity = ObjectIdentifier(target)
      guard
        let index = weakPlaces[identity]?.firstIndex(where: { $0.entry === entry && $0.key === key }
        )
      else { continue }
      weakPlaces[identity]?.remove(at: index)
      if weakPlaces[identity]?.isEmpty == true { weakPlaces[identity] = nil }
    }
  }

  /// The weak keys in the graph that refer to an object now, each once.
  func weakPlaces(of object: AnyObject) -> [WeakPlace] {
    var places: [WeakPlace] = []
    for place in weakPlaces[ObjectIdentifier(object)] ?? [] where !place.entry.isGone {
      // The key of an object that died at the same address is still noted.
      if places.contains(where: { $0.entry === place.entry && $0.key === place.key }) { continue }
      let refers = place.key.references(of: place.entry.object).contains { $0 === object }
      if refers { places.append(place) }
    }
    return places
  }
}
