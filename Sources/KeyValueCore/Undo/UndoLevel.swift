/// What one undo takes back: changes in the order in which they began.
final class UndoLevel {
  /// The slot of one change, reserved when the change begins.
  ///
  /// A change made inside another change's callbacks is delivered before it, but began later and
  /// has to be undone first.
  final class Slot {
    /// One observance's prior for the change.
    private struct Announcement {
      let token: KeyValueObservation
      var isOver = false
    }

    let key: String
    /// The object that had the key when the change began.
    ///
    /// Not retained, because a dead object needs no undo.
    weak let object: (any KeyValueObservable)?
    fileprivate(set) weak var level: UndoLevel?
    /// The change as observers received it; nil until it has happened, and if it did nothing.
    fileprivate(set) var change: KeyValueObservedChange<Any?>?
    /// More than one if several recorded paths reach the object.
    private var announcements: [Announcement] = []

    init(_ object: (any KeyValueObservable)?, _ key: String) {
      self.object = object
      self.key = key
    }

    func announce(by token: KeyValueObservation) {
      announcements.append(Announcement(token: token))
    }

    func isAnnounced(by token: KeyValueObservation) -> Bool {
      announcements.contains { $0.token === token }
    }

    /// Whether the observance has delivered its prior but not its post.
    func awaits(_ token: KeyValueObservation) -> Bool {
      announcements.contains { $0.token === token && !$0.isOver }
    }

    func endAnnouncement(by token: KeyValueObservation) {
      guard let index = announcements.firstIndex(where: { $0.token === token }) else { return }
      announcements[index].isOver = true
    }

    /// Whether the change is fully delivered: an observance that has ended delivers nothing.
    var isOver: Bool { announcements.allSatisfy { $0.isOver || !$0.token.isValid } }
  }

  private(set) var slots: [Slot] = []

  /// The slots whose changes have happened.
  var filledSlots: [Slot] { slots.filter { $0.change != nil } }
  /// Whether undoing the level would change anything.
  var isEffective: Bool { slots.contains { $0.change != nil && $0.object != nil } }

  func append(_ slot: Slot) {
    slots.append(slot)
    slot.level = self
  }

  /// Appends the inverse of a change, unless its object has died.
  func appendInverse(of slot: Slot) {
    guard let object = slot.object else { return }
    let inverse = Slot(object, slot.key)
    inverse.change = slot.change?.inverse
    append(inverse)
  }

  /// Forgets all changes but the first ones.
  func removeAll(after count: Int) {
    // Objects that die with the slots may make changes.
    let all = slots
    slots = Array(all.prefix(count))
    withExtendedLifetime(all) {}
  }

  func remove(_ slot: Slot) {
    slots.removeAll { $0 === slot }
  }
}

extension UndoLevel.Slot {
  /// Fills the slot, unless the change did nothing.
  func record(_ change: KeyValueObservedChange<Any?>) {
    if change.kind != .setting, change.ranges == nil, members(change.oldValue).isEmpty,
      members(change.newValue).isEmpty
    {
      return
    }
    self.change = change
  }

  /// Makes the inverse change, through the key's setter or proxy.
  ///
  /// - Throws: `KeyValueCodingError`, if the value is no longer what the recorded changes left;
  ///   nothing changes then.
  func undo() throws {
    guard let object, let change = change?.inverse else { return }
    if change.kind == .setting {
      try object.setValue(change.newValue ?? nil, forKey: key)
    } else if let ranges = change.ranges {
      try apply(Edit(change.kind, at: ranges, elements(change.newValue)), to: object)
    } else {
      let access = try ToManyAccess(object, key, .unordered)
      let (left, entered) = (members(change.oldValue), members(change.newValue))
      switch change.kind {
      case .insertion: access.apply(.algebra(.union, entered))
      case .removal: access.apply(.algebra(.minus, left))
      case .setting, .replacement:
        let present = access.elements.hashableElements
        access.apply(.algebra(.set, present.subtracting(left).union(entered)))
      }
    }
  }

  private func apply(_ edit: Edit, to object: any KeyValueObservable) throws {
    guard let indexes = edit.ranges else { return }
    let growth = edit.kind == .insertion ? indexes.count : 0
    // What the class's accessors change may be an ordered set.
    let access = try ToManyAccess(object, key, .distinct)
    func conflict(_ state: String) -> KeyValueCodingError {
      .indexOutOfRange(
        .init(
          type: object.schema.name, key: key,
          reason:
            "the recorded change was at \(listing(indexes.set)), and \(state); something changed "
            + "them without being recorded"))
    }
    if let last = indexes.ranges.last, last.upperBound > access.count + growth {
      throw conflict("there are \(access.count) elements now")
    }
    #if OrderedCollections
      if let element = access.firstRepeated(in: edit) {
        throw conflict("\(plainDescription(element)) is there already")
      }
    #endif
    access.apply(edit)
  }
}

/// The elements of an ordered to-many value.
private func elements(_ value: Any??) -> [Any] {
  // A nil element belongs to an optional element type.
  ((value ?? nil) as? any ToMany)?.anyElements.map { $0 ?? Optional<Any>.none as Any } ?? []
}

/// The elements of an unordered to-many value.
private func members(_ value: Any??) -> Set<AnyHashable> {
  ((value ?? nil) as? any ToMany)?.anyElements.hashableElements ?? []
}
