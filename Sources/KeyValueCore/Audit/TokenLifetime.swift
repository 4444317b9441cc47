#if DEBUG || KVO_AUDIT
  import Synchronization

  /// How a token's life began, to recognise an end that is a mistake (Parity L3).
  ///
  /// A token that's dropped where it was made ends its observation before it can deliver:
  /// `_ = person.observe(…)`, or a set of tokens in a function. The audit can't see where or why
  /// that happened. It sees that the observation ended without `invalidate()`, in the task that
  /// began it, or on the thread if that was no task, within a tenth of a second, while the object
  /// lived on, and that no observed object in the process changed meanwhile. If the library has reported
  /// something else or made an error meanwhile, that's why nothing changed, and it's the only report.
  package struct TokenLifetime: Sendable {
    private let place = Place.current
    private let eventCount = TokenLifetime.events.load(ordering: .relaxed)
    private let beginning = ContinuousClock.now

    private static let events = Atomic<UInt64>(0)

    /// What runs the code: a task keeps its identity where it goes on on another thread.
    private enum Place: Equatable {
      case task(Int)
      case thread(ThreadIdentity)

      static var current: Place {
        withUnsafeCurrentTask { $0.map { .task($0.hashValue) } } ?? .thread(.current)
      }
    }

    /// The shortest use in milliseconds; tests lengthen it for loaded machines.
    package static let shortestUse = Atomic<Int>(100)

    /// Counts a change of an observed object.
    static func noteChange() { events.add(1, ordering: .relaxed) }

    /// Counts a report or an error of the library's.
    static func noteProblem() { events.add(1, ordering: .relaxed) }

    /// Whether the token ended before it could deliver.
    var wasUseless: Bool {
      place == .current && eventCount == TokenLifetime.events.load(ordering: .relaxed)
        && ContinuousClock.now - beginning
          < .milliseconds(TokenLifetime.shortestUse.load(ordering: .relaxed))
    }

    /// Reports an observation that ends with its keeper, once for each class, key path and kind of
    /// keeper.
    static func report(_ observance: Observance, keptBy keeper: Keeper) {
      // An observer that dies with the keeper can't miss a change; a recorder is the observer
      // itself.
      guard observance.isActive, observance.isObserverAlive || keeper == .recorder,
        observance.isRegistered, let object = observance.object
      else { return }
      let schema = object.schema
      // Several tokens may end at once.
      ReportOnce.tolerated(
        "\(keeper) not kept", of: schema.type, observance.keyPath, isProblem: false
      ) {
        "The observation of \(schema.name).\(observance.keyPath) ended at once, because its "
          + "\(keeper) was not kept, so it reports \(told(observance)). Keep the \(keeper) as long as it is "
          + "needed, in a property of the object that observes. If it was kept, and only nothing changed "
          + "meanwhile, end it with \(keeper.ending)."
          + beginning(observance)
      }
    }

    private static func beginning(_ observance: Observance) -> String {
      KeyValueTrace.Place(observance.origin).map { " The observation began at \($0)." } ?? ""
    }

    private static func told(_ observance: Observance) -> String {
      observance.options.contains(.initial) ? "nothing but the initial value" : "nothing"
    }
  }

  /// The object that keeps an observation alive.
  enum Keeper: String, CustomStringConvertible {
    case token, controller, binding, recorder

    var description: String { rawValue }

    /// The call that ends the observation explicitly.
    fileprivate var ending: String {
      switch self {
      case .token, .binding: "invalidate()"
      case .controller: "unobserveAll()"
      case .recorder: "stopRecording(_:)"
      }
    }
  }

  extension Observance {
    /// Whether registering has succeeded.
    fileprivate var isRegistered: Bool { audit.withLock { $0.isRegistered } }
  }

  extension KeyValueObservation {
    /// Reports the observation if it ends with its keeper before it could deliver.
    ///
    /// `lifetime` is the keeper's; without one, the token's applies.
    func reportIfUseless(keptBy keeper: Keeper, since lifetime: TokenLifetime? = nil) {
      guard (lifetime ?? self.lifetime).wasUseless, let observance = current else { return }
      TokenLifetime.report(observance, keptBy: keeper)
    }
  }
#endif
