/// The place of one key's change, reserved when the change begins.
///
/// A change made inside another change's callbacks is delivered before it, but began later and has to be undone
/// first.
final class UndoSlot: UndoLevel.Step {
  /// A change that a prior's handler has made, and the key's value after it.
  struct MadeInPriors {
    let slot: UndoSlot
    let value: RecordedValue
    fileprivate let stored: (any CapturedValue)?

    init(slot: UndoSlot, value: RecordedValue) {
      (self.slot, self.value) = (slot, value)
      stored = slot.key?.stored
    }
  }

  /// One observance's prior for the change.
  private struct Announcement {
    let observance: Observance
    var isOver = false
  }

  /// The key whose change it is; nil if the recorded path led nowhere when the change began.
  ///
  /// Its object isn't retained, because a dead object needs no undo.
  let key: RecordedKey?
  // Unchecked: as stated in `KeyValueChangeRecorder`.
  /// The value that the change left; nil if that isn't known.
  @exclusivity(unchecked) private var ownLeft: RecordedValue?
  /// The same, if the change and another one of the key were made one inside the other.
  @exclusivity(unchecked) private var sharedLeft: SharedLeft?
  /// Whether the key had another value later than this change left, because another change of the key was made
  /// around it or inside it, or something took it back unrecorded.
  @exclusivity(unchecked) var isOverlaid = false
  /// Whether what the change left isn't compared, because its key isn't recorded any more, or observers that
  /// answered an undo have changed it.
  @exclusivity(unchecked) private var isForgotten = false
  /// The changes of the key that handlers of the change's priors have made, which precede it.
  @exclusivity(unchecked) var madeInPriors: [MadeInPriors] = []
  /// The last step that its level had when these handlers had been called.
  @exclusivity(unchecked) var lastBefore: UndoLevel.Step?
  /// The change as observers received it; nil until it has happened, and if it did nothing.
  @exclusivity(unchecked) private(set) var change: RecordedChange? {
    // An edit of elements is undone without it, and it may be a large collection.
    didSet { if change?.kind != .setting { stored = nil } }
  }
  /// What was stored when the change began, if it's a setting and the key's getter may return something else.
  @exclusivity(unchecked) private var stored: (any CapturedValue)?
  /// More than one if several recorded paths reach the object.
  @exclusivity(unchecked) private var announcements = ShortList<Announcement>()

  init(_ key: RecordedKey?) {
    self.key = key
    stored = key?.stored
  }

  deinit { key?.forget(self) }

  override var isFilled: Bool { change != nil }
  override var isEffective: Bool { key?.object != nil }

  override var inverse: UndoLevel.Step? {
    guard let key, let object = key.object, let change else { return nil }
    let inverse = UndoSlot(key)
    inverse.change = change.inverse
    // What undoing later changes has called, such as a `didSet`, may have done it already.
    if change.isAlgebra, let present = try? key.read(from: object) {
      inverse.change = change.inverse(missingFrom: present)
      if inverse.change == nil { return nil }
    }
    // A change around this one may have overwritten it, and been undone before it.
    if change.kind == .setting, let present = try? key.read(from: object) {
      if present.isUnchanged(in: change.old) == true { return nil }
      inverse.change = RecordedChange(kind: .setting, ranges: nil, old: present, new: change.old)
    }
    return inverse
  }

  func announce(by observance: Observance) {
    announcements.append(Announcement(observance: observance))
  }

  func isAnnounced(by observance: Observance) -> Bool {
    announcements.contains { $0.observance === observance }
  }

  /// Notes that an observance that has delivered its prior delivers its post.
  ///
  /// - Returns: False if it has delivered no prior, or its post already.
  func endAnnouncement(by observance: Observance) -> Bool {
    if case .one(let announcement) = announcements {
      guard announcement.observance === observance, !announcement.isOver else { return false }
      announcements = .one(Announcement(observance: observance, isOver: true))
      return true
    }
    let index = announcements.firstIndex { $0.observance === observance && !$0.isOver }
    guard let index else { return false }
    announcements[index].isOver = true
    return true
  }

  /// Whether the change is fully delivered: an observance that has ended delivers nothing.
  var isOver: Bool {
    if case .one(let announcement) = announcements, announcement.isOver { return true }
    return announcements.allSatisfy { $0.isOver || !$0.observance.isActive }
  }

  /// Releases what only a change in progress needs.
  func forgetProgress() {
    announcements = ShortList()
    if !madeInPriors.isEmpty { (madeInPriors, lastBefore) = ([], nil) }
  }

  /// Fills the slot, unless the change did nothing.
  func record(_ change: RecordedChange) {
    if !change.isEmpty { self.change = change }
  }

  /// Records another change than observers received, from what handlers of the change's priors left on.
  func replaceChange(by change: RecordedChange) {
    self.change = change.isEmpty ? nil : change
    stored = madeInPriors.last { $0.slot.level === level }?.stored
  }

  /// Makes the inverse change, through the key's setter, proxy or methods.
  ///
  /// - Throws: `KeyValueCodingError`, if the elements are no longer what the recorded changes left; nothing
  ///   changes then.
  override func undo() throws {
    guard let key, let object = key.object, let change = change?.inverse else { return }
    if change.kind == .setting {
      if let access = try ToManyAccess.onlyByMethods(object, key.name) {
        return access.replaceAll(with: change.new.elements)
      }
      try key.set(change.new.value, storing: stored, in: object)
    } else if let ranges = change.ranges {
      try apply(
        Edit(change.kind, at: ranges, change.new.elements), inPlaceOf: change.old.elements,
        to: object, key.name)
    } else {
      let access = try ToManyAccess(object, key.name, .unordered, privately: true)
      let (left, entered) = (change.old.members, change.new.members)
      switch change.kind {
      case .insertion: access.apply(.algebra(.union, entered))
      case .removal: access.apply(.algebra(.minus, left))
      case .setting, .replacement:
        let present = access.elements.hashableElements
        access.apply(.algebra(.set, present.subtracting(left).union(entered)))
      }
    }
  }

  private func apply(
    _ edit: Edit, inPlaceOf left: [Any], to object: any KeyValueObservable, _ key: String
  ) throws {
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
            + "them without being recorded. Set them back, or \(UndoLevel.wayOut), and record what else changes them"
        ))
    }
    if let last = indexes.ranges.last, last.upperBound > access.count + growth {
      throw conflict("there are \(access.count) elements now")
    }
    if growth == 0 {
      for (index, element) in zip(indexes.indices, left) {
        let present = access.element(at: index)
        let left = flattened(element)
        if isSame(present, left) == false {
          throw Self.conflict(object, key, left: left, at: index, present)
        }
      }
    }
    #if OrderedCollections
      if let element = access.firstRepeated(in: edit) {
        throw conflict("\(plainDescription(element)) is there already")
      }
    #endif
    access.apply(edit)
  }
}

// What the change left.
extension UndoSlot {
  /// The value that the last of some changes left that were made one inside the other.
  fileprivate final class SharedLeft {
    var value: RecordedValue?
    init(_ value: RecordedValue?) { self.value = value }
  }

  /// The value that the change left; nil if that isn't known, as for a collection, whose elements check
  /// themselves.
  private(set) var left: RecordedValue? {
    get { if let sharedLeft { sharedLeft.value } else { ownLeft } }
    set {
      if let sharedLeft { sharedLeft.value = newValue } else { ownLeft = newValue }
    }
  }

  /// Lets the change and one around it, of the same key, know of each other.
  func overlap(_ outer: UndoSlot) {
    let shared = outer.sharedLeft ?? SharedLeft(outer.ownLeft)
    (outer.sharedLeft, sharedLeft) = (shared, shared)
    (outer.isOverlaid, isOverlaid) = (true, true)
  }

  /// Notes the value that the change left.
  ///
  /// It's read if no observance announced the change, and if changes of the key overlap, because one that was made
  /// in another one's callbacks may be recorded before that.
  func noteLeft(of object: any KeyValueObservable, isAnnounced: Bool) {
    guard let change, change.kind == .setting else { return left = nil }
    let isNew = isAnnounced && !isOverlaid
    left = isNew ? change.new : (try? key?.read(from: object)) ?? .other(nil)
  }

  /// Lets the key have any value when the change is undone.
  func forgetLeft() {
    left = nil
    isForgotten = true
  }

  /// Replaces the value that the change left.
  func expect(_ value: RecordedValue) { left = value }

  /// Whether the change found the value that an earlier one of the key had found, and not the one that it left.
  func overlays(_ earlier: UndoSlot) -> Bool {
    // Nearly always the earlier change left what this one found.
    guard let change, change.kind == .setting, let left = earlier.left,
      left.isSame(as: change.old) == false, let inner = earlier.change
    else { return false }
    return inner.kind == .setting && inner.old.isSame(as: change.old) == true
  }

  /// Checks that the key has the value that the change left, or the members.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func check(_ value: ValueToUndo) throws {
    guard let key, let object = key.object, let change else { return }
    if change.isAlgebra { return try checkMembers(change, value, object, key.name) }
    guard change.kind == .setting, let left, let present = value.whole else { return }
    if present.isSame(as: left) != false { return }
    if isOverlaid, [change.old, change.new].contains(where: { present.isSame(as: $0) != false }) {
      return
    }
    throw Self.conflict(object, key.name, left: left.value, present.value)
  }

  /// Checks that a collection has the members that set algebra put into it, and none that it took out.
  private func checkMembers(
    _ change: RecordedChange, _ value: ValueToUndo, _ object: any KeyValueObservable, _ key: String
  ) throws {
    let (entered, left) = (change.new.members, change.old.members)
    guard !isForgotten, let present = value.members(among: entered.union(left)) else { return }
    // What doesn't equal itself is never found. Of several elements, the same one is always named.
    let missing = entered.filter { $0 == $0 && !present.contains($0) }
    if let element = missing.map({ plainDescription($0.base) }).min() {
      throw Self.conflict(
        object, key, "the last recorded change inserted \(element), which isn't there now")
    }
    let returned = left.filter { present.contains($0) && !entered.contains($0) }
    if let element = returned.map({ plainDescription($0.base) }).min() {
      throw Self.conflict(
        object, key, "the last recorded change removed \(element), which is there now")
    }
  }

  /// A key, or an element of it, has another value than a change left.
  private static func conflict(
    _ object: any KeyValueObservable, _ key: String, left: Any?, at index: Int? = nil,
    _ present: Any?
  ) -> KeyValueLogError {
    func text(_ value: Any?) -> String { value.map(plainDescription) ?? "nil" }
    let place = index.map { " at \($0)" } ?? ""
    return conflict(
      object, key,
      "the last recorded change left \(text(left))\(place), and it's \(text(present)) now")
  }

  private static func conflict(
    _ object: any KeyValueObservable, _ key: String, _ state: String
  ) -> KeyValueLogError {
    .invalidEdit(
      .init(
        type: object.schema.name, key: key,
        reason: "\(state); something changed it without being recorded. Set it back, or "
          + "\(UndoLevel.wayOut), and record what else changes it"))
  }
}
