import KeyValueObserving
import Synchronization

/// A class whose stored keys notify manually, except one.
@KeyValueObservable
public final class Ledger {
  /// Notifies manually.
  @NotifiesManually public var openingBalance = 0.0
  /// Notifies manually, together with other keys.
  @NotifiesManually public var itemChanged = 0
  /// An ordered to-many key that notifies manually.
  @NotifiesManually public var entries: [String] = []
  /// An unordered to-many key that notifies manually.
  @NotifiesManually public var labels: Set<String> = []
  /// A relationship that notifies manually.
  @NotifiesManually public var successor: Ledger?
  /// Notifies automatically.
  public var rate = 0.5

  /// Depends on a manual key and an automatic one.
  @DependsOn("openingBalance", "rate")
  public var closingBalance: Double { openingBalance * (1 + rate) }

  /// Creates an empty ledger.
  public init() {}
}

/// A class with methods that turn automatic notification off.
@KeyValueObservable
open class Household {
  /// Turned off by the general method.
  public var lamp = 0
  /// Turned off by the method named after the key.
  public var fan = 0
  /// Notifies automatically.
  public var heater = 0

  /// Creates a household with everything at 0.
  public init() {}

  /// Turns automatic notification off for `lamp`.
  open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    key != "lamp"
  }

  /// Turns automatic notification off for `fan`.
  open class func automaticallyNotifiesObserversOfFan() -> Bool { false }
}

/// A value that threads share under a lock, and that notifies manually for every set.
@KeyValueObservable
public final class Gauge: Sendable {
  @KeyValueIgnored private let storage = Lock(0)

  /// The value; each set is one notification.
  @NotifiesManually public var level: Int {
    get { storage.withLock { $0 } }
    set { withChange(of: "level") { storage.withLock { $0 = newValue } } }
  }

  /// Creates a gauge at 0.
  public init() {}
}

/// A reference to a gauge that any thread can replace.
@KeyValueObservable
public final class Pipe: Sendable {
  @KeyValueIgnored private let storage: Lock<Gauge>

  /// The gauge; each set is one notification.
  @NotifiesManually public var gauge: Gauge {
    get { storage.withLock { $0 } }
    set { withChange(of: "gauge") { storage.replace(with: newValue) } }
  }

  /// Creates a pipe with this gauge.
  public init(_ gauge: Gauge) {
    storage = Lock(gauge)
  }
}

/// A class whose dependent key calls a closure when it is read.
@KeyValueObservable
public final class Probe {
  /// The level that the reading depends on.
  public var level = 0
  /// Called by the getter of `reading`.
  @KeyValueIgnored public var onRead: (() -> Void)?

  /// The level, from a getter that calls `onRead`.
  @DependsOn("level")
  public var reading: Int {
    onRead?()
    return level
  }

  /// Creates a probe at level 0.
  public init() {}
}

/// A class that holds a value of any type, a tracked instance and a value that counts its copies.
@KeyValueObservable
public final class Crate {
  /// A value of any type.
  public var content: Any?
  /// A tracked instance, held strongly.
  public var cargo: LifetimeTracker.Instance?
  /// A value that counts its copies.
  public var counted = CopyCounting()

  /// Creates an empty crate.
  public init() {}
}

/// A copy-on-write value that counts how often its contents are copied.
public struct CopyCounting {
  private final class Contents {
    var elements: [Int] = []
  }

  private var contents = Contents()
  /// The number of mutations that had to copy the contents.
  public private(set) var copies = 0

  /// Creates an empty value.
  public init() {}

  /// The number of elements.
  public var count: Int { contents.elements.count }

  /// Adds an element, in place if the contents are uniquely referenced.
  public mutating func append(_ element: Int) {
    if !isKnownUniquelyReferenced(&contents) {
      let copy = Contents()
      copy.elements = contents.elements
      contents = copy
      copies += 1
    }
    contents.elements.append(element)
  }
}

/// An object that runs an action in `deinit`.
public final class Undertaker {
  private let action: () -> Void

  /// Creates an object that runs this action in `deinit`.
  public init(_ action: @escaping () -> Void) {
    self.action = action
  }

  deinit {
    action()
  }
}
