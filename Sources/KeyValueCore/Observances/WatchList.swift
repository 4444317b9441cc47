/// One observance's interest in one property of one object.
@usableFromInline
struct Watch {
  let observance: Observance
  /// The hop of the observance's path that this property is; nil where the property is the whole path
  /// and depends on nothing.
  let hop: WatchedHop?

  var identity: ObjectIdentifier {
    hop.map { ObjectIdentifier($0) } ?? ObjectIdentifier(observance)
  }

  /// Whether the property's value is the observed value, and not just one of its sources.
  var isLeaf: Bool { hop?.isLeaf ?? true }

  /// Whether nothing has to be done besides telling of the property's own values.
  var isPlain: Bool { isLeaf && needs.isDisjoint(with: Needs.beyondValues) }

  var needs: Needs { hop?.needs ?? observance.needs }
}

/// What a change set has to prepare before and after the mutation.
struct Needs: OptionSet {
  let rawValue: UInt8

  static let prior = Needs(rawValue: 1)
  /// The property's own old value.
  static let old = Needs(rawValue: 2)
  /// The property's own new value.
  static let new = Needs(rawValue: 4)
  /// The old value of an observance that the property is only a source of.
  static let evaluatedOld = Needs(rawValue: 8)
  static let evaluatedNew = Needs(rawValue: 16)
  /// Something may have to be attached anew.
  static let structure = Needs(rawValue: 32)
  /// What enters and leaves a collection matters.
  static let membership = Needs(rawValue: 64)
  /// An assignment is to be told of element by element.
  static let elements = Needs(rawValue: 128)

  /// Each need by itself.
  static let bits = (0..<8).map { Needs(rawValue: 1 << $0) }

  /// What an assignment has to do more for than to read the property before and after.
  static let beyondValues: Needs = [
    .prior, .evaluatedOld, .evaluatedNew, .structure, .membership, .elements,
  ]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ options: KeyValueObservingOptions) {
    self = []
    if options.contains(.prior) { insert(.prior) }
    if options.contains(.old) { insert(.old) }
    if options.contains(.new) { insert(.new) }
    // What changed can only be told from both values.
    if options.contains(.elementChanges) { formUnion([.old, .new, .elements]) }
  }

  /// The same needs of an observance that must be evaluated to be known.
  var evaluated: Needs {
    var result = intersection(.prior)
    if contains(.old) { result.insert(.evaluatedOld) }
    if contains(.new) { result.insert(.evaluatedNew) }
    return result
  }
}

/// The watches of one property, in registration order (Parity N3).
///
/// A copy is the frozen change set of a mutation (N2): taking it costs one retain, and registering or
/// removing while a copy is out leaves the copy as it was. Adding costs O(1), removing O(log n)
/// amortised: a removed watch leaves an empty slot until half of the slots are empty.
@usableFromInline
enum WatchList {
  case none
  case one(Watch)
  case many(WatchSlots)

  /// What all watches together need.
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

  /// Removes one watch; it is no error if it is not there.
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
