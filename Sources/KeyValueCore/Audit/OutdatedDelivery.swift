#if DEBUG || KVO_AUDIT
  import Synchronization

  /// Reports an observer that is given values out of date (Parity N8).
  ///
  /// If an observer sets the property again, that change is delivered at once and in full. The observers
  /// that follow receive it first, and then the values of the change in progress, which are older.
  enum OutdatedDelivery {
    private static let count = Atomic<UInt64>(0)

    /// The number of deliveries so far.
    static var moment: UInt64 { count.load(ordering: .relaxed) }

    /// Counts a delivery.
    static func note(_ observance: Observance) {
      let number = count.wrappingAdd(1, ordering: .relaxed).newValue
      observance.audit.withLock { $0.lastDelivery = (.current, number) }
    }

    /// Reports if the observance has been notified of a later change since this moment.
    static func check(_ observance: Observance, since moment: UInt64, _ object: AnyObject) {
      guard observance.options.contains(.new),
        let last = observance.audit.withLock({ $0.lastDelivery }), last.thread == .current,
        last.number > moment
      else { return }
      let type: AnyClass = type(of: object)
      ReportOnce.tolerated("outdated", of: type, observance.keyPath) {
        let place = KeyValueTrace.Place(observance.origin).map { " It was registered at \($0)." }
        return
          "An observer of \(name(of: type)).\(observance.keyPath) was given values out of date: an observer "
          + "before it changed them again, and that change was delivered first. Let it read the property "
          + "instead of the change's new value, or register it before the other one."
          + (place ?? "")
      }
    }
  }
#endif
