/// A controller's registrations, by observed object and path.
///
/// The end of an observance removes its entry. So a dead object leaves no entry, and a new object
/// at its address finds none.
///
/// The table neither calls nor releases a token under the lock: that may destroy its owner, or
/// objects that its handler captured.
final class ObservationTable: Sendable {
  /// One value of an object.
  ///
  /// Members of values may have no names at run time. So a path's components count, not only its
  /// text, if it ends in such members.
  struct Path: Hashable, Sendable {
    private let string: String
    private let steps: [PathStep]

    init(_ string: String) {
      self.string = (try? ParsedKeyPath.parsed(string))?.meaning ?? string
      steps = []
    }

    init<Root, Value>(_ path: KeyValuePath<Root, Value>) {
      string = path.observed.meaning
      steps = path.observed.isNamedByKeys ? [] : path.steps
    }
  }

  private struct Entry {
    let token: KeyValueObservation
    /// The number of the token's observance, which the token forgets when it's invalidated.
    let number: UInt64
  }

  private let entries = LockedValue<[ObjectIdentifier: [Path: Entry]]>([:])

  /// The number of registrations.
  var count: Int {
    entries.withLock { $0.values.reduce(0) { $0 + $1.count } }
  }

  /// Adds a registration; false if an active one exists.
  func insert(
    _ token: KeyValueObservation, of observance: Observance, at object: ObjectIdentifier,
    _ path: Path
  ) -> Bool {
    guard self.token(at: object, path)?.isValid != true else { return false }
    let entry = Entry(token: token, number: observance.number)
    _ = entries.withLock { $0[object, default: [:]].updateValue(entry, forKey: path) }
    return true
  }

  /// Removes the registration with this observance; does nothing if another has taken its place.
  func remove(_ number: UInt64, at object: ObjectIdentifier, _ path: Path) {
    _ = entries.withLock { entries -> Entry? in
      guard let entry = entries[object]?[path], entry.number == number else { return nil }
      entries[object]?[path] = nil
      if entries[object]?.isEmpty == true { entries[object] = nil }
      return entry
    }
  }

  /// The registration for this object and path.
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
