/// The user's settings, whose keys can be observed.
///
/// ```swift
/// let defaults = UserDefaults.standard
/// let observation = defaults.observe("editor.fontSize", options: [.old, .new]) { _, change in
///   print(change.oldValue! ?? "nil", change.newValue! ?? "nil")
/// }
/// defaults.set(12, forKey: "editor.fontSize")      // nil 12
/// defaults.set(12, forKey: "editor.fontSize")      // (nothing)
/// defaults.removeObject(forKey: "editor.fontSize") // 12 nil
/// ```
///
/// A key with dots is a key, not a path. An observer is called if `object(forKey:)` returns another value
/// than before: not if an equal value is set, and not if the removed value is also registered. A change made
/// through one object of a suite notifies the observers of all its objects. `didChangeNotification` is posted
/// with each change.
///
/// Changes by another process, or by code that uses Foundation's own class, don't notify.
///
/// Threading: all members may be used on any thread. Observers are called on the thread that makes the
/// change, outside locks, and so are a subclass's own `object(forKey:)` and `value(forKey:)`, whose results observers
/// receive. Observers are referenced weakly.
///
/// Cost: reading takes a lock twice. A change takes it some times more for each of its registrations, and reads the
/// key twice; registrations for other keys cost nothing. A change of domains reads every registered key.
///
/// Source of the behaviour: Apple's documentation; for when a change notifies, GNUstep's tests run on
/// macOS 15. This class hides Foundation's, which can't be observed.
// Checked by hand: the shared state is in `DefaultsTable`, under its lock.
open class UserDefaults: Foundation.UserDefaults {
  // Foundation declares its class as not Sendable; this one locks.
  nonisolated(unsafe) private static let shared = UserDefaults()

  /// The settings of this program.
  open override class var standard: UserDefaults { shared }

  let suite: String?
  private var isMade = false

  /// Settings of a suite, or of this program if it's nil.
  public override init?(suiteName suitename: String?) {
    suite = suitename
    super.init(suiteName: suitename)
    isMade = true
  }

  // MARK: Reading

  open override func object(forKey defaultName: String) -> Any? {
    if let value = DefaultsTable.replacement(of: defaultName, in: self) { return value }
    return storedObject(forKey: defaultName)
  }

  /// The value of a key as Foundation's class returns it, whatever a subclass makes of it.
  final func storedObject(forKey key: String) -> Any? {
    // Foundation's class has no lock of its own for registered values, and returns the elements of collections as
    // optionals.
    DefaultsTable.locked { Self.withoutOptionals(super.object(forKey: key)) }
  }

  /// What `value(forKey:)` makes of a stored value, which may be an earlier or a future one.
  final func value(forKey key: String, ofStored stored: Any?) -> Any? {
    DefaultsTable.replacing(key, of: self, by: stored) { value(forKey: key) }
  }

  open override func dictionaryRepresentation() -> [String: Any] {
    DefaultsTable.locked { super.dictionaryRepresentation() }
  }

  /// The URL of a key, whose value is a file's path or an archived URL; nil for other values.
  open override func url(forKey defaultName: String) -> URL? {
    // Foundation's method ends the program for data that isn't an archive.
    if let data = object(forKey: defaultName) as? Data { return Self.archivedURL(data) }
    return super.url(forKey: defaultName)
  }

  private static func archivedURL(_ data: Data) -> URL? {
    guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    return unarchiver.decodeObject(of: NSURL.self, forKey: NSKeyedArchiveRootObjectKey) as URL?
  }

  private static func withoutOptionals(_ value: Any?) -> Any? {
    switch Bridging.flattened(value) {
    case let array as [Any?]: array.compactMap(withoutOptionals)
    case let dictionary as [String: Any?]: dictionary.compactMapValues(withoutOptionals)
    case let value: value
    }
  }

  /// The value of a key, scalars as `NSNumber`.
  open func value(forKey key: String) -> Any? { Bridging.object(object(forKey: key)) }

  /// The value at the end of a key path that leads through a setting that is a dictionary or an array.
  open func value(forKeyPath keyPath: String) -> Any? {
    KeyCoding.value(forKeyPath: keyPath) { value(forKey: $0) }
  }

  /// The values of several keys, `NSNull` for a missing one.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    KeyCoding.values(forKeys: keys) { value(forKey: $0) }
  }

  // MARK: Setting

  // Foundation's typed setters call this one.
  open override func set(_ value: Any?, forKey defaultName: String) {
    let value: Any? =
      switch Bridging.flattened(value) {
      case let url as URL: stored(url, forKey: defaultName)
      case let url as NSURL: stored(url as URL, forKey: defaultName)
      case is NSNull: nil
      case let value: value
      }
    guard let value else { return removeObject(forKey: defaultName) }
    DefaultsTable.change([defaultName], of: self, to: { _ in value }) {
      super.set(value, forKey: defaultName)
    }
  }

  // `set(nil, forKey:)` calls this one, which never returns in Foundation for Linux if the URL is nil.
  open override func set(_ url: URL?, forKey defaultName: String) {
    set(url as Any?, forKey: defaultName)
  }

  /// A URL as it's stored: a file's as its path, any other as an archive.
  private func stored(_ url: URL, forKey key: String) -> Any {
    // An archive of Foundation for Linux doesn't keep the base of a relative URL.
    let url = url.absoluteURL
    if url.isFileURL { return url.path }
    // The archives of equal URLs may differ, and an equal value doesn't notify.
    if let data = object(forKey: key) as? Data, Self.archivedURL(data) == url { return data }
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(url as NSURL, forKey: NSKeyedArchiveRootObjectKey)
    return archiver.encodedData
  }

  /// Sets a key; nil removes it.
  open func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// Sets the value at the end of a key path; a path of one key sets that key, nil removes it.
  ///
  /// A longer path sets a key of the object that its beginning leads to. A setting that is a dictionary can't be
  /// changed in place, so a path through one raises.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return setValue(value, forKey: keyPath) }
    if let owner = self.value(forKey: parts[0]) {
      Bridging.setValue(value, of: owner, forKeyPath: parts[1])
    }
  }

  /// Sets several keys, in sorted order; `NSNull` removes one.
  open func setValuesForKeys(_ keyedValues: [String: Any]) {
    KeyCoding.setValues(keyedValues) { setValue($0, forKey: $1) }
  }

  /// Removes a key; its value is then the registered one.
  open override func removeObject(forKey defaultName: String) {
    DefaultsTable.change([defaultName], of: self, to: { DefaultsTable.registered($0) }) {
      super.removeObject(forKey: defaultName)
    }
  }

  /// Registers values for keys that aren't set, and announces nothing, as in Cocoa.
  open override func register(defaults registrationDictionary: [String: Any]) {
    DefaultsTable.withoutNotice {
      super.register(defaults: registrationDictionary)
      DefaultsTable.register(registrationDictionary)
    }
  }

  open override func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
    // Foundation's initialiser calls this method, and an object that's being made changes nothing.
    if !isMade { return super.setVolatileDomain(domain, forName: domainName) }
    DefaultsTable.change(nil, of: self) {
      super.setVolatileDomain(domain, forName: domainName)
    }
  }

  open override func removeVolatileDomain(forName domainName: String) {
    DefaultsTable.change(nil, of: self) { super.removeVolatileDomain(forName: domainName) }
  }

  open override func setPersistentDomain(_ domain: [String: Any], forName domainName: String) {
    replacePersistentDomain(domainName, with: domain)
  }

  open override func removePersistentDomain(forName domainName: String) {
    replacePersistentDomain(domainName, with: [:])
  }

  /// Replaces the values of a domain.
  ///
  /// Foundation's methods post a notification themselves, which would be during the change.
  private func replacePersistentDomain(_ name: String, with values: [String: Any]) {
    DefaultsTable.change(nil, of: self) {
      guard let domain = UserDefaults(suiteName: name) else { return }
      for key in (super.persistentDomain(forName: name) ?? [:]).keys {
        domain.removeObject(forKey: key)
      }
      for (key, value) in values { domain.set(value, forKey: key) }
      domain.synchronize()
    }
  }

  open override func addSuite(named suiteName: String) {
    DefaultsTable.change(nil, of: self) { super.addSuite(named: suiteName) }
  }

  open override func removeSuite(named suiteName: String) {
    DefaultsTable.change(nil, of: self) { super.removeSuite(named: suiteName) }
  }

  // MARK: Observing

  /// Registers an observer for a key, which may contain dots.
  ///
  /// The observer is referenced weakly; a deallocated one is forgotten.
  open func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {
    let row = DefaultsRow(self, keyPath, options, .observer(.init(observer, context)))
    DefaultsTable.add(row)
    if options.contains(.initial) { row.tellInitial(value(forKey: keyPath)) }
  }

  /// Removes an observer's registration with this context; raises an `NSRangeException` if there is none.
  open func removeObserver(
    _ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) {
    remove(observer, keyPath) { $0 == context }
  }

  /// Removes a registration of an observer; raises an `NSRangeException` if there is none.
  open func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
    remove(observer, keyPath) { _ in true }
  }

  private func remove(
    _ observer: NSObject, _ keyPath: String, _ hasContext: (UnsafeMutableRawPointer?) -> Bool
  ) {
    if DefaultsTable.remove(observer, keyPath, of: self, hasContext) { return }
    Exception.range.raise(
      "Cannot remove an observer \(Exception.address(of: observer)) for the key path \"\(keyPath)\" from "
        + "\(Exception.address(of: self)) because it is not registered as an observer.")
  }

  /// Calls a closure when the value of a key, which may contain dots, changes.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - options: The values that the change carries, and the additional calls that are made.
  ///   - fileID: Where the observer is registered, for `KeyValueTrace`.
  ///   - line: The line there.
  ///   - changeHandler: Receives these settings and the change.
  /// - Returns: The token; the registration ends with it.
  public func observe(
    _ key: String, options: NSKeyValueObservingOptions = [],
    fileID: StaticString = #fileID, line: UInt = #line,
    changeHandler: @escaping (UserDefaults, NSKeyValueObservedChange<Any?>) -> Void
  ) -> NSKeyValueObservation {
    let cell = DefaultsCell(key, of: self)
    DefaultsTable.add(DefaultsRow(self, key, options, .cell(cell)))
    return cell.observe(options, fileID, line) { [weak self] change in
      if let self { changeHandler(self, change) }
    }
  }

  /// Unavailable: a key path to a property of settings has no name.
  @available(
    *, unavailable,
    message: "A key path has no name here; observe the key as a string: observe(\"key\")"
  )
  public func observe<Value>(
    _ keyPath: KeyPath<UserDefaults, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (UserDefaults, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    fatalError("unavailable")
  }

  /// Announces nothing, since settings announce their changes themselves.
  open func willChangeValue(forKey key: String) {}

  /// Announces nothing; see ``willChangeValue(forKey:)``.
  open func didChangeValue(forKey key: String) {}
}
