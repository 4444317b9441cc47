import KeyValueObserving

/// A class that observes itself and calls a closure in `deinit`.
@KeyValueObservable
public final class Diary {
  /// The key that the diary observes.
  public var page = 1
  /// Depends on the page.
  public var title: String { "page \(page)" }
  /// Called in `deinit`.
  @KeyValueIgnored public var onDeath: ((Diary) -> Void)?
  @KeyValueIgnored private var token: KeyValueObservation?

  /// Creates a diary at page 1.
  public init() {}

  /// Starts to observe itself, with a token that it owns.
  public func begin(_ log: ChangeLog) {
    token = observe(\.page, options: .new, changeHandler: log.handler("page"))
  }

  deinit {
    onDeath?(self)
  }
}

/// A person that is its own observer.
public final class Introvert: Person, KeyValueObserver {
  /// The key path of every change that it received.
  public private(set) var told: [String] = []

  /// Records the key path.
  public func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    told.append(keyPath)
  }
}

/// An observer that removes itself from a person in `deinit`.
public final class Leaver: KeyValueObserver {
  private let person: Person

  /// Creates an observer that removes itself from this person.
  public init(_ person: Person) {
    self.person = person
  }

  deinit {
    for info in person.observationInfo {
      try? person.removeObserver(self, forKeyPath: info.keyPath, context: info.context)
    }
  }

  /// Does nothing: the tests release the observer before a change.
  public func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {}
}

/// A class with a computed property that has a setter.
@KeyValueObservable
public final class Converter {
  /// The stored temperature.
  public var celsius = 0.0

  /// The same temperature; depends on the stored one, by inference.
  public var fahrenheit: Double {
    get { celsius * 9 / 5 + 32 }
    set { celsius = (newValue - 32) * 5 / 9 }
  }

  /// Creates a converter at the freezing point.
  public init() {}
}

/// A class without the macro, whose computed property has no known dependencies.
public final class Bridge: KeyValueObservable {
  private let registrar = KeyValueRegistrar()
  private var elsewhere = 0

  /// The height, stored where the library cannot see it change.
  public var height: Int {
    get { elsewhere }
    set { elsewhere = newValue }
  }

  /// Creates a bridge of height 0.
  public init() {}

  /// Passes the registrar to the closure.
  public func _$kvoWithRegistrar<Result>(
    _ body: (borrowing KeyValueRegistrar) -> Result
  ) -> Result {
    body(registrar)
  }

  /// Defines the only key.
  public static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    schema.computed(
      "height", \Bridge.height, get: { (bridge: Bridge) in bridge.height },
      set: { $0.height = $1 })
  }

  /// Returns only what the schema defines.
  public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
  }

  /// Returns only what the schema defines.
  public static func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
  }

  /// Throws, because there are no other keys.
  public func value(forUndefinedKey key: String) throws -> Any? {
    throw KeyValueCodingError.undefinedKey(key, of: self)
  }

  /// Throws, because there are no other keys.
  public func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    throw KeyValueCodingError.undefinedKey(key, of: self)
  }

  /// Throws, because the height cannot be nil.
  public func setNilValue(forKey key: String) throws {
    throw KeyValueCodingError.nilValue(key, of: self)
  }
}

/// A class that creates its related object when the relationship is first read.
@KeyValueObservable
public final class Workshop {
  /// The account, after it has been created.
  public var made: Account?

  /// The account, created on demand.
  @DependsOn("made")
  public var account: Account {
    if let made { return made }
    let account = Account()
    made = account
    return account
  }

  /// Creates a workshop without an account.
  public init() {}
}
