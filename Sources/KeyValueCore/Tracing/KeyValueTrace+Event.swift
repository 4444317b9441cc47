extension KeyValueTrace {
  /// One thing that happened in observing.
  ///
  /// ```swift
  /// let token = KeyValueTrace.observe { event in print(event) }
  /// person.firstName = "Grace"
  /// // Person.firstName is set, was "Ada"
  /// // Person.firstName: closure registered at main.swift:9 is told: "Ada" -> "Grace"
  /// // Person.firstName: closure returns after 1.2 µs
  /// // Person.firstName has changed: "Ada" -> "Grace" after 3.4 µs
  /// ```
  ///
  /// An event retains no observed object. Its values are described when they're asked for.
  public struct Event: Sendable, Identifiable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// An observer was registered.
      case registered
      /// A registration ended.
      case ended
      /// An observed property is about to change.
      case changeBegan
      /// The change is complete, and its observers have been told. `cause` is its beginning.
      case changeEnded
      /// An observer is being called.
      case delivered
      /// The observer has returned. `cause` is the delivery.
      case returned
      /// An observer is to be called at the end of the transaction, or at its `destination`.
      case deferred
      /// An observer isn't called; `reason` says why.
      case skipped
      /// An observed object, or one on a path, has died.
      case died
      /// A misuse was reported.
      case violation
    }

    /// What an event tells; its properties are described where users see them.
    struct Fields: Sendable {
      var id: UInt64
      var kind: Kind
      var cause: UInt64?
      var depth = 0
      var nanoseconds: UInt64 = 0
      var thread = 0
      var duration: UInt64?
      var object: Object?
      var keyPath = ""
      var registration: Registration?
      var changeKind = KeyValueChangeKind.setting
      var isPrior = false
      var isInitial = false
      var isDeferred = false
      var destination: String?
      var oldValue: Value?
      var newValue: Value?
      var way: [Step] = []
      var reason: SkipReason?
      var message: String?
      var ranges: IndexRanges?
      /// What tells where a change is made, while that's recorded.
      var callSite: (any CallSite)?

      init(_ kind: Kind, id: UInt64) {
        self.kind = kind
        self.id = id
      }
    }

    // Checked by hand: it's changed only before anything keeps the event, or where nothing does.
    /// The fields in one place, because an event is passed on more often than it's changed.
    private final class Content: @unchecked Sendable {
      @exclusivity(unchecked) var fields: Fields

      init(_ fields: Fields) { self.fields = fields }

      init(_ kind: Kind, id: UInt64) { fields = Fields(kind, id: id) }
    }

    private var content: Content

    private init(content: Content) { self.content = content }

    init(_ kind: Kind, id: UInt64) { self.init(content: Content(kind, id: id)) }

    var fields: Fields { content.fields }

    /// Whether something else keeps the event.
    var isKept: Bool { mutating get { !isKnownUniquelyReferenced(&content) } }

    /// An event of its own with the same fields.
    func copy() -> Event { Event(content: Content(fields)) }

    /// Changes the event, which nothing else may keep.
    mutating func change(_ body: (inout Fields) -> Void) { body(&content.fields) }

    /// The event's number; a later event of the same thread has a greater one.
    public var id: UInt64 { content.fields.id }

    /// What happened.
    public var kind: Kind { content.fields.kind }

    /// The event inside which this one happened; nil for one that began it all.
    ///
    /// A change happens inside the delivery whose observer made it, a delivery inside the change that
    /// it tells of.
    public var cause: UInt64? { content.fields.cause }

    /// How many events this one is inside of.
    public var depth: Int { content.fields.depth }

    /// When it happened, in nanoseconds of a clock that never goes back.
    public var nanoseconds: UInt64 { content.fields.nanoseconds }

    /// The thread it happened on: 1 for the first that was traced, and so on.
    public var thread: Int { content.fields.thread }

    /// How long the observer ran, or the change and its deliveries took, in nanoseconds.
    ///
    /// `returned` and `changeEnded` have it; in a finished record their beginnings have it too.
    public var duration: UInt64? { content.fields.duration }

    /// The object: the observed one; for a change, the changed one.
    public var object: Object? { content.fields.object }

    /// The key of a change, or the key path of a registration and of its deliveries.
    public var keyPath: String { content.fields.keyPath }

    /// The registration that began, ended, was called or wasn't.
    public var registration: Registration? { content.fields.registration }

    /// What kind of change it is, or tells of.
    public var changeKind: KeyValueChangeKind { content.fields.changeKind }

    /// Whether the observer is called before the change.
    public var isPrior: Bool { content.fields.isPrior }

    /// Whether the observer is told the value at its registration.
    public var isInitial: Bool { content.fields.isInitial }

    /// Whether the observer is told at the end of a transaction.
    public var isDeferred: Bool { content.fields.isDeferred }

    /// The queue or the actor that calls the observer, as it's written: `mainActor`, `queue(label)`.
    ///
    /// It's nil where the observer is called by the thread that makes the change.
    public var destination: String? { content.fields.destination }

    /// The value before; nil where the event has none.
    ///
    /// A change has it, and a delivery if the observer asks for it.
    public var oldValue: Value? { content.fields.oldValue }

    /// The value after; nil where the event has none.
    public var newValue: Value? { content.fields.newValue }

    /// How a change reached an observer that observes something else than the changed property.
    public var way: [Step] { content.fields.way }

    /// Why an observer isn't called.
    public var reason: SkipReason? { content.fields.reason }

    /// What a violation says.
    public var message: String? { content.fields.message }

    /// Where the observer was registered, or where the change is made; nil for other events, and where
    /// that isn't known.
    ///
    /// The place of a change is known if the program records call sites: the module `KeyValueCallSites`
    /// has `KeyValueTrace.recordCallSites()`. It's found out when it's asked for.
    public var place: Place? {
      registration?.place ?? content.fields.callSite?.place(ofChanging: keyPath)
    }

    /// The indexes that a change concerns; nil for a setting.
    public var indexes: RangeSet<Int>? { content.fields.ranges?.set }

    /// The class and the key path: `Person.fullName`.
    public var subject: String {
      let name = object?.className ?? "?"
      return keyPath.isEmpty ? name : "\(name).\(keyPath)"
    }
  }

  /// An object's class and identity; it doesn't keep the object alive.
  public struct Object: Sendable, Hashable {
    /// The object's class.
    public let type: AnyClass
    /// The object's address, 0 where it isn't known; a later object may have the same.
    public let address: UInt

    init(_ object: AnyObject) {
      type = Swift.type(of: object)
      address = UInt(bitPattern: ObjectIdentifier(object))
    }

    init(type: AnyClass, address: UInt = 0) {
      self.type = type
      self.address = address
    }

    /// The class's name.
    public var className: String { "\(type)" }

    /// Whether both are the same object.
    public static func == (left: Object, right: Object) -> Bool {
      left.address == right.address && left.type == right.type
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(address)
      hasher.combine(ObjectIdentifier(type))
    }
  }

  /// Who observes what, and where that was asked for.
  public struct Registration: Sendable, Hashable {
    /// What kind of observer it is.
    public enum Role: UInt8, Sendable, Hashable, CaseIterable {
      /// A closure that its token keeps, or a target's method.
      case observer
      /// A binding's source, whose value is passed on.
      case binding
      /// A binding's target, whose value is passed back.
      case bindingBack
      /// An object on the way to a binding's target.
      case bindingOwner
      /// A controller's handler.
      case controller
      /// An actor, a queue, a sequence or a publisher.
      case receiver
      /// A change recorder.
      case recorder
    }

    /// The registration's number; a later one has a greater one.
    public let number: UInt64
    /// The observed key path.
    public let keyPath: String
    /// The observer: `closure`, or its class.
    public let observer: String
    /// What kind of observer it is.
    public let role: Role
    /// What the observer asks for.
    public let options: KeyValueObservingOptions
    /// Where it was registered; nil where that isn't known.
    public let place: Place?
  }

  /// A line of source.
  public struct Place: Sendable, Hashable {
    let place: SourcePlace

    init?(_ place: SourcePlace) {
      guard place.isKnown else { return nil }
      self.place = place
    }

    /// The module and the file: `App/View.swift`.
    public var fileID: String { place.fileID }

    /// The line; one above 65,535 counts as that.
    public var line: Int { place.line }
  }

  /// One step from a changed property to an observed key: a dependent key, and the path through
  /// which it depends.
  public struct Step: Sendable, Hashable {
    /// The class with the dependent key.
    public let className: String
    /// The dependent key.
    public let key: String
    /// The path that the key depends on, which leads to the change.
    public let path: String
  }

  /// Why an observer isn't called.
  public enum SkipReason: UInt8, Sendable, Hashable, CaseIterable {
    /// The registration ended after the change had begun.
    case ended
    /// The observer, the target or the actor has died.
    case observerDied
    /// The change is part of a larger one, of which the observer is told.
    case partOfLargerChange
    /// The transaction restored the value.
    case rolledBack
    /// The observers called each other in a circle too often.
    case runaway
    /// The change is a binding's own echo.
    case echo
  }
}
