/// What one undo takes back: changes in the order in which they began.
final class UndoLevel {
  /// The place of one change, taken when it begins.
  ///
  /// A change that is made inside another one's callbacks is told before it; but it began later, and has
  /// to be undone first.
  final class Slot {
    let keyPath: String
    weak let root: AnyObject?
    /// The object that had the key when the change began.
    weak let object: (any KeyValueObservable)?
    fileprivate(set) weak var level: UndoLevel?
    var change: RecordedChange?

    init(root: AnyObject, keyPath: String, object: (any KeyValueObservable)?) {
      self.root = root
      self.keyPath = keyPath
      self.object = object
    }
  }

  private(set) var slots: [Slot] = []

  var changes: [RecordedChange] { slots.compactMap(\.change) }
  /// Whether it would change anything.
  var isEffective: Bool { slots.contains { $0.change?.object != nil } }

  func append(_ slot: Slot) {
    slots.append(slot)
    slot.level = self
  }

  func append(_ change: RecordedChange) {
    guard let object = change.object else { return }
    let slot = Slot(root: object, keyPath: "", object: object)
    slot.change = change
    append(slot)
  }

  /// Forgets the changes that came after the first ones.
  func removeAll(after count: Int) {
    slots.removeSubrange(min(count, slots.count)...)
  }

  func remove(_ slot: Slot) {
    slots.removeAll { $0 === slot }
  }
}
