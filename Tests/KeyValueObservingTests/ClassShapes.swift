import KeyValueObserving

// Classes of every shape that Swift allows. The test is that this file compiles in Swift 6 mode
// without a warning; `ClassShapesTests` also uses a few of the classes.

enum Shapes {
  // MARK: Stored properties

  @KeyValueObservable
  class Empty {}

  @KeyValueObservable
  final class FinalEmpty {}

  @KeyValueObservable
  class OnlyComputed {
    var answer: Int { 42 }
  }

  @KeyValueObservable
  class Plain {
    var withValue = 1
    var withTypeAndValue: Double = 2
    var optional: String?
    var implicitlyUnwrapped: String!
    var array: [Int] = []
    var dictionary: [String: [Int]] = [:]
    var set: Set<String> = []
    var tuple: (Int, name: String) = (1, "one")
    var function: (Int) -> Int = { $0 + 1 }
    var optionalFunction: (() -> Void)?
    var existential: any Error = Failure()
    var initialisedByClosure: [String] = {
      var names = ["a"]
      names.append("b")
      return names
    }()
    var multiLine = """
      one
      two
      """

    struct Failure: Error {}
  }

  @KeyValueObservable
  class SetInInit {
    var name: String
    let id: Int
    var optional: Int?
    var defaulted = 1

    init(name: String, id: Int) {
      self.name = name
      self.id = id
      defaulted = id
    }

    convenience init(name: String) {
      self.init(name: name, id: 0)
      self.name += "!"
    }
  }

  @KeyValueObservable
  class FailableInit {
    var value: Int
    init?(_ value: Int) {
      guard value > 0 else { return nil }
      self.value = value
    }
    init(throwing value: Int) throws { self.value = value }
    deinit { value = 0 }
  }

  @KeyValueObservable
  class Owners {
    weak var delegate: AnyObject?
    weak var parent: Owners? = nil
    unowned var owner: AnyObject
    unowned let root: AnyObject
    unowned(unsafe) var raw: AnyObject
    unowned var optionalOwner: Owners?
    weak var observedWeak: Owners? { didSet { changes += 1 } }
    var changes = 0

    init(owner: AnyObject) {
      self.owner = owner
      root = owner
      raw = owner
    }
  }

  @KeyValueObservable
  class Observers {
    var log: [String] = []
    var plain = 0 {
      willSet { log.append("will \(plain) -> \(newValue)") }
      didSet { log.append("did \(oldValue) -> \(plain)") }
    }
    var named = 0 {
      willSet(next) { log.append("next \(next)") }
      didSet(previous) { log.append("previous \(previous)") }
    }
    var clamped = 0 {
      didSet {
        if clamped > 10 { clamped = 10 }
        if self.clamped < 0 { self.clamped = 0 }
        let other = clamped
        log.append("clamped \(other)")
      }
    }
    var shadowing: Int? = 1 {
      didSet {
        if let shadowing { log.append("\(shadowing)") }
        let double = { (shadowing: Int) in shadowing * 2 }
        log.append("\(double(3))")
      }
    }
    var withoutValue: String { didSet {} }
    var inInit = 1 { didSet { log.append("inInit") } }
    init() { withoutValue = "" }
  }

  @KeyValueObservable
  class ObserversThatRead {
    @KeyValueIgnored var log: [String] = []
    var number = 0 {
      willSet { check("will") }
      didSet { check("did") }
    }
    var before = 0 { willSet { check("will", before) } }
    var after = 0 { didSet { check("did", readAfter()) } }
    var clamped = 0 { didSet { clamp() } }
    var list: [Int] = [] {
      willSet { log.append("will \(readList())") }
      didSet { log.append("did \(readList())") }
    }
    func check(_ when: String) { log.append("\(when) \(number)") }
    func check(_ when: String, _ value: Int) { log.append("\(when) \(value)") }
    func readAfter() -> Int { after }
    func readList() -> [Int] { list }
    func clamp() {
      if clamped > 10 { clamped = 10 }
    }
  }

  @KeyValueObservable
  class ObserversThatReadBelow: ObserversThatRead {
    var own = 0 { didSet { check("own", readOwn()) } }
    override var after: Int { didSet { check("below", readAfter()) } }
    func readOwn() -> Int { own }
  }

  @KeyValueObservable
  class Access {
    private var hidden = 1
    fileprivate var file = 2
    internal var explicit = 3
    private(set) var readable = 4
    fileprivate(set) var fileSettable = 5
    package var packaged = 6
    private let secret = 7
    private var secretSum: Int { hidden + secret }
    fileprivate(set) weak var weakReadable: AnyObject?
    func bump() {
      readable += 1
      hidden += 1
    }
  }

  @KeyValueObservable
  class Names {
    var `default` = 1
    var `class` = "c"
    var `self`: Int = 2
    var rawValue = 3
    var hashValue = 4
    var description = "d"
    var key = "k"
    var value = 5
    var schema = "s"
    var newValue = 6
    var initialValue = 7
    var modification = 8
    var äöü = 9
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var Capital = 10
    var `in`: Int { `default` + key.count }
  }

  @KeyValueObservable
  class Attributes {
    @available(*, message: "still here") var available = 1
    @usableFromInline internal var usable = 2
    @preconcurrency var preconcurrency = 4
    final var final = 5
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var claimedPublic = 6
  }

  @KeyValueObservable
  class NotTracked {
    static var shared: Int { 1 }
    static let constant = 1
    class var overridable: Int { 2 }
    let (x, y) = (1, 2)
    let a = 1, b = "2"
    @KeyValueIgnored var cache: [String: Int] = [:]
    @KeyValueIgnored lazy var ignoredLazy = 1
    @KeyValueIgnored var c = 1, d = 2
    @NotifiesManually lazy var lazyNumber = 1
    @NotifiesManually var manual = 1.0
    @NotifiesManually var manualObserved = 1 { didSet {} }
    @NotifiesManually weak var manualWeak: AnyObject?
    @NotifiesManually @Wrapped var wrapped = 1
    @KeyValueIgnored @Wrapped var ignoredWrapped = 1
  }

  @propertyWrapper
  struct Wrapped {
    var wrappedValue: Int
  }

  // MARK: Computed properties

  @KeyValueObservable
  class Computed {
    var first = "a"
    var last = "b"
    var stored: Account? = nil
    var accounts: [Account] = []

    var name: String { "\(first) \(last)" }
    var withGetter: String { get { first } }
    var settable: String {
      get { first }
      set { first = newValue }
    }
    private(set) var privatelySettable: String {
      get { first }
      set { last = newValue }
    }
    var modified: String {
      get { first }
      _modify { yield &first }
    }
    var coroutine: String {
      _read { yield last }
      _modify { yield &last }
    }
    @DependsOn("accounts.@sum.balance", "first") var total: Int { 1 }
    @DependsOn(\Computed.stored?.balance) var balance: Int { stored?.balance ?? 0 }
    @DependsOn(\Computed.first, \Computed.last) var both: String { name }
    @DependsOn("first") @DependsOn(\Computed.last) var twice: String { name }
    @DependsOn() var quiet: Int { Int(pseudoRandom()) }
    @NotifiesManually var manual: Int {
      get { first.count }
      set { last = "\(newValue)" }
    }
    @inlinable var inlinable: Int { 1 }
    @available(swift, obsoleted: 5.0, renamed: "name") var title: String { name }
    @discardableResult func pseudoRandom() -> UInt8 { 4 }
  }

  @KeyValueObservable
  final class Account {
    var balance = 0
  }
}
