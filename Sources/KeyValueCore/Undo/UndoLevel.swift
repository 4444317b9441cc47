/// What one undo takes back: changes in the order in which they began.
final class UndoLevel {
  /// One change, or the record of one.
  class Step {
    fileprivate(set) weak var level: UndoLevel?

    /// Removes the change from its level.
    final func leaveLevel() { level?.remove(self) }

    /// Whether the change has happened.
    var isFilled: Bool { true }
    /// Whether undoing it would change anything.
    var isEffective: Bool { true }
    /// Undoes the change, or throws and changes nothing.
    func undo() throws {}
    /// The change that undoes it; nil if that records itself.
    var inverse: Step? { nil }
  }

  private(set) var steps: [Step] = []

  /// The steps whose changes have happened.
  var filledSteps: [Step] { steps.filter(\.isFilled) }
  /// Whether undoing the level would change anything.
  var isEffective: Bool { steps.contains { $0.isFilled && $0.isEffective } }

  func append(_ step: Step) {
    steps.append(step)
    step.level = self
  }

  fileprivate func remove(_ step: Step) {
    steps.removeAll { $0 === step }
  }
}

/// A record of a graph that is recorded as a whole.
final class GraphStep: UndoLevel.Step {
  /// Retains the objects that left, so that they come back as the same instances.
  private let collected: ChangeCollector.Collected
  private weak var core: LogCore?

  init(_ collected: ChangeCollector.Collected, of core: LogCore) {
    self.collected = collected
    self.core = core
  }

  override var isEffective: Bool { core != nil }

  override func undo() throws {
    try core?.apply(collected.record.inverse, from: nil, runsPropertyObservers: false)
  }
}

/// The place of one key's change, reserved when the change begins.
///
/// A change made inside another change's callbacks is delivered before it, but began later and has to be undone
/// first.
final class UndoSlot: UndoLevel.Step {
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
  /// The value that the change left; changes of the key that were made in its callbacks share it.
  var left = LeftValue()
  /// Whether the change and another one of the key were made one inside the other.
  var isOverlaid = false
  /// The change as observers received it; nil until it has happened, and if it did nothing.
  private(set) var change: KeyValueObservedChange<Any?>?
  /// More than one if several recorded paths reach the object.
  private var announcements: [Announcement] = []

  init(_ object: (any KeyValueObservable)?, _ key: String) {
    self.object = object
    self.key = key
  }

  override var isFilled: Bool { change != nil }
  override var isEffective: Bool { object != nil }

  override var inverse: UndoLevel.Step? {
    guard let object else { return nil }
    let inverse = UndoSlot(object, key)
    inverse.change = change?.inverse
    return inverse
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

  /// Fills the slot, unless the change did nothing.
  func record(_ change: KeyValueObservedChange<Any?>) {
    let isEmpty =
      change.kind == .setting
      ? isSame(change.oldValue ?? nil, change.newValue ?? nil) == true
      : change.ranges == nil && members(change.oldValue).isEmpty && members(change.newValue).isEmpty
    if !isEmpty { self.change = change }
  }

  /// Makes the inverse change, through the key's setter or proxy.
  ///
  /// - Throws: `KeyValueCodingError`, if the elements are no longer what the recorded changes left; nothing
  ///   changes then.
  override func undo() throws {
    guard let object, let change = change?.inverse else { return }
    if change.kind == .setting {
      try object.setValue(change.newValue ?? nil, forKey: key, privately: true)
    } else if let ranges = change.ranges {
      try apply(Edit(change.kind, at: ranges, elements(change.newValue)), to: object)
    } else {
      let access = try ToManyAccess(object, key, .unordered, privately: true)
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
    let access = try ToManyAccess(object, key, .distinct, privately: true)
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
