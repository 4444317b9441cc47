import KeyValueCore

/// A registration for a key of settings.
// Checked by hand: immutable, except for the cell, which is used under its own rules, weak references, which
// may be read on any thread, and `hasEnded`, which a lock guards.
final class DefaultsRow: @unchecked Sendable {
  enum Receiver {
    case observer(DefaultsObserver)
    case cell(DefaultsCell)
  }

  private(set) weak var defaults: UserDefaults?
  let key: String
  let options: NSKeyValueObservingOptions
  let receiver: Receiver

  init(
    _ defaults: UserDefaults, _ key: String, _ options: NSKeyValueObservingOptions,
    _ receiver: Receiver
  ) {
    self.defaults = defaults
    self.key = key
    self.options = options
    self.receiver = receiver
  }

  /// Whether the registration was removed.
  var isEnded: Bool { ended.withLock { hasEnded } }
  private let ended = UnfairLockBox()
  private var hasEnded = false  // accessed only inside `ended`

  func end() { ended.withLock { hasEnded = true } }

  var isAlive: Bool {
    guard defaults != nil else { return false }
    return switch receiver {
    case .observer(let observer): observer.object != nil
    case .cell(let cell): cell.isObserved
    }
  }

  func tellInitial(_ value: Any?) {
    guard case .observer(let observer) = receiver else { return }
    var change: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: 1)]
    if options.contains(.new) { change[.newKey] = Bridging.present(value) }
    tell(observer, change)
  }

  /// Announces that the value is about to change.
  func tellPrior(_ old: Any?) {
    switch receiver {
    case .cell(let cell): cell.begin(old)
    case .observer(let observer):
      var change: [NSKeyValueChangeKey: Any] = [
        .kindKey: NSNumber(value: 1), .notificationIsPriorKey: NSNumber(value: true),
      ]
      if options.contains(.old) { change[.oldKey] = Bridging.present(old) }
      tell(observer, change)
    }
  }

  func tell(_ old: Any?, _ new: Any?, isAnnounced: Bool) {
    switch receiver {
    case .cell(let cell):
      if !isAnnounced { cell.begin(old) }
      cell.end(new)
    case .observer(let observer):
      var change: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: 1)]
      if options.contains(.old) { change[.oldKey] = Bridging.present(old) }
      if options.contains(.new) { change[.newKey] = Bridging.present(new) }
      tell(observer, change)
    }
  }

  private func tell(_ observer: DefaultsObserver, _ change: [NSKeyValueChangeKey: Any]) {
    guard let defaults, !isEnded else { return }
    observer.object?.observeValue(
      forKeyPath: key, of: defaults, change: change, context: observer.context)
  }
}

/// An observer and its context.
struct DefaultsObserver {
  private(set) weak var object: NSObject?
  let identity: ObjectIdentifier
  let context: UnsafeMutableRawPointer?

  init(_ object: NSObject, _ context: UnsafeMutableRawPointer?) {
    self.object = object
    identity = ObjectIdentifier(object)
    self.context = context
  }
}

/// A key's value as a property that a closure observes, so its token is the library's.
// Checked by hand: the mutable state is accessed only inside `lock`.
final class DefaultsCell: NSObject, @unchecked Sendable {
  /// The values of the changes that each thread is announcing, innermost last.
  private var told: [ObjectIdentifier: [Any?]] = [:]
  private let initial: Any?
  private var isRegistering = true
  private let lock = UnfairLockBox()

  init(_ initial: Any?) {
    self.initial = initial
    super.init()
  }

  /// The value that this thread is announcing; otherwise the value that the closure first receives.
  var value: Any? {
    lock.withLock { told[Self.thread]?.last ?? initial }
  }

  /// Lists the keys by hand instead of with the macro, because each announces itself.
  override class func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    super._$kvoDefineKeys(in: schema)
    schema.computed("value", \DefaultsCell.value, get: { (object: DefaultsCell) in object.value })
    schema.completeDependencies(of: "value")
  }

  /// Whether the closure is registered, or about to be.
  var isObserved: Bool { lock.withLock { isRegistering } || observationInfo != nil }

  func observe(
    _ options: NSKeyValueObservingOptions, _ fileID: StaticString, _ line: UInt,
    _ handler: @escaping (NSKeyValueObservedChange<Any?>) -> Void
  ) -> NSKeyValueObservation {
    defer { lock.withLock { isRegistering = false } }
    return observe(\DefaultsCell.value, options: options, fileID: fileID, line: line) { _, change in
      handler(change)
    }
  }

  func begin(_ old: Any?) {
    lock.withLock { told[Self.thread, default: []].append(old) }
    willChangeValue(forKey: "value")
  }

  func end(_ new: Any?) {
    lock.withLock {
      _ = told[Self.thread]?.popLast()
      told[Self.thread, default: []].append(new)
    }
    didChangeValue(forKey: "value")
    lock.withLock {
      _ = told[Self.thread]?.popLast()
      if told[Self.thread]?.isEmpty == true { told[Self.thread] = nil }
    }
  }

  private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}

/// The registrations for all settings of this process.
package enum DefaultsTable {
  /// Guards settings and registrations.
  ///
  /// Recursive, because Foundation's methods call each other.
  private static let lock = NSRecursiveLock()
  // All accessed only inside `lock`.
  nonisolated(unsafe) private static var rows: [String: [DefaultsRow]] = [:]
  nonisolated(unsafe) private static var registrations: [String: Any] = [:]
  /// How many nested changes are being made.
  nonisolated(unsafe) private static var depth = 0
  /// How many more registrations are added until the dead ones of all keys are dropped.
  nonisolated(unsafe) private static var untilDrop = leastInterval
  private static let leastInterval = 64

  static func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

  static func registered(_ key: String) -> Any? { locked { registrations[key] } }

  static func register(_ values: [String: Any]) {
    locked { registrations.merge(values) { $1 } }
  }

  /// Adds a registration.
  ///
  /// A change drops the dead registrations for its keys. Those for other keys are dropped after as many
  /// additions as there are living ones, and a few more, so the table grows only with the living ones.
  static func add(_ row: DefaultsRow) {
    let isDue = locked {
      rows[row.key, default: []].append(row)
      untilDrop -= 1
      return untilDrop == 0
    }
    guard isDue else { return }
    let count = living(nil).count
    locked { untilDrop = count + leastInterval }
  }

  /// How many registrations for a key are in the table, dead ones included.
  package static func count(of key: String) -> Int { locked { rows[key]?.count ?? 0 } }

  /// The living registrations for some keys, or for all if it's nil; drops the dead ones.
  private static func living(_ keys: [String]?) -> [DefaultsRow] {
    let found = locked { (keys ?? Array(rows.keys)).flatMap { rows[$0] ?? [] } }
    var (living, dead): ([DefaultsRow], [DefaultsRow]) = ([], [])
    // Outside the lock, because asking may release an observer's last reference.
    for row in found {
      if row.isAlive { living.append(row) } else { dead.append(row) }
    }
    let identities = Set(dead.map { ObjectIdentifier($0) })
    locked {
      for key in Set(dead.map(\.key)) {
        rows[key]?.removeAll { identities.contains(ObjectIdentifier($0)) }
        if rows[key]?.isEmpty == true { rows[key] = nil }
      }
    }
    // A dropped registration may release what its closure captured, so that's outside the lock, too.
    withExtendedLifetime(found) {}
    return living
  }

  /// Removes the oldest matching registration.
  static func remove(
    _ observer: NSObject, _ key: String, of defaults: UserDefaults,
    _ hasContext: (UnsafeMutableRawPointer?) -> Bool
  ) -> Bool {
    // An observer that removes itself in its own deinit looks deallocated, and may have been forgotten.
    weak let probe = observer
    let isDying = probe == nil
    return locked {
      let index = rows[key]?.firstIndex { row in
        guard case .observer(let known) = row.receiver else { return false }
        return known.identity == ObjectIdentifier(observer) && (known.object == nil) == isDying
          && row.defaults === defaults && hasContext(known.context)
      }
      guard let index else { return isDying }
      rows[key]?.remove(at: index).end()
      return true
    }
  }

  /// Makes a change that observers aren't notified of.
  static func withoutNotice(_ body: () -> Void) {
    locked {
      depth += 1
      body()
      depth -= 1
    }
  }

  /// Makes a change, and notifies where `object(forKey:)` returns another value than before.
  ///
  /// - Parameters:
  ///   - keys: The keys that change; nil for any keys.
  ///   - defaults: The settings that are changed.
  ///   - value: A key's future value, from its name and old value, for observers that are called before.
  ///   - isEverywhere: Whether that applies to all suites.
  ///   - body: Makes the change.
  static func change(
    _ keys: [String]?, of defaults: UserDefaults, to value: ((String, Any?) -> Any?)? = nil,
    isEverywhere: Bool = false,
    _ body: () -> Void
  ) {
    // A change that Foundation makes as a part of another is announced with that one.
    if locked({ depth > 0 }) { return body() }
    let told = living(keys)
    var priors: [(row: DefaultsRow, old: Any?)] = []
    if let value {
      for row in told where row.options.contains(.prior) {
        guard let observed = row.defaults, isEverywhere || observed.suite == defaults.suite
        else { continue }
        let old = observed.value(forKey: row.key)
        if areEqual(old, value(row.key, old)) { continue }
        priors.append((row, old))
        row.tellPrior(old)
      }
    }
    var changes: [(row: DefaultsRow, old: Any?, new: Any?, isAnnounced: Bool)] = []
    var hasChanged = keys == nil
    locked {
      let own = (keys ?? []).map { defaults.object(forKey: $0) }
      let old = told.map { $0.defaults?.value(forKey: $0.key) }
      depth += 1
      body()
      depth -= 1
      for (row, old) in zip(told, old) {
        let new = row.defaults?.value(forKey: row.key)
        // A prior notification is followed by its change, whatever another thread does meanwhile.
        let isAnnounced = priors.contains { $0.row === row }
        if isAnnounced || !areEqual(old, new) { changes.append((row, old, new, isAnnounced)) }
      }
      for (key, old) in zip(keys ?? [], own) where !areEqual(old, defaults.object(forKey: key)) {
        hasChanged = true
      }
    }
    for (row, old, new, isAnnounced) in changes {
      row.tell(old, new, isAnnounced: isAnnounced)
    }
    if hasChanged {
      NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: defaults)
    }
  }
}

extension DefaultsTable {
  /// Whether two values of settings are equal, comparing scalars as numbers.
  static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    switch (Bridging.object(left), Bridging.object(right)) {
    case (nil, nil): return true
    case (nil, _), (_, nil): return false
    case (let left as NSNumber, let right as NSNumber): return left.isEqual(to: right)
    case (let left as [Any], let right as [Any]):
      return left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
    case (let left as [String: Any], let right as [String: Any]):
      return left.count == right.count
        && left.allSatisfy { key, value in right[key].map { areEqual(value, $0) } ?? false }
    case (let left as any Hashable, let right as any Hashable):
      return AnyHashable(left) == AnyHashable(right)
    default: return false
    }
  }
}
