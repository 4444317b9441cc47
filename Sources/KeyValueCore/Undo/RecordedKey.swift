/// One key of one object, for all recorded paths that reach it.
final class RecordedKey {
  weak let object: (any KeyValueObservable)?
  let name: String
  /// The property that the key's value is read from; nil if that takes key-value coding.
  private let property: Property?
  /// The same property, if a class overrides it, or may: its setter needn't be its getter's inverse then.
  ///
  /// Nil for a key that's announced by hand, which a setter doesn't announce.
  private let disguised: Property?
  /// The last recorded change of the key.
  // Unmanaged, because it removes itself when it dies; unchecked, as stated in `KeyValueChangeRecorder`.
  @exclusivity(unchecked) private var latest: Unmanaged<UndoSlot>?

  fileprivate init(_ object: any KeyValueObservable, _ name: String) {
    self.object = object
    self.name = name
    let schema = object.schema
    let property = schema.ownCoding == nil ? schema.property(name, privately: true) : nil
    guard let property, property.isStored else {
      (self.property, disguised) = (nil, nil)
      return
    }
    self.property = property
    let isDisguised = schema.mayDisguise(property) && schema.traits(of: property).isAutomatic
    disguised = isDisguised ? property : nil
  }

  /// The key's present value, of the key's object.
  func read(from object: any KeyValueObservable) throws -> RecordedValue {
    if let property { return RecordedValue(property, of: object) }
    return RecordedValue(try object.value(forKey: name, privately: true))
  }

  /// A copy of what the key's object stores, if a getter may return something else.
  var stored: (any CapturedValue)? {
    guard let disguised, let object else { return nil }
    return disguised.captureStored(from: object)
  }

  /// Sets the value from before a change, and then stores what was stored then, if the setter has stored something
  /// else.
  ///
  /// Both are one change. What the property's `willSet` and `didSet` do follows what is stored.
  ///
  /// - Throws: `KeyValueCodingError`.
  func set(
    _ value: Any?, storing stored: (any CapturedValue)?, in object: any KeyValueObservable
  ) throws {
    func assign() throws {
      try object.setValue(value, forKey: name, privately: true)
    }
    guard let stored, let disguised, let storage = disguised.valueStorage
    else { return try assign() }
    func recorded(_ box: any CapturedValue) -> RecordedValue {
      var value = RecordedValue.other(nil)
      box.withAddress { value = RecordedValue(disguised, at: $0) }
      return value
    }
    func assignAndStore() throws {
      try assign()
      let present = storage.captureStored(object)
      if recorded(stored).isUnchanged(in: recorded(present)) != true {
        storage.store(stored, in: object)
      }
      // Storing must not be what releases the present value: its `deinit` might set this property.
      withExtendedLifetime(present) {}
    }
    try ManualMutation(object, disguised, .setting).announcing(assignAndStore)
  }

  /// Notes a change that has been recorded.
  ///
  /// An earlier change whose old value this one found has been taken back unrecorded. Undoing it will change nothing
  /// then, so it's no conflict.
  func note(_ slot: UndoSlot) {
    latest?._withUnsafeGuaranteedRef { earlier in
      if slot.overlays(earlier) { earlier.isOverlaid = true }
    }
    latest = .passUnretained(slot)
  }

  /// Forgets the last change, if it's this one.
  func forget(_ slot: UndoSlot) {
    if latest?.toOpaque() == Unmanaged.passUnretained(slot).toOpaque() { latest = nil }
  }

  func forgetLatest() { latest = nil }
}

/// The keys whose changes a recorder has seen.
struct RecordedKeys {
  private struct Place: Hashable {
    let object: ObjectIdentifier
    let key: String
  }

  private var keys: [Place: RecordedKey] = [:]
  private var limit = 64

  /// The key, the same each time while the object lives.
  mutating func key(_ name: String, of object: any KeyValueObservable) -> RecordedKey {
    let place = Place(object: ObjectIdentifier(object), key: name)
    // A new object may have a dead one's address.
    if let key = keys[place], key.object === object { return key }
    if keys.count >= limit {
      keys = keys.filter { $0.value.object != nil }
      limit = max(64, 2 * keys.count)
    }
    let key = RecordedKey(object, name)
    keys[place] = key
    return key
  }

  func forgetLatest() {
    for key in keys.values { key.forgetLatest() }
  }
}

/// A key's value as it will be when the later changes of a level are undone.
struct ValueToUndo {
  /// The value before the changes of members; nil if it isn't known.
  private let base: RecordedValue?
  /// Whether an element will be in the collection, by each element that undone set algebra has moved.
  private var isMember: [AnyHashable: Bool] = [:]

  init(_ value: RecordedValue?) { base = value }

  /// The whole value; nil if it isn't known.
  var whole: RecordedValue? { isMember.isEmpty ? base : nil }

  /// Those of some elements that the collection has; nil if that isn't known.
  func members(among elements: Set<AnyHashable>) -> Set<AnyHashable>? {
    guard var members = base?.members(among: elements) else { return nil }
    if isMember.isEmpty { return members }
    for element in elements {
      switch isMember[element] {
      case true?: members.insert(element)
      case false?: members.remove(element)
      case nil: break
      }
    }
    return members
  }

  /// Whether undoing the changes of a level, which restores another value, has led to this one without more.
  ///
  /// Of elements with indexes, nothing is compared.
  func follows(from restored: ValueToUndo?) -> Bool {
    if let base {
      guard let before = restored?.base, before.isUnchanged(in: base) == true else { return false }
    }
    let other = isMember.filter { restored?.isMember[$0] != $1 }
    if other.isEmpty { return true }
    guard let present = restored?.members(among: Set(other.keys)) else { return false }
    return other.allSatisfy { present.contains($0) == $1 }
  }

  mutating func undo(_ change: RecordedChange) {
    if change.isAlgebra {
      for element in change.new.members { isMember[element] = false }
      for element in change.old.members { isMember[element] = true }
    } else {
      self = ValueToUndo(change.kind == .setting ? change.old : nil)
    }
  }
}

extension UndoLevel {
  /// Checks that the keys have what the level's changes left, as far as that can be compared.
  ///
  /// The elements of ordered collections check themselves when they are undone.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func check() throws {
    var values: [ObjectIdentifier: ValueToUndo] = [:]
    for case let slot as UndoSlot in filledSteps.reversed() {
      guard let key = slot.key, let object = key.object, let change = slot.change else { continue }
      let identity = ObjectIdentifier(key)
      // Taken out, because a value with two references would be copied.
      let known = values.removeValue(forKey: identity)
      var value = try known ?? ValueToUndo(key.read(from: object))
      try slot.check(value)
      value.undo(change)
      values[identity] = value
    }
  }
}
