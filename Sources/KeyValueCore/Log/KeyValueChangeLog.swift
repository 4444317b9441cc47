/// Every change of a graph of objects, as data.
///
/// A log is attached to an object and to all that strong stored relationships lead to from it. It makes a
/// ``KeyValueTransactionRecord`` of each outermost transaction and of each change outside of transactions:
///
/// ```swift
/// let log = try KeyValueChangeLog(of: company)
/// let observation = log.observe { record in print(record.edits[0]) }
/// company.name = "Analytical Engines"
/// // set 7f3c2d1a.name: "Engines" -> "Analytical Engines"
/// ```
///
/// A record applied to an equal graph gives an equal graph, and notifies its observers as the change did where
/// it was made. So records are all that's needed to save, undo, send, replay and draw a model.
///
/// - All stored keys belong to a record, private ones too. Computed and `@KeyValueIgnored` ones don't.
/// - An object that a relationship leads to for the first time enters: a `create` edit has its values. One
///   that nothing leads to at the end of a transaction leaves: `delete`. Moving is neither.
/// - Weak and unowned references are written as ids, or as nil if they lead out of the graph. They don't make
///   an object part of it.
/// - An observable object inside a value, such as a structure's property or an enum's payload, is written as its id
///   if a key of the graph leads to it, too. Otherwise it's an error at attachment, and a violation if the value enters
///   later.
/// - What is rolled back isn't recorded.
/// - A record is delivered after the observers of its change have been called.
///
/// The log retains the root, and the objects of the graph while they belong to it. Keep the log: a token of its
/// observer doesn't, and when the log is released, the observer isn't called any more. Debug builds report a log
/// that ended within a tenth of a second, without a change in between, when its graph changes while the token is
/// kept.
///
/// Threading: use a log, and the objects of its graph, in one place: on one actor or one thread. Release the log there,
/// too: an owner on an actor that may die elsewhere has an `isolated deinit`.
///
/// Cost: a set of a logged object takes 100 ns, three times as long as one with an observer, and 250 ns, seven times
/// as long, if an observer of the log reads each record's values; entering and leaving are proportional to the
/// objects that enter and leave. Where strong relationships lead in a circle, a change that takes away the known way
/// from the root to an object goes through the graph. A collection that's assigned or changed in place is compared, and
/// copied by the change, in a transaction once for all changes; through a proxy it isn't.
///
/// Limits: `lazy` properties and properties with a wrapper are recorded if they're announced by hand. An object
/// that enters the graph in the middle of its own change, from a callback of the prior or from `willSet`, enters
/// with the value from before, and that change isn't recorded.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public final class KeyValueChangeLog<Root: KeyValueObservable> {
  /// The object that leads to all others.
  public let root: Root
  let core: LogCore

  /// Attaches to an object and to all that it leads to.
  ///
  /// - Parameters:
  ///   - root: The object that leads to all others.
  ///   - classes: Classes whose objects take more than `init()` to make, renamed ones, and those that restoring
  ///     can't find: a private, local or generic subclass, or a class behind a protocol.
  /// - Throws: `KeyValueLogError.notLoggable` if a stored key can't be written, if one of the type `Any` or of a
  ///   protocol holds something else than observable objects, or if a value has an observable object inside that no
  ///   key of the graph leads to; `unknownClass` if objects of a class can't be made. Nothing
  ///   is attached then.
  /// - Complexity: O(*n*), where *n* is the number of objects. A value is encoded once if its type may hold objects
  ///   without being a reference or a collection of them, as a structure with a class inside may.
  public init(of root: Root, classes: [KeyValueLogClass] = []) throws {
    self.root = root
    core = LogCore(LogClasses(classes))
    try core.attach(to: root)
  }

  /// Attaches to an object, for records that are only read: objects of every class may enter.
  package init(reading root: Root) throws {
    self.root = root
    core = LogCore(LogClasses([], makesObjects: false))
    try core.attach(to: root)
  }

  /// Makes the graph of a snapshot, and attaches to it.
  ///
  /// - Parameters:
  ///   - snapshot: The values of all objects.
  ///   - type: The root's class.
  ///   - classes: Classes whose objects take more than `init()` to make, or that were renamed, and those that
  ///     can't be found. The log finds the root's class, the classes that stored keys' types mention, and subclasses
  ///     of these that are neither private nor local nor generic.
  /// - Throws: `KeyValueLogError`; `unknownClass` if the snapshot's root is of another class.
  public convenience init(
    restoring snapshot: KeyValueSnapshot, as type: Root.Type, classes: [KeyValueLogClass] = []
  ) throws {
    try self.init(restoring: snapshot, as: type, knowing: LogClasses(classes))
  }

  init(restoring snapshot: KeyValueSnapshot, as type: Root.Type, knowing classes: LogClasses) throws
  {
    var known = classes
    known.note(type)
    try known.checkRoot(of: snapshot, as: type)
    core = LogCore(known)
    let object = try core.restore(snapshot)
    guard let root = object as? Root else {
      core.graph.detachAll()
      throw KeyValueLogError.typeMismatch(
        .init(
          object: snapshot.root, type: snapshot.objects[snapshot.root]?.class,
          reason: "the snapshot's root isn't of class \(name(of: type))"))
    }
    self.root = root
  }

  // MARK: Records

  /// Calls a handler with each record.
  ///
  /// ```swift
  /// let observation = log.observe { record in file.append(record) }
  /// ```
  ///
  /// It's called on the thread that makes the change, after the observers of the change. Records of changes that
  /// the handler makes follow.
  ///
  /// - Parameter handler: Called with each record.
  /// - Returns: The token; the observation ends with it, and with the log.
  public func observe(
    _ handler: @escaping (KeyValueTransactionRecord) -> Void
  ) -> KeyValueObservation {
    core.observe(handler)
  }

  // MARK: State

  /// The values of all stored keys of the graph.
  ///
  /// ```swift
  /// let bytes = try log.snapshot().json()
  /// ```
  ///
  /// - Returns: The snapshot.
  /// - Throws: `KeyValueLogError.notLoggable` if a value can't be written.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public func snapshot() throws -> KeyValueSnapshot { try core.snapshot() }

  /// An object's id; nil if it doesn't belong to the graph.
  ///
  /// While the record of an object's departure is delivered, the object still has its id. An object that comes
  /// back while it's alive gets its id back.
  ///
  /// - Complexity: O(1).
  public func id(of object: some KeyValueObservable) -> KeyValueObjectID? {
    core.graph.id(of: object)
  }

  /// The object with an id; nil if it doesn't belong to the graph.
  ///
  /// While the record of an object's departure is delivered, the object is still found.
  ///
  /// - Complexity: O(1).
  public func object(_ id: KeyValueObjectID) -> (any KeyValueObservable)? {
    core.graph.object(id)
  }

  /// The objects of the graph, with their ids.
  package var objects: [(id: KeyValueObjectID, object: any KeyValueObservable)] {
    core.graph.entries.values.map { ($0.id, $0.object) }
  }

  // MARK: Applying

  /// Makes a record's changes in this graph, whole or not at all.
  ///
  /// The graph has to be as the one that the record was made on: each edit's old value, or the elements that it
  /// removes, are what's there. Observers of the graph are notified as they would have been there; of a
  /// transaction, at its end. The log's own observers get the record, too.
  ///
  /// ```swift
  /// try replica.apply(record, from: "server")
  /// try replica.apply(record.inverse)               // takes it back
  /// ```
  ///
  /// Inside an open transaction, the changes are part of that.
  ///
  /// Observers may apply another record once all changes of this one have been made: observers of its only change,
  /// those that are told at a transaction's end, and those of the log.
  ///
  /// What observers change meanwhile stays. If it leaves a collection too short for one of the record's edits, elements
  /// are inserted at its end, and what isn't there is neither removed nor replaced. An ordered set doesn't get an
  /// element that it has again.
  ///
  /// - Parameters:
  ///   - record: The changes.
  ///   - origin: Where the record comes from; the log's observers find it in `record.origin`. Without it, the
  ///     record's own origin stays.
  ///   - runsPropertyObservers: Whether `willSet` and `didSet` run. What they change is another change.
  /// - Throws: `KeyValueLogError`, which names the edit, the object and the key; `incompleteChange` if another record
  ///   is being applied, whose changes haven't all been made. Nothing has changed then.
  /// - Complexity: Linear in the size of the record and of the values that it changes.
  public func apply(
    _ record: KeyValueTransactionRecord, from origin: String? = nil,
    runsPropertyObservers: Bool = false
  ) throws {
    try core.apply(record, from: origin, runsPropertyObservers: runsPropertyObservers)
  }

  /// Makes the graph equal to a snapshot of it, in one transaction.
  ///
  /// Only what differs is set. Objects that the snapshot lacks leave, others enter; those that stay are the same
  /// instances, with their observers.
  ///
  /// - Parameters:
  ///   - snapshot: The state to get to; its root is this graph's.
  ///   - origin: Where the snapshot comes from, as for a record.
  ///   - runsPropertyObservers: Whether `willSet` and `didSet` run.
  /// - Throws: `KeyValueLogError`, as for a record; nothing has changed then.
  public func apply(
    _ snapshot: KeyValueSnapshot, from origin: String? = nil, runsPropertyObservers: Bool = false
  ) throws {
    try core.apply(snapshot, from: origin, runsPropertyObservers: runsPropertyObservers)
  }
}

extension KeyValueChangeLog: CustomStringConvertible {
  /// The root's class and the number of objects: `KeyValueChangeLog(Company, 12 objects)`.
  public var description: String {
    let count = core.graph.entries.count
    return "KeyValueChangeLog(\(name(of: Root.self)), \(count) object\(count == 1 ? "" : "s"))"
  }
}
