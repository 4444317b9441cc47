extension KeyValueTrace {
  /// The deliveries to observers of a key path that's given as a string.
  ///
  /// - Parameter keyPath: The key path as it was observed: `"account.balance"`.
  /// - Returns: The deliveries, in order.
  public func deliveries(to keyPath: String) -> [Event] {
    events.filter { $0.kind == .delivered && $0.keyPath == keyPath }
  }

  /// The deliveries to observers of a class's key path.
  ///
  /// ```swift
  /// let trace = KeyValueTrace.recording { person.firstName = "Grace" }
  /// #expect(trace.deliveries(to: \Person.fullName).count == 1)
  /// ```
  ///
  /// Objects of subclasses are included. Spell a path through several objects with `kvo`, or as a
  /// string: `trace.deliveries(to: person.kvo.account.balance)`.
  public func deliveries<Root: KeyValueObservable, Value>(
    to keyPath: KeyPath<Root, Value>
  ) -> [Event] {
    guard let key = KeyValueSchema.schema(of: Root.self).key(keyPath) else { return [] }
    return deliveries(to: key).filter { $0.object?.type is Root.Type }
  }

  /// The deliveries to observers of an object's path.
  public func deliveries<Root: KeyValueObservable, Value>(
    to path: KeyValueBoundPath<Root, Value>
  ) -> [Event] {
    let object = Object(path._object)
    return deliveries(to: path._path.observed.string).filter { $0.object == object }
  }

  /// The event with this number.
  public func event(_ id: UInt64) -> Event? {
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if events[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < events.count && events[low].id == id ? events[low] : nil
  }

  /// What led to an event: the events around it, outermost first, and the event itself.
  public func cause(of event: Event) -> Cause {
    var chain = [event]
    while let id = chain[chain.count - 1].cause, let next = self.event(id) { chain.append(next) }
    return Cause(events: chain.reversed())
  }

  /// The events that an event caused, in order.
  ///
  /// - Complexity: O(*n*), where *n* is the number of events.
  public func effects(of event: Event) -> [Event] {
    events.filter { $0.cause == event.id }
  }

  /// A copy of the record in which finished changes and deliveries have durations.
  var withDurations: KeyValueTrace {
    var durations: [UInt64: UInt64] = [:]
    for event in events {
      if let cause = event.cause, let duration = event.duration { durations[cause] = duration }
    }
    return KeyValueTrace(
      events.map { event in
        guard event.duration == nil, let duration = durations[event.id] else { return event }
        // Other sinks may keep the same event.
        var copy = event.copy()
        copy.change { $0.duration = duration }
        return copy
      })
  }
}

extension KeyValueTrace: CustomStringConvertible {
  /// One line per event, indented by the event's depth.
  public var description: String {
    events.map(\.line).joined(separator: "\n")
  }
}
