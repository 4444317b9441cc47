/// The value that a recorded change left, by which a change that wasn't recorded shows.
final class LeftValue {
  enum Content {
    /// The elements of a collection check themselves.
    case unknown
    case value(Any?)
  }

  var content = Content.unknown
}

/// The last recorded change of each key.
struct LatestChanges {
  private struct Reference {
    weak let slot: UndoSlot?
  }

  private var slots: [UndoSlot.Place: Reference] = [:]
  private var limit = 64

  /// Notes a change that has been recorded.
  ///
  /// A change of the key that was made in a callback of this one was recorded before, if its observer was called
  /// first. It has been overwritten, as the old value shows that this one began with.
  mutating func note(_ slot: UndoSlot) {
    guard let place = slot.place else { return }
    if let earlier = slots[place]?.slot, earlier.object === slot.object, slot.overlays(earlier) {
      earlier.isOverlaid = true
    }
    if slots.count >= limit {
      slots = slots.filter { $0.value.slot != nil }
      limit = max(64, 2 * slots.count)
    }
    slots[place] = Reference(slot: slot)
  }
}

extension UndoLevel {
  /// Checks that the keys have the values that the level's changes left, as far as these can be compared.
  ///
  /// - Throws: `KeyValueLogError.invalidEdit`.
  func check() throws {
    // The values that the keys will have when the later changes are undone.
    var values: [UndoSlot.Place: LeftValue.Content] = [:]
    for case let slot as UndoSlot in filledSteps.reversed() {
      guard let object = slot.object, let place = slot.place else { continue }
      let present = try values[place] ?? .value(object.value(forKey: slot.key, privately: true))
      if case .value(let value) = present { try slot.check(value) }
      values[place] = slot.setting.map { .value($0.old) } ?? .unknown
    }
  }
}

extension UndoSlot {
  /// One key of one object.
  struct Place: Hashable {
    let object: ObjectIdentifier
    let key: String
  }

  var place: Place? {
    object.map { Place(object: ObjectIdentifier($0), key: key) }
  }

  /// Notes the value that the change left.
  ///
  /// It's read, because a change that was made in another one's callbacks may be recorded before that.
  func noteLeft() {
    left.content =
      setting == nil ? .unknown : .value(try? object?.value(forKey: key, privately: true))
  }

  /// The values of a setting.
  fileprivate var setting: (old: Any?, new: Any?)? {
    guard let change, change.kind == .setting else { return nil }
    return (change.oldValue ?? nil, change.newValue ?? nil)
  }

  fileprivate func overlays(_ earlier: UndoSlot) -> Bool {
    guard let setting, let inner = earlier.setting, case .value(let left) = earlier.left.content
    else { return false }
    return isSame(left, setting.old) == false && isSame(inner.old, setting.old) == true
  }

  fileprivate func check(_ present: Any?) throws {
    guard let object, let setting, case .value(let left) = left.content else { return }
    if isSame(present, left) != false { return }
    if isOverlaid, [setting.old, setting.new].contains(where: { isSame(present, $0) != false }) {
      return
    }
    func text(_ value: Any?) -> String { value.map(plainDescription) ?? "nil" }
    throw KeyValueLogError.invalidEdit(
      .init(
        type: object.schema.name, key: key,
        reason: "the last recorded change left \(text(left)), and it's \(text(present)) now; "
          + "something changed it without being recorded"))
  }
}

/// Whether two values are equal, or the same objects; nil if that can't be known.
func isSame(_ left: Any?, _ right: Any?) -> Bool? {
  guard let left, let right else { return (left == nil) == (right == nil) }
  if let equal = isEqual(left, right) { return equal }
  if isClass(type(of: left)), isClass(type(of: right)) {
    return left as AnyObject === right as AnyObject
  }
  guard let left = (left as? any ToMany)?.references, let right = (right as? any ToMany)?.references
  else { return nil }
  return left.elementsEqual(right, by: ===)
}
