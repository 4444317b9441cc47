/// What takes a part of a transaction back: the earlier values of the properties that are set in it, and what it
/// has changed of the notifications that were pending before it.
///
/// The log keeps each property's first value, not the edits. Restoring that value also reverts unannounced
/// changes, and each property is stored once. A change recorder makes changes of its own, which are announced
/// and can be refused; neither may happen here.
///
/// A process-wide count of open logs makes the setters of unobserved objects note their values, too
/// (`KeyValueRegistrar.storesDirectly`).
final class RollbackLog {
  private struct Record {
    weak let object: (any KeyValueObservable)?
    let property: Property
    let value: any CapturedValue
  }

  /// How many notifications were pending when the part began.
  let entryCount: Int
  /// Those of them that the part has changed, by their places, as it found them.
  private(set) var entries: [Int: TransactionEntries.Saved] = [:]
  /// In the order in which the properties were first set.
  private var records: [Record] = []
  private var indexes: [ObjectKey: Int] = [:]
  /// The values that restoring replaces.
  ///
  /// What their `deinit` changes is a change like any other, so they die with the log, when nothing is being
  /// restored any more.
  private var replaced: [any CapturedValue] = []

  init(entryCount: Int) {
    self.entryCount = entryCount
    KeyValueRegistrar.countRollback(1)
  }

  /// Ends the noting of values.
  func end() {
    KeyValueRegistrar.countRollback(-1)
  }

  // MARK: Notifications

  /// Keeps a pending notification that the part is about to change, or that a part inside it has changed.
  func keep(_ place: Int, _ saved: @autoclosure () -> TransactionEntries.Saved) {
    if place < entryCount, entries.index(forKey: place) == nil { entries[place] = saved() }
  }

  // MARK: Values

  func holds(_ object: any KeyValueObservable, _ property: Property) -> Bool {
    guard let index = indexes[ObjectKey(object, property)] else { return false }
    // A new object may have the address of one that has died.
    return records[index].object === object
  }

  func note(_ object: any KeyValueObservable, _ property: Property, _ value: any CapturedValue) {
    // Reading the value may have run code that set the same key.
    if holds(object, property) { return }
    indexes[ObjectKey(object, property)] = records.count
    records.append(Record(object: object, property: property, value: value))
  }

  /// Restores all properties, last first.
  func restore() {
    // All of them first: restoring one property may run code that sets another.
    replaced = records.compactMap { record -> (any CapturedValue)? in
      guard let object = record.object, let storage = record.property.valueStorage,
        !storage.isTrivial
      else { return nil }
      return storage.captureStored(object)
    }
    for record in records.reversed() {
      guard let object = record.object else { continue }
      // Nothing is announced, but what is attached to the value has to follow it.
      let mutation = ManualMutation(object, record.property, .setting)
      let started = mutation.start()
      if let started, record.property is AnsweredProperty {
        // The class's own code makes the change, and setting by key announces it.
        mutation.muting(started) { record.property.restore(record.value, in: object) }
      } else {
        record.property.restore(record.value, in: object)
      }
      mutation.finish(started)
    }
    for record in records { reportIfLost(record) }
  }

  /// Notifies Observation of what has been restored.
  ///
  /// What it calls may make changes, which aren't taken back.
  func notifyObservation() {
    for record in records {
      guard let object = record.object else { continue }
      record.property.valueStorage?.tracking?(object) {}
    }
  }

  /// Reports a key whose value isn't the earlier one, although every stored property is back.
  ///
  /// A key that depends on others is as they are, and may have been announced after they had changed.
  private func reportIfLost(_ record: Record) {
    let property = record.property
    guard !property.isStored, let object = record.object,
      object.schema.traits(of: property).dependencies.isEmpty,
      !object.schema.isMadeOfOthers(property.key)
    else { return }
    var earlier: Any?
    record.value.withAddress { earlier = property.anyValue(at: $0) }
    let present = property.anyValue(of: object)
    let isLost =
      if let earlier, let present { isEqual(earlier, present) == false } else {
        (earlier == nil) != (present == nil)
      }
    guard isLost else { return }
    KeyValueViolation.report(
      .tolerated,
      "\(object.schema.name).\(property.key) was changed in a transaction that was rolled back, and can't be "
        + "taken back: it isn't stored in an observable property. Give it a setter, store its value in an "
        + "observable property, or take the change back where the error is caught.")
  }
}

extension Property {
  /// Puts back a value that was captured before.
  fileprivate func restore(_ value: any CapturedValue, in object: any KeyValueObservable) {
    if valueStorage != nil || hasSetter {
      return storeSilently(value, in: object, isTracked: false)
    }
    if self is AnsweredProperty {
      // What can't be set is reported as lost.
      value.withAddress { try? object.setValue(anyValue(at: $0), forKey: key) }
      return
    }
    // The key has only accessor methods.
    let elements = value.anyElements.map { $0 ?? Optional<Any>.none as Any }
    if let access = (try? ToManyAccess(object, key, .ordered))
      ?? (try? ToManyAccess(object, key, .unordered))
    {
      access.replaceAll(with: elements)
    } else if isStored {
      // Only a handwritten schema has such a key.
      KeyValueViolation.report(
        .tolerated,
        "\(object.schema.name).\(key) was not taken back after an error: its schema has no setter for "
          + "it. Give its line in _$kvoDefineKeys(in:) a `set:`; restrictedSetter(_:to:) keeps others "
          + "from it.")
    }
  }
}
