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
  /// The thread that has made the registration.
  let thread = ObjectIdentifier(Thread.current)

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

  /// Whether a change has to be announced in advance.
  var takesPrior: Bool {
    guard options.contains(.prior) else { return false }
    guard case .cell(let cell) = receiver else { return true }
    // A closure that registers between the two halves of an announcement misses the change.
    return cell.observationInfo != nil
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
// Checked by hand: the mutable state is accessed only inside `lock`, except for a weak reference, which may be read
// on any thread.
final class DefaultsCell: NSObject, @unchecked Sendable {
  private weak var defaults: UserDefaults?
  private let setting: String
  /// The values of the changes that each thread is announcing, innermost last.
  private var told: [ObjectIdentifier: [Any?]] = [:]
  private var isRegistering = true
  private let lock = UnfairLockBox()

  init(_ setting: String, of defaults: UserDefaults) {
    self.setting = setting
    self.defaults = defaults
    super.init()
  }

  /// The value that this thread is announcing; otherwise the setting's.
  ///
  /// The closure first receives the setting's value, which is read after the registration: every change is in that
  /// value, or is announced.
  var value: Any? {
    let announced = lock.withLock { told[Self.thread]?.last }
    if let announced { return announced }
    return defaults?.value(forKey: setting)
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
  /// What threads read in place of a stored value.
  nonisolated(unsafe) private static var replacements: [ObjectIdentifier: Replacement] = [:]
  /// How many nested changes are being made.
  nonisolated(unsafe) private static var depth = 0
  /// How many more registrations are added until the dead ones of all keys are dropped.
  nonisolated(unsafe) private static var untilDrop = leastInterval
  private static let leastInterval = 64

  static func locked<Result>(_ body: () -> Result) -> Result { lock.withLock(body) }

  /// A value that a thread reads in place of a key's stored one.
  private struct Replacement {
    let value: Any?
    let key: String
    let defaults: ObjectIdentifier
  }

  /// Runs code that reads a value in place of a key's stored one.
  ///
  /// The code that makes the values that observers receive may be a subclass's own. It runs outside the lock, when
  /// other threads may have changed the setting again.
  static func replacing<Result>(
    _ key: String, of defaults: UserDefaults, by value: Any?, _ body: () -> Result
  ) -> Result {
    let thread = ObjectIdentifier(Thread.current)
    let new = Replacement(value: value, key: key, defaults: ObjectIdentifier(defaults))
    let outer = locked { replacements.updateValue(new, forKey: thread) }
    defer { locked { replacements[thread] = outer } }
    return body()
  }

  /// The value that this thread reads in place of a key's stored one; `.none` if it reads that one.
  static func replacement(of key: String, in defaults: UserDefaults) -> Any?? {
    let known = locked {
      replacements.isEmpty ? nil : replacements[ObjectIdentifier(Thread.current)]
    }
    guard let known, known.key == key, known.defaults == ObjectIdentifier(defaults) else {
      return .none
    }
    return .some(known.value)
  }

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

  /// The registrations for some keys, or for all if it's nil, dead ones included.
  private static func all(_ keys: [String]?) -> [DefaultsRow] {
    locked { (keys ?? Array(rows.keys)).flatMap { rows[$0] ?? [] } }
  }

  /// The living registrations for some keys, or for all if it's nil; drops the dead ones.
  private static func living(_ keys: [String]?) -> [DefaultsRow] {
    let found = all(keys)
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
  ///   - value: A key's future value in the suite, for observers that are called before.
  ///   - body: Makes the change.
  static func change(
    _ keys: [String]?, of defaults: UserDefaults, to value: ((String) -> Any?)? = nil,
    _ body: () -> Void
  ) {
    // A change that Foundation makes as a part of another is announced with that one.
    if locked({ depth > 0 }) { return body() }
    let known = living(keys)
    var announced: Set<ObjectIdentifier> = []
    if let value {
      for row in known where row.takesPrior {
        guard let observed = row.defaults, observed.suite == defaults.suite,
          // An argument of the program hides what's stored.
          observed.volatileDomain(forName: UserDefaults.argumentDomain)[row.key] == nil
        else { continue }
        let old = observed.value(forKey: row.key)
        if areEqual(old, observed.value(forKey: row.key, ofStored: value(row.key))) { continue }
        announced.insert(ObjectIdentifier(row))
        row.tellPrior(old)
      }
    }
    // Outside the closure, so that the last references to settings aren't released under the lock.
    var told: [(row: DefaultsRow, defaults: UserDefaults?, old: Any?)] = []
    var new: [Any?] = []
    var hasChanged = keys == nil
    locked {
      // What another thread has registered meanwhile might miss the change (Parity R3). What this one has, in a
      // prior, isn't told of it (N2).
      let identities = Set(known.map { ObjectIdentifier($0) })
      let thread = ObjectIdentifier(Thread.current)
      let late = all(keys).filter {
        $0.thread != thread && !identities.contains(ObjectIdentifier($0))
      }
      for row in known + late {
        let observed = row.defaults
        told.append((row, observed, observed?.storedObject(forKey: row.key)))
      }
      let own = (keys ?? []).map { defaults.storedObject(forKey: $0) }
      depth += 1
      for (key, old) in zip(keys ?? [], own) where areOtherForms(old, value?(key)) {
        // Foundation for Linux takes the new value for the old one, and would keep that.
        defaults.removeStored(key)
      }
      body()
      depth -= 1
      new = told.map { $0.defaults?.storedObject(forKey: $0.row.key) }
      for (key, old) in zip(keys ?? [], own)
      where !areEqual(old, defaults.storedObject(forKey: key)) {
        hasChanged = true
      }
    }
    for ((row, observed, stored), newlyStored) in zip(told, new) {
      let old = observed?.value(forKey: row.key, ofStored: stored)
      let new = observed?.value(forKey: row.key, ofStored: newlyStored)
      // A prior notification is followed by its change, whatever another thread does meanwhile.
      let isAnnounced = announced.contains(ObjectIdentifier(row))
      if isAnnounced || !areEqual(old, new) { row.tell(old, new, isAnnounced: isAnnounced) }
    }
    if hasChanged {
      NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: defaults)
    }
  }
}

extension DefaultsTable {
  /// Whether two values of settings are equal, comparing scalars as numbers, and strings as Cocoa does: "é" has two
  /// forms, which are equal only in Swift.
  static func areEqual(
    _ left: Any?, _ right: Any?,
    comparing areSame: (String, String) -> Bool = { $0.utf8.elementsEqual($1.utf8) }
  ) -> Bool {
    switch (Bridging.object(left), Bridging.object(right)) {
    case (nil, nil): return true
    case (nil, _), (_, nil): return false
    case (let left as NSNumber, let right as NSNumber): return left.isEqual(to: right)
    case (let left as String, let right as String): return areSame(left, right)
    case (let left as [Any], let right as [Any]):
      return left.count == right.count
        && zip(left, right).allSatisfy { areEqual($0, $1, comparing: areSame) }
    case (let left as [String: Any], let right as [String: Any]):
      return left.count == right.count
        && left.allSatisfy { key, value in
          guard let index = right.index(forKey: key) else { return false }
          let (otherKey, other) = right[index]
          return areSame(key, otherKey) && areEqual(value, other, comparing: areSame)
        }
    case (let left?, let right?): return Bridging.areEqual(left, right)
    }
  }

  /// Whether two values of settings differ only in the forms of their strings, where Foundation takes such values
  /// for equal.
  private static func areOtherForms(_ left: Any?, _ right: Any?) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      guard left is String || left is [Any] || left is [String: Any] else { return false }
      return !areEqual(left, right) && areEqual(left, right) { $0 == $1 }
    #endif
  }
}

extension UserDefaults {
  /// Removes a key as Foundation's class does, whatever a subclass makes of it.
  fileprivate func removeStored(_ key: String) { super.removeObject(forKey: key) }
}
