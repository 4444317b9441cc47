import KeyValueObserving

/// A class that observes itself and does what a test wants while it dies.
@KeyValueObservable
public final class Diary {
  /// What it observes of itself.
  public var page = 1
  /// Depends on the page.
  public var title: String { "page \(page)" }
  /// Called at the beginning of the end.
  @KeyValueIgnored public var onDeath: ((Diary) -> Void)?
  @KeyValueIgnored private var token: KeyValueObservation?

  /// Creates a diary at page 1.
  public init() {}

  /// Observes itself from now on, with a token that it owns.
  public func begin(_ log: ChangeLog) {
    token = observe(\.page, options: .new, changeHandler: log.handler("page"))
  }

  deinit {
    onDeath?(self)
  }
}

/// A person that is its own observer.
public final class Introvert: Person, KeyValueObserver {
  /// The last key of every key path it was told of.
  public private(set) var told: [String] = []

  /// Notes the key path.
  public func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    told.append(keyPath)
  }
}

/// An observer that removes itself from a person when it dies.
public final class Leaver: KeyValueObserver {
  private let person: Person

  /// Creates an observer that will leave this person.
  public init(_ person: Person) {
    self.person = person
  }

  deinit {
    for info in person.observationInfo {
      try? person.removeObserver(self, forKeyPath: info.keyPath, context: info.context)
    }
  }

  /// Never called in the tests, because it is not there any more.
  public func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {}
}

/// A class with a computed property that can be set.
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

/// A class written without the macro, with a computed property that depends on nothing known.
public final class Bridge: KeyValueObservable {
  private let registrar = KeyValueRegistrar()
  private var elsewhere = 0

  /// Kept where nobody can see it change.
  public var height: Int {
    get { elsewhere }
    set { elsewhere = newValue }
  }

  /// Creates a bridge of height 0.
  public init() {}

  /// Lends the registrar.
  public func _$kvoWithRegistrar<Result>(
    _ body: (borrowing KeyValueRegistrar) -> Result
  ) -> Result {
    body(registrar)
  }

  /// Writes down the one key.
  public static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    schema.computed(
      "height", \Bridge.height, get: { (bridge: Bridge) in bridge.height },
      set: { $0.height = $1 })
  }

  /// Nothing but what the schema knows.
  public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    KeyValueSchema.keyPathsForValuesAffectingValue(forKey: key, of: self)
  }

  /// Nothing but what the schema knows.
  public static func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    KeyValueSchema.automaticallyNotifiesObservers(forKey: key, of: self)
  }

  /// There are no others.
  public func value(forUndefinedKey key: String) throws -> Any? {
    throw KeyValueCodingError.undefinedKey(key, of: self)
  }

  /// There are no others.
  public func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    throw KeyValueCodingError.undefinedKey(key, of: self)
  }

  /// A height is needed.
  public func setNilValue(forKey key: String) throws {
    throw KeyValueCodingError.nilValue(key, of: self)
  }
}

/// A class whose relationship is made when it is first read.
@KeyValueObservable
public final class Workshop {
  /// The account, once there is one.
  public var made: Account?

  /// The account, made on demand.
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
