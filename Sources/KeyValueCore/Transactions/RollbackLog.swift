/// The earlier values of the keys that are set in a transaction.
///
/// The log keeps each key's first value, not the edits. Restoring that value also reverts
/// unannounced changes, and each setter runs once. A change recorder makes changes of its own,
/// which are announced and can be refused; neither may happen here.
///
/// An unobserved object announces nothing. Witnesses, which are never notified, therefore observe
/// the named objects until the log ends.
final class RollbackLog {
  private struct Place: Hashable {
    let object: ObjectIdentifier
    let id: Int
  }

  private struct Record {
    weak let object: (any KeyValueObservable)?
    let property: Property
    let value: any CapturedValue
  }

  /// In the order in which the keys were first set.
  private var records: [Record] = []
  private var indexes: [Place: Int] = [:]
  private var witnesses: [Observance] = []
  /// Empty, because a witness's watch has what it observes.
  private static let path = ObservedPath([])

  init(_ objects: [any KeyValueObservable]) {
    for object in objects { watch(object) }
  }

  private func watch(_ object: any KeyValueObservable) {
    let schema = object.schema
    for property in schema.properties where property.isStored {
      let witness = Observance(RollbackLog.path, options: [], policy: .witness) { _, _, _ in }
      witness.attach(to: property, of: object, in: schema)
      witnesses.append(witness)
    }
  }

  /// Ends the observation of the objects.
  func end() {
    for witness in witnesses { witness.end() }
    witnesses = []
  }

  // MARK: Values

  func holds(_ object: any KeyValueObservable, _ property: Property) -> Bool {
    guard let index = indexes[Place(object: ObjectIdentifier(object), id: property.id)] else {
      return false
    }
    // A new object may have the address of one that has died.
    return records[index].object === object
  }

  func note(_ object: any KeyValueObservable, _ property: Property, _ value: any CapturedValue) {
    // Reading the value may have run code that set the same key.
    if holds(object, property) { return }
    indexes[Place(object: ObjectIdentifier(object), id: property.id)] = records.count
    records.append(Record(object: object, property: property, value: value))
  }

  /// Restores all keys, last first.
  func restore() {
    for record in records.reversed() {
      guard let object = record.object else { continue }
      let property = record.property
      if property.origin == .stored, object.schema.traits(of: property).isAutomatic {
        property.restore(record.value, of: object)
        continue
      }
      // The setter announces nothing, but what is attached to the value still has to follow it.
      let mutation = ManualMutation(object, property, .setting)
      let started = mutation.start()
      property.restore(record.value, of: object)
      mutation.finish(started)
    }
  }
}

extension Property {
  /// Whether the object stores the value and announces its changes, automatically or by hand.
  fileprivate var isStored: Bool { origin == .stored || origin == .manual }

  /// Sets a value that was captured before.
  fileprivate func restore(_ value: any CapturedValue, of object: any KeyValueObservable) {
    if hasSetter { return set(value, of: object) }
    // The key has only accessor methods.
    let elements = value.anyElements.map { $0 ?? Optional<Any>.none as Any }
    if let access = try? ToManyAccess(object, key, .ordered) {
      access.apply(.removal(IndexRanges(0..<access.count)))
      access.apply(.insertion(IndexRanges(0..<elements.count), elements))
    } else if let access = try? ToManyAccess(object, key, .unordered) {
      access.apply(.algebra(.set, Set(elements.compactMap { $0 as? AnyHashable })))
    } else if isStored {
      // Only a handwritten schema has such a key. A computed key follows the keys that it depends on.
      KeyValueViolation.report(
        .tolerated,
        "\(object.schema.name).\(key) was not taken back after an error: its schema has no setter for "
          + "it. Give its line in _$kvoDefineKeys(in:) a `set:`; restrictedSetter(_:to:) keeps others "
          + "from it.")
    }
  }
}
