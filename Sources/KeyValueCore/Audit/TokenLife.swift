#if DEBUG || KVO_AUDIT
  import Synchronization

  /// How the life of a token began, so that its end can be told from a mistake (Parity L3).
  ///
  /// A token that is let go of where it was made ends its observation before anything can be told:
  /// `_ = person.observe(…)`, or a set of tokens in a function. What cannot be seen is where that happened,
  /// or why. What can be seen is that the observation ended without `invalidate()`, on the thread that
  /// began it, within a tenth of a second, while the object lived on, and that no observed object in the
  /// process changed meanwhile. An observation that asked for its initial value was told that, and is left
  /// alone: it may have been made for it.
  package struct TokenLife: Sendable {
    private let thread = ThreadIdentity.current
    private let changeCount = TokenLife.changes.load(ordering: .relaxed)
    private let beginning = ContinuousClock.now

    private static let changes = Atomic<UInt64>(0)

    /// How many milliseconds a use takes at least; tests lengthen it, which a loaded machine needs.
    package static let shortestUse = Atomic<Int>(100)

    /// Notes that an observed object changes.
    static func noteChange() { changes.add(1, ordering: .relaxed) }

    /// Whether the token has been of no use.
    var wasUseless: Bool {
      thread == .current && changeCount == TokenLife.changes.load(ordering: .relaxed)
        && ContinuousClock.now - beginning
          < .milliseconds(TokenLife.shortestUse.load(ordering: .relaxed))
    }

    private struct Report: Hashable {
      let type: ObjectIdentifier
      let keyPath: String
    }

    private static let reported = LockedValue<Set<Report>>([])

    /// Reports an observation that ends with its keeper, once a class and key path.
    static func report(_ observance: Observance, keptBy keeper: String) {
      guard observance.isActive, observance.isObserverAlive, observance.isReported,
        let object = observance.object
      else { return }
      let schema = object.schema
      let report = Report(type: ObjectIdentifier(schema), keyPath: observance.keyPath)
      guard reported.withLock({ $0.insert(report).inserted }) else { return }
      KeyValueViolation.report(
        .tolerated,
        "The observation of \(schema.name).\(observance.keyPath) ended where it began, because its "
          + "\(keeper) was not kept, so it tells nothing. Keep the \(keeper) as long as it is to tell, in "
          + "a property of what observes, or end it with invalidate().")
    }
  }

  extension Observance {
    /// Whether it was registered, and not for its initial value.
    fileprivate var isReported: Bool {
      !options.contains(.initial) && audit.withLock { $0.isRegistered }
    }
  }

  extension KeyValueObservation {
    /// Reports the observation if it ends with its keeper before it was of any use.
    ///
    /// - Parameter life: The keeper's, where that is not the token itself.
    func reportIfUseless(keptBy keeper: String, since life: TokenLife? = nil) {
      guard (life ?? self.life).wasUseless, let observance = current else { return }
      TokenLife.report(observance, keptBy: keeper)
    }
  }
#endif
