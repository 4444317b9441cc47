import KeyValueObserving
import Synchronization

/// A class whose keys announce themselves by hand, but for one.
@KeyValueObservable
public final class Ledger {
  /// Announced by hand.
  @NotifiesManually public var openingBalance = 0.0
  /// Announced by hand, in the same breath as others.
  @NotifiesManually public var itemChanged = 0
  /// An ordered to-many key announced by hand.
  @NotifiesManually public var entries: [String] = []
  /// An unordered to-many key announced by hand.
  @NotifiesManually public var labels: Set<String> = []
  /// A relationship announced by hand.
  @NotifiesManually public var successor: Ledger?
  /// Announces itself.
  public var rate = 0.5

  /// Depends on a manual key and an automatic one.
  @DependsOn("openingBalance", "rate")
  public var closingBalance: Double { openingBalance * (1 + rate) }

  /// Creates an empty ledger.
  public init() {}
}

/// A class whose automatic notification is switched by methods.
@KeyValueObservable
open class Household {
  /// Switched off by the general method.
  public var lamp = 0
  /// Switched off by the method named after it.
  public var fan = 0
  /// Left on.
  public var heater = 0

  /// Creates a household with everything at 0.
  public init() {}

  /// Off for one key.
  open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    key != "lamp"
  }

  /// Off for another key.
  open class func automaticallyNotifiesObserversOfFan() -> Bool { false }
}

/// A value shared between threads under its own lock, announced around every set.
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

/// A link to a gauge that may be exchanged from any thread.
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

/// A class whose dependent key does what a test wants while it is read.
@KeyValueObservable
public final class Probe {
  /// What the reading depends on.
  public var level = 0
  /// Called whenever the reading is read.
  @KeyValueIgnored public var onRead: (() -> Void)?

  /// The level.
  @DependsOn("level")
  public var reading: Int {
    onRead?()
    return level
  }

  /// Creates a probe at level 0.
  public init() {}
}

/// A class that holds values of any type and objects that count their deaths.
@KeyValueObservable
public final class Crate {
  /// Whatever is in it.
  public var content: Any?
  /// What it keeps alive.
  public var cargo: LifetimeTracker.Instance?
  /// A value that knows how often it was copied.
  public var counted = CopyCounting()

  /// Creates an empty crate.
  public init() {}
}

/// A value that counts the copies of its contents, as a collection would have to make them.
public struct CopyCounting {
  private final class Contents {
    var elements: [Int] = []
  }

  private var contents = Contents()
  /// How often the contents had to be copied before they could be changed.
  public private(set) var copies = 0

  /// Creates an empty value.
  public init() {}

  /// How many elements there are.
  public var count: Int { contents.elements.count }

  /// Adds an element, in place where nobody else holds the contents.
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

/// Runs an action when it dies.
public final class Undertaker {
  private let action: () -> Void

  /// Creates an object with the action for its end.
  public init(_ action: @escaping () -> Void) {
    self.action = action
  }

  deinit {
    action()
  }
}
