/// Applies a record to a graph: checks it as data, makes objects, decodes all values, and only then changes
/// anything.
///
/// So a record is applied whole or not at all, without anything to take back.
struct LogApplication {
  private let graph: LogGraph
  private let collector: ChangeCollector
  private let classes: LogClasses
  private let runsPropertyObservers: Bool
  /// The classes that ask for their property observers.
  private let observing: Set<ObjectIdentifier>
  /// Whether objects that come back keep the values that they have, where the record only brings them back.
  var keepsReturning = false
  /// The values with which the record creates objects, before its other edits of them.
  private var recreated: [KeyValueObjectID: [String: KeyValueLogValue]] = [:]
  private var steps: [Step] = []

  /// A change of an object that belongs to the graph, ready to be made.
  private struct Step {
    let entry: LogGraph.Entry
    let key: LoggedKey
    let action: Action

    var place: PropertyPlace { PropertyPlace(of: entry.object, id: key.property.id) }

    var setsWeakKey: Bool {
      if case .store = action { key.isWeak } else { false }
    }

    enum Action {
      case store(any CapturedValue)
      case edit(Edit)
      /// An ordered collection is set to what these edits leave.
      case amend([Edit])
      /// Elements leave a set and others enter it.
      case exchange(old: Set<AnyHashable>, new: Set<AnyHashable>)
      /// A dictionary's entry is set.
      case entry(String, KeyValueLogValue?)
    }
  }

  init(
    to graph: LogGraph, _ collector: ChangeCollector, _ classes: LogClasses,
    runsPropertyObservers: Bool, observing: Set<ObjectIdentifier> = []
  ) {
    self.observing = observing
    self.graph = graph
    self.collector = collector
    self.classes = classes
    self.runsPropertyObservers = runsPropertyObservers
  }

  // MARK: A record

  /// - Throws: `KeyValueLogError`; nothing has changed then.
  mutating func prepare(_ record: KeyValueTransactionRecord) throws {
    let application = try check(record)
    var created: [KeyValueObjectID] = []
    // The values of objects that the record deletes again.
    var passing: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    for case .create(let id, let type, let values) in record.edits {
      created.append(id)
      if keepsReturning { recreated[id] = values }
      if application.object(id) == nil { passing[id] = .init(class: type, values: values) }
    }
    try make(created) { application.object($0) ?? passing[$0] }
    if !keepsReturning { try clearWeakKeys(referringTo: created, unlessSetBy: record) }
    for (index, edit) in record.edits.enumerated() {
      guard let key = edit.key, let entry = graph.entry(edit.id) else { continue }
      do {
        try prepare(edit, entry, key)
      } catch let error as KeyValueLogError {
        throw error.completed { details in
          details.edit = index + 1
          details.object = details.object ?? edit.id
          details.type = details.type ?? entry.type.schema.name
        }
      }
    }
  }

  /// Clears the weak keys that refer to objects that come back, where the record doesn't know of it.
  ///
  /// They were set while object or target was outside of the graph, so nothing has recorded it.
  private mutating func clearWeakKeys(
    referringTo created: [KeyValueObjectID], unlessSetBy record: KeyValueTransactionRecord
  ) throws {
    for id in created {
      guard graph.isArriving(id) else { continue }
      for place in graph.weakPlaces(of: try graph.instance(id)) {
        let isSet = record.edits.contains {
          $0.id == place.entry.id && $0.key == place.key.property.key
        }
        if isSet { continue }
        try naming(place.entry) {
          steps.append(
            Step(
              entry: place.entry, key: place.key,
              action: .store(try place.key.value(of: .null, graph))))
        }
      }
    }
  }

  /// Applies the record to the values of the objects that it's about.
  private func check(_ record: KeyValueTransactionRecord) throws -> SnapshotApplication {
    // The closures don't capture the application, which would be copied for each edit.
    let graph = graph
    // In a transaction, an object may come back before it has left.
    var returning: Set<KeyValueObjectID> = []
    for case .create(let id, _, _) in record.edits {
      if let entry = graph.entry(id), graph.isLeaving(entry) { returning.insert(id) }
    }
    var present = try graph.present(of: record.edits, except: returning)
    for edit in record.edits {
      edit.forEachReference { id in
        guard present.objects[id] == nil, !returning.contains(id), let entry = graph.entry(id)
        else { return }
        present.objects[id] = .init(class: entry.type.name, values: [:])
      }
    }
    var application = SnapshotApplication(to: present)
    for edit in record.edits { try application.apply(classes.renamed(edit)) }
    try application.checkReferences()
    try checkReach(record, present, application)
    return application
  }

  /// Checks that something leads to each object that the record creates, and nothing to one that it deletes.
  private func checkReach(
    _ record: KeyValueTransactionRecord, _ present: KeyValueSnapshot,
    _ application: SnapshotApplication
  ) throws {
    var changes: [KeyValueObjectID: Int] = [:]
    var touched = Set(present.objects.keys)
    for edit in record.edits { touched.insert(edit.id) }
    for id in touched {
      if let entry = graph.entry(id), let before = present.objects[id], !before.values.isEmpty {
        entry.type.forEachFollowed(in: before) { changes[$0, default: 0] -= 1 }
      }
      if let after = application.object(id), !after.values.isEmpty {
        let type =
          try graph.entry(id)?.type
          ?? graph.loggedClass(KeyValueSchema.schema(of: classes.type(after.class)))
        type.forEachFollowed(in: after) { changes[$0, default: 0] += 1 }
      }
    }
    // Records that are applied in one transaction see what has left before the graph settles.
    let leaving = graph.countsFromLeaving()
    for (index, edit) in record.edits.enumerated() {
      let count =
        Int(graph.entry(edit.id)?.count ?? 0) - leaving[edit.id, default: 0]
        + changes[edit.id, default: 0]
      let reason: String
      switch edit {
      case .create where application.object(edit.id) != nil && count <= 0:
        reason = "nothing leads to it"
      case .delete where application.object(edit.id) == nil && count > 0:
        reason = "something still leads to it"
      default: continue
      }
      throw KeyValueLogError.invalidEdit(.init(object: edit.id, edit: index + 1, reason: reason))
    }
  }

  private mutating func prepare(
    _ edit: KeyValueEdit, _ entry: LogGraph.Entry, _ name: String
  ) throws {
    guard let key = entry.type[name] else {
      throw KeyValueLogError.unknownKey(
        .init(
          key: name,
          suggestions: nearest(to: name, among: entry.type.keys.map(\.property.key))))
    }
    if key.isConstant {
      throw KeyValueLogError.invalidEdit(.init(key: name, reason: "it's a constant"))
    }
    func hashable(_ elements: [KeyValueLogValue]) throws -> Set<AnyHashable> {
      Set(try key.elements(of: elements, graph).compactMap { $0 as? AnyHashable })
    }
    let action: Step.Action
    switch edit {
    case .create, .delete: return
    case .set(_, _, _, let new): action = .store(try key.value(of: new, graph))
    case .insert(_, _, let indexes, let elements):
      action = .edit(.insertion(IndexRanges(indexes), try key.elements(of: elements, graph)))
    case .remove(_, _, let indexes, _): action = .edit(.removal(IndexRanges(indexes)))
    case .replace(_, _, let indexes, _, let new):
      action = .edit(.replacement(IndexRanges(indexes), try key.elements(of: new, graph)))
    case .amend(_, _, let removed, let inserted):
      action = .amend([
        .removal(IndexRanges(removed.indexes)),
        .insertion(
          IndexRanges(inserted.indexes), try key.elements(of: inserted.elements, graph)),
      ])
    case .union(_, _, let elements): action = .edit(.algebra(.union, try hashable(elements)))
    case .subtract(_, _, let elements): action = .edit(.algebra(.minus, try hashable(elements)))
    case .exchange(_, _, let old, let new):
      action = .exchange(old: try hashable(old), new: try hashable(new))
    case .setEntry(_, _, let place, _, let new):
      guard case .string(let place) = place else {
        throw KeyValueLogError.typeMismatch(
          .init(key: name, reason: "an entry's key is a string, not \(place)"))
      }
      // Decoded now, so that making the change can't fail.
      if let new { _ = try key.value(of: .dictionary([place: new]), graph) }
      action = .entry(place, new)
    }
    steps.append(Step(entry: entry, key: key, action: action))
  }

  // MARK: A snapshot

  /// Prepares the changes that make the graph equal to a snapshot.
  mutating func prepare(_ snapshot: KeyValueSnapshot) throws {
    guard snapshot.root == graph.rootID else {
      throw KeyValueLogError.invalidEdit(
        .init(
          object: snapshot.root, type: graph.root?.type.name,
          reason: "the snapshot is of another graph, whose root is this object"))
    }
    let reachable = snapshot.reachable
    try make(reachable.filter { graph.entry($0) == nil }) { snapshot.objects[$0] }
    for id in reachable {
      guard let entry = graph.entry(id), let object = snapshot.objects[id] else { continue }
      try naming(entry) {
        guard
          try object.class == entry.type.name
            || classes.type(object.class) == entry.type.schema.type
        else {
          throw KeyValueLogError.invalidEdit(
            .init(reason: "it's a \(entry.type.name), not a \(object.class)"))
        }
        try prepareDifference(entry, object.values)
      }
    }
  }

  private mutating func prepareDifference(
    _ entry: LogGraph.Entry, _ values: [String: KeyValueLogValue]
  ) throws {
    if hasExactly(entry, values) { return }
    var found = 0
    for key in entry.type.keys {
      guard let new = values[key.property.key] else { continue }
      found += 1
      if try key.data(of: entry.instance, graph) == new { continue }
      if key.isConstant {
        throw KeyValueLogError.invalidEdit(
          .init(key: key.property.key, reason: "it's a constant, and has another value"))
      }
      steps.append(
        Step(entry: entry, key: key, action: .store(try key.value(of: new, graph))))
    }
    guard found < values.count,
      let unknown = values.keys.sorted().first(where: { entry.type[$0] == nil })
    else { return }
    throw KeyValueLogError.unknownKey(.init(key: unknown))
  }

  /// Whether these are the values of all keys; false also if one can't be read.
  private func hasExactly(
    _ entry: LogGraph.Entry, _ values: [String: KeyValueLogValue]
  ) -> Bool {
    guard values.count == entry.type.keys.count else { return false }
    return values.allSatisfy { name, value in
      guard let key = entry.type[name] else { return false }
      return (try? key.data(of: entry.instance, graph)) == value
    }
  }

  // MARK: New objects

  /// Makes objects, which don't belong to the graph yet, with their values.
  mutating func make(
    _ ids: [KeyValueObjectID],
    _ object: @escaping (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws {
    // The closure that makes an object on demand can't have the application.
    let (graph, classes) = (graph, classes)
    var made: [(entry: LogGraph.Entry, data: KeyValueSnapshot.Object)] = []
    let arrivals = try arrivals(ids, object)
    let wanted = arrivals.first?.type.hasConstantRelations == true ? Set(ids) : []
    // An object makes the ones that its constants refer to, so these aren't made again.
    func adopt(
      _ id: KeyValueObjectID, _ instance: any KeyValueObservable, _ data: KeyValueSnapshot.Object,
      expected: LoggedClass? = nil
    ) throws {
      let schema = instance.schema
      let type =
        if let expected, expected.schema === schema { expected } else {
          try graph.loggedClass(schema)
        }
      made.append((graph.reserve(id, for: instance, type), data))
      guard type.hasConstantRelations else { return }
      for key in type.keys where key.isConstant && key.relation != .nothing {
        var targets: [KeyValueObjectID] = []
        data.values[key.property.key]?.forEachReference { targets.append($0) }
        if key.relation == .object, let target = targets.first.flatMap(graph.present),
          key.references(of: instance).first !== target.instance
        {
          throw KeyValueLogError.invalidEdit(
            .init(
              object: id, type: schema.name, key: key.property.key,
              reason:
                "the constant was made with another object than the one it refers to. Take that one from the "
                + "values, as in $0.value(\"\(key.property.key)\")"))
        }
        for (target, child) in zip(targets, key.references(of: instance)) {
          guard wanted.contains(target), !graph.isArriving(target),
            let child = child as? any KeyValueObservable, let data = object(target)
          else { continue }
          try adopt(target, child, data)
        }
      }
    }
    var underway: [KeyValueObjectID] = []
    func make(_ arrival: Arrival) throws {
      underway.append(arrival.id)
      defer { underway.removeLast() }
      do {
        let instance =
          try graph.entry(arrival.id)?.object
          ?? graph.departedObject(arrival.id, as: arrival.type)
          ?? classes.make(
            arrival.type.schema, arrival.data.class, arrival.data.values, graph)
        try adopt(arrival.id, instance, arrival.data, expected: arrival.type)
      } catch let error as KeyValueLogError {
        throw error.completed { $0.object = $0.object ?? arrival.id }
      }
    }
    var arrivalsByID: [KeyValueObjectID: Arrival] = [:]
    graph.makes = { id in
      if arrivalsByID.isEmpty { for arrival in arrivals { arrivalsByID[arrival.id] = arrival } }
      guard let arrival = arrivalsByID[id] else { return }
      if underway.contains(id) {
        throw KeyValueLogError.invalidEdit(
          .init(
            object: id, type: arrival.type.schema.name,
            reason:
              "it's being made, and what it's made of refers to it. Leave one of the two references to a variable, "
              + "which is set afterwards"))
      }
      try make(arrival)
    }
    defer { graph.makes = nil }
    for arrival in arrivals where !graph.isArriving(arrival.id) { try make(arrival) }
    var values: [(LogGraph.Entry, LoggedKey, any CapturedValue)] = []
    for (entry, data) in made {
      let instance = entry.instance
      try naming(entry) {
        for (name, value) in data.values {
          guard let key = entry.type[name] else {
            throw KeyValueLogError.unknownKey(
              .init(
                key: name,
                suggestions: nearest(to: name, among: entry.type.keys.map(\.property.key))))
          }
          if key.isConstant {
            try checkConstant(key, of: instance, value)
            continue
          }
          if try keeps(value, entry, key) { continue }
          // An object that comes back may still have its values, and observers. What it refers to outside of
          // the graph has no data.
          let isKept =
            try key.data(of: instance, graph) == value
            && (key.isWeak || key.references(of: instance).allSatisfy(graph.knows))
          if !isKept { values.append((entry, key, try key.value(of: value, graph))) }
        }
      }
    }
    newValues = values
  }

  /// Checks that an object was made with a constant's recorded value; references are checked as it's made.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  private func checkConstant(
    _ key: LoggedKey, of instance: AnyObject, _ value: KeyValueLogValue
  ) throws {
    guard key.relation == .nothing else { return }
    let present = try key.data(of: instance, graph)
    if present == value { return }
    // A number may be written in two ways.
    let recorded = try key.data(of: key.value(of: value, graph), graph)
    if present == recorded { return }
    throw KeyValueLogError.invalidEdit(
      .init(
        key: key.property.key,
        reason: "the constant was made with \(SnapshotApplication.short(present)), not "
          + "\(SnapshotApplication.short(recorded)). Name the class in `classes`, with a closure that takes it "
          + "from the values, as in $0.value(\"\(key.property.key)\")"))
  }

  /// Whether an object that comes back keeps a key's value, because the record doesn't change the key.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`, if the record does, and something else has changed it outside of
  ///   the graph.
  private func keeps(
    _ value: KeyValueLogValue, _ entry: LogGraph.Entry, _ key: LoggedKey
  ) throws -> Bool {
    guard keepsReturning, let recorded = recreated[entry.id]?[key.property.key] else {
      return false
    }
    if recorded == value { return true }
    let present = try key.data(of: entry.instance, graph)
    // What a weak key refers to outside of the graph isn't recorded.
    if key.isWeak || present == recorded { return false }
    throw KeyValueLogError.invalidEdit(
      .init(
        key: key.property.key,
        reason: "it's \(SnapshotApplication.short(present)), not "
          + SnapshotApplication.short(recorded)))
  }

  /// An object that a record or a snapshot creates.
  private struct Arrival {
    let id: KeyValueObjectID
    let data: KeyValueSnapshot.Object
    let type: LoggedClass
  }

  /// The objects to make, those first that may make others.
  private func arrivals(
    _ ids: [KeyValueObjectID], _ object: (KeyValueObjectID) -> KeyValueSnapshot.Object?
  ) throws -> [Arrival] {
    var (first, last): ([Arrival], [Arrival]) = ([], [])
    // Objects that follow each other often have one class.
    var known: (name: String, type: LoggedClass)?
    for id in ids {
      guard let data = object(id) else { continue }
      if known?.name != data.class {
        do {
          let schema = KeyValueSchema.schema(of: try classes.type(data.class))
          known = (data.class, try graph.loggedClass(schema))
        } catch let error as KeyValueLogError {
          throw error.completed { $0.object = $0.object ?? id }
        }
      }
      guard let type = known?.type else { continue }
      let arrival = Arrival(id: id, data: data, type: type)
      if type.hasConstantRelations { first.append(arrival) } else { last.append(arrival) }
    }
    return first.isEmpty ? last : first + last
  }

  private var newValues: [(entry: LogGraph.Entry, key: LoggedKey, value: any CapturedValue)] = []

  /// Gives the new objects their values.
  private func fill() {
    for (entry, key, value) in newValues { store(value, entry, key) }
  }

  // MARK: Making the changes

  var changeCount: Int { steps.count }

  /// Whether the steps are one change, and what weak keys refer to as objects arrive and leave with it.
  var isOneChange: Bool {
    steps.count == 1
      || steps.filter { !$0.setsWeakKey }.count <= 1
        && Set(steps.map(\.place)).count == steps.count
  }

  func perform() {
    fill()
    for step in steps {
      collector.expected = [step.place]
      perform(step)
    }
    collector.endExpecting()
  }

  /// Makes one change, and what happens to weak keys with it.
  ///
  /// The change's observers are told it as it is, which a transaction wouldn't do, and first. All is stored when
  /// they're called, and the record is made.
  func performAsOne() {
    fill()
    collector.expected = steps.map(\.place)
    defer { collector.endExpecting() }
    if steps.count == 1 { return perform(steps[0]) }
    let change = steps.last { !$0.setsWeakKey }
    let weak = steps.filter { $0.entry !== change?.entry || $0.key !== change?.key }
    let mutations = weak.map { ManualMutation($0.entry.object, $0.key.property, .setting) }
    ChangeScope.enter([collector])
    defer { ChangeScope.leave([collector]) }
    let journaled = mutations.map { $0.start(isSilent: true) }
    let observed = zip(weak, mutations).map { step, mutation in
      ThreadContext.ofThisThread.leavingOutOfJournals(step.place) { mutation.start() }
    }
    func setWeakKeys() {
      for step in weak {
        if case .store(let value) = step.action { put(value, step.entry, step.key) }
      }
      for (mutation, started) in zip(mutations, journaled) { mutation.finish(started) }
    }
    if let change { perform(change, setWeakKeys) } else { setWeakKeys() }
    for (mutation, started) in zip(mutations, observed) { mutation.finish(started) }
  }

  /// Gives new objects their values, before they belong to a graph.
  func performArrivals() { fill() }

  /// Makes a change; `others` is called when its priors have been, before it's stored.
  private func perform(_ step: Step, _ others: () -> Void = {}) {
    let (object, property) = (step.entry.object, step.key.property)
    switch step.action {
    case .store(let value): store(value, step.entry, step.key, others)
    case .edit(let edit): change(edit, step.entry, step.key, others)
    case .amend(let edits):
      let value =
        property.valueStorage?.captureStored(object, after: edits)
        ?? property.captureStored(from: object)
      store(value, step.entry, step.key, others)
    case .exchange(let old, let new):
      var present: Set<AnyHashable> = []
      property.captureStored(from: object).withAddress {
        present = (property.anyValue(at: $0) as? any ToMany)?.anyElements.hashableElements ?? []
      }
      change(.algebra(.set, present.subtracting(old).union(new)), step.entry, step.key, others)
    case .entry(let place, let value):
      guard case .dictionary(var entries)? = try? step.key.data(of: object, graph) else { return }
      entries[place] = value
      guard let whole = try? step.key.value(of: .dictionary(entries), graph) else { return }
      store(whole, step.entry, step.key, others)
    }
  }

  private func store(
    _ value: any CapturedValue, _ entry: LogGraph.Entry, _ key: LoggedKey,
    _ others: () -> Void = {}
  ) {
    let mutation = ManualMutation(entry.object, key.property, .setting)
    let started = mutation.start()
    others()
    put(value, entry, key)
    mutation.finish(started)
  }

  private func runsPropertyObservers(of entry: LogGraph.Entry) -> Bool {
    runsPropertyObservers
      || !observing.isEmpty && observing.contains(ObjectIdentifier(Swift.type(of: entry.object)))
  }

  private func put(_ value: any CapturedValue, _ entry: LogGraph.Entry, _ key: LoggedKey) {
    if runsPropertyObservers(of: entry), let storage = key.property.valueStorage {
      storage.store(value, in: entry.object)
    } else {
      key.property.storeSilently(value, in: entry.object)
    }
  }

  private func change(
    _ edit: Edit, _ entry: LogGraph.Entry, _ key: LoggedKey, _ others: () -> Void
  ) {
    let mutation = ManualMutation(entry.object, key.property, edit, isChecked: true)
    let started = mutation.start()
    others()
    if runsPropertyObservers(of: entry), let storage = key.property.valueStorage {
      storage.store(storage.captureStored(entry.object, after: [edit]), in: entry.object)
    } else {
      key.property.editSilently(edit, in: entry.object)
    }
    mutation.finish(started)
  }
}

extension LogGraph {
  /// The present values of what the edits change, of the objects that belong to the graph.
  func present(
    of edits: [KeyValueEdit], except returning: Set<KeyValueObjectID> = []
  ) throws -> KeyValueSnapshot {
    var present = KeyValueSnapshot(root: rootID)
    for edit in edits where !returning.contains(edit.id) {
      guard let entry = entry(edit.id) else { continue }
      if let key = edit.key, let logged = entry.type[key] {
        if present.objects[edit.id]?.values[key] != nil { continue }
        let value = try naming(entry) { try logged.data(of: entry.instance, self) }
        present.objects[edit.id, default: .init(class: entry.type.name, values: [:])]
          .values[key] = value
      } else {
        // A deletion compares all values, and an unknown key is reported with the known ones.
        present.objects[edit.id] = .init(class: entry.type.name, values: try values(of: entry))
      }
    }
    return present
  }
}

extension LogClasses {
  /// The edit with the present name of its class.
  func renamed(_ edit: KeyValueEdit) throws -> KeyValueEdit {
    switch edit {
    case .create(let id, let name, let values):
      .create(id, class: recordedName(of: try type(name)), values: values)
    case .delete(let id, let name, let values):
      .delete(id, class: recordedName(of: try type(name)), values: values)
    default: edit
    }
  }
}

extension KeyValueSnapshot {
  /// The objects that the root leads to, nearest first.
  var reachable: [KeyValueObjectID] {
    var seen = Set<KeyValueObjectID>(minimumCapacity: objects.count)
    seen.insert(root)
    var order = [root]
    var next = 0
    while next < order.count {
      var relations: [(key: String, value: KeyValueLogValue)] = []
      for (key, value) in objects[order[next]]?.values ?? [:] where value.mayRefer {
        relations.append((key, value))
      }
      if relations.count > 1 { relations.sort { $0.key < $1.key } }
      for (_, value) in relations {
        value.forEachReference { if seen.insert($0).inserted { order.append($0) } }
      }
      next += 1
    }
    return order
  }
}

extension KeyValueLogValue {
  /// Whether the value is a reference or may contain one.
  var mayRefer: Bool {
    switch self {
    case .reference, .array, .dictionary: true
    case .null, .bool, .integer, .number, .string: false
    }
  }
}

extension KeyValueEdit {
  /// Calls the body with each reference that the edit writes.
  func forEachReference(_ body: (KeyValueObjectID) -> Void) {
    let written: [KeyValueLogValue] =
      switch self {
      case .create(_, _, let values): Array(values.values)
      case .delete, .remove, .subtract: []
      case .set(_, _, _, let new): [new]
      case .insert(_, _, _, let elements), .union(_, _, let elements): elements
      case .replace(_, _, _, _, let new), .exchange(_, _, _, let new): new
      case .amend(_, _, _, let inserted): inserted.elements
      case .setEntry(_, _, _, _, let new): new.map { [$0] } ?? []
      }
    for value in written { value.forEachReference(body) }
  }
}
