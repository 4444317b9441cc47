// What traces record of an observance. Called only while there is activity (`ThreadContext.isQuiet`).
extension Observance {
  /// Whether a new value that the sink would read may be read before the sink runs.
  ///
  /// A receiver is called later and numbers its reads, so it reads the value itself.
  var tracesNewValue: Bool { options.contains(.new) && policy?.role != .receiver }

  var registration: KeyValueTrace.Registration {
    KeyValueTrace.Registration(
      number: number, keyPath: keyPath,
      observer: policy?.tracedName ?? observerDescription, role: policy?.role ?? .observer,
      options: requestedOptions, place: KeyValueTrace.Place(origin))
  }

  // MARK: Life

  /// Traces the observance's end.
  func traceEnd() {
    guard hasBeenAttached, let thread = Tracer.thread else { return }
    let object = Tracer.object(of: number)
    Tracer.forgetObject(of: number)
    thread.emit(.ended) { event in
      tell(&event)
      event.object = object
    }
  }

  // MARK: Calls

  /// Calls the sink, and traces the call's beginning and end.
  func traceCall(
    _ delivery: UnsafePointer<Delivery>, of root: AnyObject, _ next: ThreadTrace.NextDelivery,
    _ thread: ThreadTrace, _ sink: () -> Void
  ) {
    let destination = policy?.destination
    var values = values(of: delivery)
    let id = thread.enter(destination == nil ? .delivered : .deferred) { event in
      tell(&event, delivery, of: root, next, &values)
      event.destination = destination
    }
    sink()
    // A queue or an actor calls the observer later.
    if destination == nil { thread.end(id, .returned) } else { thread.leave(id) }
  }

  /// Traces that a call isn't made.
  @inline(never)
  func traceSkip(
    _ reason: KeyValueTrace.SkipReason, _ delivery: UnsafePointer<Delivery>, of root: AnyObject,
    _ next: ThreadTrace.NextDelivery? = nil
  ) {
    guard let thread = Tracer.thread else { return }
    let next = next ?? thread.takeNext()
    var values = values(of: delivery)
    thread.emit(.skipped) { event in
      tell(&event, delivery, of: root, next, &values)
      event.reason = reason
    }
  }

  /// Traces that a call isn't made, or is deferred, if its values are unknown.
  @discardableResult
  func trace(
    _ kind: KeyValueTrace.Event.Kind, _ reason: KeyValueTrace.SkipReason? = nil,
    of root: AnyObject?, way: [KeyValueTrace.Step] = [], deferral: UInt64? = nil,
    _ thread: ThreadTrace
  ) -> UInt64 {
    let object = root.map { KeyValueTrace.Object($0) } ?? Tracer.object(of: number)
    return thread.emit(kind) { event in
      tell(&event)
      event.object = object
      event.reason = reason
      event.way = way
      event.cause = deferral ?? event.cause
    }
  }

  // MARK: What events tell

  func tell(_ event: inout KeyValueTrace.Event.Fields) {
    event.keyPath = keyPath
    event.registration = registration
  }

  private func tell(
    _ event: inout KeyValueTrace.Event.Fields, _ delivery: UnsafePointer<Delivery>,
    of root: AnyObject, _ next: ThreadTrace.NextDelivery, _ values: inout TracedValues
  ) {
    tell(&event)
    event.object = KeyValueTrace.Object(root)
    event.changeKind = delivery.pointee.kind
    event.isPrior = delivery.pointee.isPrior
    event.mark = delivery.pointee.mark
    event.isDeferred = delivery.pointee.isDeferred
    event.isInitial = next.isInitial
    event.way = next.way
    event.cause = next.deferral ?? event.cause
    event.ranges = delivery.pointee.ranges?.pointee
    // Moved, because a copy of a value costs as much as an event. A new event has no values.
    swap(&event.oldValue, &values.old)
    swap(&event.newValue, &values.new)
  }

  // Not a tuple: the compiler copies one through the runtime's description of its type.
  private struct TracedValues {
    var old: KeyValueTrace.Value?
    var new: KeyValueTrace.Value?
  }

  /// The values that the observer receives, described before the event is created, because a description
  /// runs code of the value's type.
  private func values(of delivery: UnsafePointer<Delivery>) -> TracedValues {
    let tellsOld = options.contains(.old)
    let tellsNew = options.contains(.new) && !delivery.pointee.isPrior
    guard tellsOld || tellsNew else { return TracedValues() }
    let leaf = delivery.pointee.leaf?.takeUnretainedValue() ?? property ?? tree?.soleProperty
    return TracedValues(
      old: tellsOld ? traced(delivery.pointee.old, leaf) : nil,
      new: tellsNew ? traced(delivery.pointee.new, leaf) : nil)
  }

  private func traced(
    _ location: Delivery.ValueLocation, _ leaf: Property?
  ) -> KeyValueTrace.Value? {
    switch location {
    case .none, .evaluate: return nil
    case .address(let address): return leaf?.traced(at: address)
    case .captured(let box):
      if path.isRedacted { return .redacted }
      return (box.takeUnretainedValue() as? any CapturedValue)?.traced
    case .bits(let bits):
      if path.isRedacted { return .redacted }
      return path.boxAggregate?.takesIntegers == true
        ? KeyValueTrace.Value(of: Int(truncatingIfNeeded: bits))
        : KeyValueTrace.Value(of: Double(bitPattern: bits))
    }
  }
}
