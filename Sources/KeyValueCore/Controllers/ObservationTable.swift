/// A controller's registrations, by observed object and path.
///
/// The end of an observance removes its entry. So a dead object leaves no entry, and a new object
/// at its address finds none.
///
/// The table neither calls nor releases a token under the lock: that may destroy its owner, or
/// objects that its handler captured. Nor does it compare or hash key paths there, whose arguments
/// are the program's own.
final class ObservationTable: Sendable {
  /// One value of an object.
  ///
  /// Members of values may have no names at run time, and a path prints otherwise once an object has shown which
  /// keys its members are. So the components of a path with such members count instead of its text.
  struct Path: Hashable, Sendable {
    fileprivate let string: String
    private let steps: [PathStep]
    /// Whether the string alone is compared and hashed.
    fileprivate var isString: Bool { steps.isEmpty }

    init(_ string: String) {
      self.string = (try? ParsedKeyPath.parsed(string))?.meaning ?? string
      steps = []
    }

    init<Root, Value>(_ path: KeyValuePath<Root, Value>) {
      let isNamedByKeys = path.observed.isNamedByKeys
      string = isNamedByKeys ? path.observed.meaning : ""
      steps = isNamedByKeys ? [] : path.steps
    }
  }

  private struct Entry {
    let token: KeyValueObservation
    /// The number of the token's observance, which the token forgets when it's invalidated.
    let number: UInt64
  }

  /// The registrations of one object.
  private struct Entries {
    var byString: [String: Entry] = [:]
    /// Those whose paths' components count, too.
    var byPath: [Path: Entry] = [:]
    /// Changed with each change of `byPath`.
    var version: UInt64 = 0

    var tokens: [KeyValueObservation] {
      byString.values.map(\.token) + byPath.values.map(\.token)
    }
  }

  private struct Contents {
    var objects: [ObjectIdentifier: Entries] = [:]
    var lastVersion: UInt64 = 0

    mutating func withEntries(of object: ObjectIdentifier, _ body: (inout Entries) -> Void) {
      body(&objects[object, default: Entries()])
      if objects[object]?.byString.isEmpty == true, objects[object]?.byPath.isEmpty == true {
        objects[object] = nil
      }
    }
  }

  private let contents = LockedValue(Contents())

  /// The number of registrations.
  var count: Int {
    contents.withLock { $0.objects.values.reduce(0) { $0 + $1.byString.count + $1.byPath.count } }
  }

  /// Adds a registration; false if an active one exists.
  func insert(
    _ token: KeyValueObservation, of observance: Observance, at object: ObjectIdentifier,
    _ path: Path
  ) -> Bool {
    guard self.token(at: object, path)?.isValid != true else { return false }
    let entry = Entry(token: token, number: observance.number)
    update(object, path) { _ in entry }
    return true
  }

  /// Removes the registration with this observance; does nothing if another has taken its place.
  func remove(_ number: UInt64, at object: ObjectIdentifier, _ path: Path) {
    update(object, path) { $0?.number == number ? nil : $0 }
  }

  /// The registration for this object and path.
  func token(at object: ObjectIdentifier, _ path: Path) -> KeyValueObservation? {
    if path.isString {
      return contents.withLock { $0.objects[object]?.byString[path.string]?.token }
    }
    let entries = contents.withLock { $0.objects[object]?.byPath }
    return entries?[path]?.token
  }

  /// All registrations of this object.
  func tokens(at object: ObjectIdentifier) -> [KeyValueObservation] {
    contents.withLock { $0.objects[object]?.tokens ?? [] }
  }

  /// All registrations.
  func allTokens() -> [KeyValueObservation] {
    contents.withLock { $0.objects.values.flatMap(\.tokens) }
  }

  /// Replaces a path's entry by what a closure makes of it; nil is no entry.
  private func update(
    _ object: ObjectIdentifier, _ path: Path, _ replacement: (Entry?) -> Entry?
  ) {
    if path.isString {
      // Returned, so that it's released without the lock.
      _ = contents.withLock { contents -> Entry? in
        let entry = contents.objects[object]?.byString[path.string]
        contents.withEntries(of: object) { $0.byString[path.string] = replacement(entry) }
        return entry
      }
      return
    }
    while true {
      let present = contents.withLock { $0.objects[object] ?? Entries() }
      let entry = present.byPath[path]
      let new = replacement(entry)
      if new?.number == entry?.number { return }
      var changed = present.byPath
      changed[path] = new
      let isDone = contents.withLock { contents in
        guard contents.objects[object]?.version ?? 0 == present.version else { return false }
        contents.lastVersion += 1
        let version = contents.lastVersion
        contents.withEntries(of: object) {
          swap(&$0.byPath, &changed)
          $0.version = version
        }
        return true
      }
      // The former dictionary is released here, without the lock.
      withExtendedLifetime((present, changed)) {}
      if isDone { return }
    }
  }
}
