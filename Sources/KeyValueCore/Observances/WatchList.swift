/// The watches of one property, in registration order (Parity N3).
///
/// A copy is the frozen change set of a mutation (N2). Taking it costs one retain, and registering or
/// removing a watch leaves existing copies unchanged. Adding costs O(1), removing O(log n) amortised: a
/// removed watch leaves an empty slot until half of the slots are empty.
@usableFromInline
enum WatchList {
  case none
  case one(Watch)
  case many(WatchSlots)

  /// The combined needs of all watches.
  var needs: Needs {
    switch self {
    case .none: []
    case .one(let watch): watch.needs
    case .many(let slots): slots.needs
    }
  }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  mutating func insert(_ watch: Watch) {
    switch self {
    case .none:
      self = .one(watch)
    case .one(let first):
      let slots = WatchSlots()
      slots.insert(first)
      slots.insert(watch)
      self = .many(slots)
    case .many(var slots):
      self = .none  // keeps the slots uniquely referenced
      WatchSlots.makeUnique(&slots)
      slots.insert(watch)
      self = .many(slots)
    }
  }

  /// Removes a watch, if it is in the list.
  mutating func remove(_ observance: Observance, _ hop: WatchedHop?) {
    switch self {
    case .none: break
    case .one(let watch):
      if watch.observance === observance, watch.hop === hop { self = .none }
    case .many(var slots):
      self = .none
      WatchSlots.makeUnique(&slots)
      slots.remove(observance, hop)
      self = slots.liveCount == 0 ? .none : .many(slots)
    }
  }

  func forEach(_ body: (Watch) -> Void) {
    switch self {
    case .none: break
    case .one(let watch): body(watch)
    case .many(let slots):
      slots.read { slots in
        for slot in slots {
          if let watch = slot.watch { body(watch) }
        }
      }
    }
  }
}
