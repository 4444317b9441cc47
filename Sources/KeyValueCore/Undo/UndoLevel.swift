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
    weak let object: (any KeyValueObservable)?
    fileprivate(set) weak var level: UndoLevel?
    var change: RecordedChange?
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

  var changes: [RecordedChange] { slots.compactMap(\.change) }
  /// Whether undoing the level would change anything.
  var isEffective: Bool { slots.contains { $0.change?.object != nil } }

  func append(_ slot: Slot) {
    slots.append(slot)
    slot.level = self
  }

  func append(_ change: RecordedChange) {
    guard let object = change.object else { return }
    let slot = Slot(object, "")
    slot.change = change
    append(slot)
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
