import Synchronization

/// The registrations of one controller, by observed object and path.
///
/// An entry goes when its observance ends, for whatever reason; so an object that dies leaves nothing
/// behind, and an address that is used again finds no entry of the object that had it before.
///
/// No token is asked anything, nor let go of, under the lock: its owner, or what its handler captured,
/// may die of that.
final class ObservationTable: Sendable {
  /// Which value of an object is observed.
  ///
  /// Members of values may have no names at run time, so where a path ends in some, its components
  /// count and not only how it prints.
  struct Path: Hashable, Sendable {
    private let string: String
    private let steps: [PathStep]

    init(_ string: String) {
      self.string = string
      steps = []
    }

    init<Root, Value>(_ path: KeyValuePath<Root, Value>) {
      string = path.observed.string
      steps = path.observed.isNamedByKeys ? [] : path.steps
    }
  }

  private struct Entry {
    let token: KeyValueObservation
    /// The token's observance, which the token itself forgets when it is invalidated.
    let sequence: UInt64
  }

  private let entries = LockedValue<[ObjectIdentifier: [Path: Entry]]>([:])

  /// How many registrations there are.
  var count: Int {
    entries.withLock { $0.values.reduce(0) { $0 + $1.count } }
  }

  /// Adds a registration; false where there is one that is in force.
  func insert(
    _ token: KeyValueObservation, of observance: Observance, at object: ObjectIdentifier,
    _ path: Path
  ) -> Bool {
    guard self.token(at: object, path)?.isValid != true else { return false }
    let entry = Entry(token: token, sequence: observance.sequence)
    _ = entries.withLock { $0[object, default: [:]].updateValue(entry, forKey: path) }
    return true
  }

  /// Takes out the registration with this observance; does nothing where another has its place.
  func remove(_ sequence: UInt64, at object: ObjectIdentifier, _ path: Path) {
    _ = entries.withLock { entries -> Entry? in
      guard let entry = entries[object]?[path], entry.sequence == sequence else { return nil }
      entries[object]?[path] = nil
      if entries[object]?.isEmpty == true { entries[object] = nil }
      return entry
    }
  }

  /// The registration of this object and path.
  func token(at object: ObjectIdentifier, _ path: Path) -> KeyValueObservation? {
    entries.withLock { $0[object]?[path]?.token }
  }

  /// All registrations of this object.
  func tokens(at object: ObjectIdentifier) -> [KeyValueObservation] {
    entries.withLock { $0[object]?.values.map(\.token) ?? [] }
  }

  /// All registrations.
  func allTokens() -> [KeyValueObservation] {
    entries.withLock { entries in entries.values.flatMap { $0.values.map(\.token) } }
  }
}
