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
  /// An event retains no observed object. Its values are described on demand.
  public struct Event: Sendable, Identifiable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// An observer was registered.
      case registered
      /// A registration ended.
      case ended
      /// An observed property is about to change.
      case changeBegan
      /// The change is complete, and its observers have been notified. `cause` is its beginning.
      case changeEnded
      /// An observer is being called.
      case delivered
      /// The observer has returned. `cause` is the delivery.
      case returned
      /// An observer will be called at the end of the transaction, or at its `destination`.
      case deferred
      /// An observer isn't called; `reason` says why.
      case skipped
      /// An observed object, or one on a path, has died.
      case died
      /// A misuse was reported.
      case violation
    }

    /// An event's contents; the event's public properties document them.
    struct Fields: Sendable {
      var id: UInt64 = 0
      var kind = Kind.registered
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
      /// Who makes the change.
      var mark = ChangeMark()
      var destination: String?
      var oldValue: Value?
      var newValue: Value?
      var way: [Step] = []
      var reason: SkipReason?
      var message: String?
      var ranges: IndexRanges?
      /// The call site of a change, if call sites are recorded.
      var callSite: (any CallSite)?
    }

    // Checked by hand: the fields change only while nothing else keeps the event.
    /// The fields in a box, because an event is passed on more often than it's changed.
    private final class Content: @unchecked Sendable {
      @exclusivity(unchecked) var fields: Fields

      init(_ fields: Fields) { self.fields = fields }
    }

    private var content: Content

    private init(content: Content) { self.content = content }

    /// Creates an event to be filled.
    init() { self.init(content: Content(Fields())) }

    var fields: Fields { content.fields }

    /// Whether something else keeps the event.
    var isKept: Bool { mutating get { !isKnownUniquelyReferenced(&content) } }

    /// A separate event with the same fields.
    func copy() -> Event { Event(content: Content(fields)) }

    /// Changes the event, which nothing else may keep.
    mutating func change(_ body: (inout Fields) -> Void) { body(&content.fields) }

    /// The event's number; a later event of the same thread has a greater number.
    public var id: UInt64 { content.fields.id }

    /// What happened.
    public var kind: Kind { content.fields.kind }

    /// The event inside which this one happened; nil for an outermost event.
    ///
    /// A change happens inside the delivery whose observer made it. A delivery happens inside the
    /// change that it reports.
    public var cause: UInt64? { content.fields.cause }

    /// The number of events that enclose this one.
    public var depth: Int { content.fields.depth }

    /// When the event happened, in nanoseconds of a monotonic clock.
    public var nanoseconds: UInt64 { content.fields.nanoseconds }

    /// The thread on which the event happened: 1 for the first traced thread, and so on.
    public var thread: Int { content.fields.thread }

    /// How long the observer ran, or the change and its deliveries took, in nanoseconds.
    ///
    /// `returned` and `changeEnded` events have a duration. In a finished record, so do the events
    /// that began them.
    public var duration: UInt64? { content.fields.duration }

    /// The observed object; for a change, the changed object.
    public var object: Object? { content.fields.object }

    /// The key of a change, or the key path of a registration and of its deliveries.
    public var keyPath: String { content.fields.keyPath }

    /// The registration that began, ended, was called or was skipped.
    public var registration: Registration? { content.fields.registration }

    /// The kind of the change, or of the delivered change.
    public var changeKind: KeyValueChangeKind { content.fields.changeKind }

    /// Whether the observer is called before the change.
    public var isPrior: Bool { content.fields.isPrior }

    /// Whether the observer is called with the initial value at its registration.
    public var isInitial: Bool { content.fields.isInitial }

    /// Whether the observer is called at the end of a transaction.
    public var isDeferred: Bool { content.fields.isDeferred }

    /// Where the change was made: in this program, or by the writer of a record that is being applied.
    public var origin: KeyValueChangeOrigin { content.fields.mark.origin }

    /// The queue or actor that calls the observer, such as `mainActor` or `queue(label)`.
    ///
    /// Nil if the thread that makes the change calls the observer.
    public var destination: String? { content.fields.destination }

    /// The old value; nil if the event has none.
    ///
    /// A change has an old value. A delivery has one if the observer asks for it.
    public var oldValue: Value? { content.fields.oldValue }

    /// The new value; nil if the event has none.
    public var newValue: Value? { content.fields.newValue }

    /// How a change reached an observer of something other than the changed property.
    public var way: [Step] { content.fields.way }

    /// Why an observer isn't called.
    public var reason: SkipReason? { content.fields.reason }

    /// The message of a violation.
    public var message: String? { content.fields.message }

    /// Where the observer was registered, or where the change is made; nil for other events, and if
    /// that isn't known.
    ///
    /// The place of a change is known if the program records call sites with
    /// `KeyValueTrace.recordCallSites()` of the module `KeyValueCallSites`. The place is looked up
    /// on demand.
    public var place: Place? {
      registration?.place
        ?? content.fields.callSite?.place(ofChanging: keyPath, of: object?.type)
    }

    /// The indexes that a change affects; nil for a setting.
    public var indexes: RangeSet<Int>? { content.fields.ranges?.ofChange }

    /// The class and the key path: `Person.fullName`.
    public var subject: String {
      let name = object?.className ?? "?"
      return keyPath.isEmpty ? name : "\(name).\(keyPath)"
    }
  }

  /// An object's class and identity; the object isn't retained.
  public struct Object: Sendable, Hashable {
    /// The object's class.
    public let type: AnyClass
    /// The object's address, or 0 if it isn't known; a later object may have the same address.
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

  /// An observer, what it observes and where it was registered.
  public struct Registration: Sendable, Hashable {
    /// What kind of observer it is.
    public enum Role: UInt8, Sendable, Hashable, CaseIterable {
      /// A closure with a token, or a target's method.
      case observer
      /// A binding's source, whose value is passed on.
      case binding
      /// A binding's target, whose value is passed back.
      case bindingBack
      /// An object on the path to a one-way binding's target.
      case bindingOwner
      /// A controller's handler.
      case controller
      /// An actor, a queue, a sequence or a publisher.
      case receiver
      /// A change recorder.
      case recorder
    }

    /// The registration's number; a later registration has a greater number.
    public let number: UInt64
    /// The observed key path.
    public let keyPath: String
    /// The observer: `closure`, or its class.
    public let observer: String
    /// What kind of observer it is.
    public let role: Role
    /// What the observer asks for.
    public let options: KeyValueObservingOptions
    /// Where the observer was registered; nil if that isn't known.
    public let place: Place?
  }

  /// A line of source code.
  public struct Place: Sendable, Hashable {
    let place: SourcePlace

    package init?(_ place: SourcePlace) {
      guard place.isKnown else { return nil }
      self.place = place
    }

    /// The module and the file: `App/View.swift`.
    public var fileID: String { place.fileID }

    /// The line number, at most 65,535.
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
    /// The change is part of a larger one, of which the observer is notified.
    case partOfLargerChange
    /// The transaction restored the value.
    case rolledBack
    /// The observers called each other in a circle too often.
    case runaway
    /// The change is a binding's own echo.
    case echo
  }
}
