// What traces tell of an observance. Called only where something is going on (`ThreadContext.isQuiet`).
extension Observance {
  /// Whether a new value that the sink would read may be read before it.
  ///
  /// What hears later numbers its readings, so it reads by itself.
  var tracesNewValue: Bool { options.contains(.new) && policy?.role != .receiver }

  var registration: KeyValueTrace.Registration {
    KeyValueTrace.Registration(
      number: number, keyPath: keyPath,
      observer: policy?.tracedName ?? observerDescription, role: policy?.role ?? .observer,
      options: options, place: KeyValueTrace.Place(origin))
  }

  private func event(
    _ kind: KeyValueTrace.Event.Kind, _ thread: ThreadTrace
  ) -> KeyValueTrace.Event {
    let event = thread.event(kind)
    event.keyPath = keyPath
    event.registration = registration
    return event
  }

  // MARK: Life

  /// Tells that it was registered; the initial call happens inside of that.
  func traceRegistration(on object: any KeyValueObservable) {
    guard let thread = Tracer.thread else {
      if options.contains(.initial) { deliverValue(of: object) }
      return
    }
    let event = event(.registered, thread)
    event.object = Tracer.note(object, of: number)
    // Another thread may have ended it in the meantime.
    if !isActive { Tracer.forgetObject(of: number) }
    thread.enter(event)
    if options.contains(.initial) {
      thread.next.isInitial = true
      deliverValue(of: object)
    }
    thread.leave(event.id)
  }

  /// Tells that it has ended.
  func traceEnd() {
    guard participation != .witness, hasBeenAttached, let thread = Tracer.thread else { return }
    let event = event(.ended, thread)
    event.object = Tracer.object(of: number)
    Tracer.forgetObject(of: number)
    thread.emit(event)
  }

  // MARK: Calls

  /// Calls the sink, and tells before and after it.
  func traceCall(
    _ delivery: UnsafePointer<Delivery>, of root: AnyObject, _ next: ThreadTrace.NextDelivery,
    _ thread: ThreadTrace, _ sink: () -> Void
  ) {
    if let destination = policy?.destination {
      let event = event(.deferred, delivery, of: root, next, thread)
      return thread.handOver(event, to: destination, sink)
    }
    let event = event(.delivered, delivery, of: root, next, thread)
    thread.enter(event)
    sink()
    guard let begun = thread.leave(event.id) else { return }
    thread.emit(thread.end(of: begun, .returned))
  }

  /// Tells that a call isn't made.
  @inline(never)
  func traceSkip(
    _ reason: KeyValueTrace.SkipReason, _ delivery: UnsafePointer<Delivery>, of root: AnyObject,
    _ next: ThreadTrace.NextDelivery? = nil
  ) {
    guard let thread = Tracer.thread else { return }
    let event = event(.skipped, delivery, of: root, next ?? thread.takeNext(), thread)
    event.reason = reason
    thread.emit(event)
  }

  /// Tells that a call isn't made, or waits, where nothing is known of its values.
  @discardableResult
  func trace(
    _ kind: KeyValueTrace.Event.Kind, _ reason: KeyValueTrace.SkipReason? = nil,
    of root: AnyObject?, way: [KeyValueTrace.Step] = [], deferral: UInt64? = nil,
    _ thread: ThreadTrace
  ) -> UInt64 {
    let event = event(kind, thread)
    event.object = root.map { KeyValueTrace.Object($0) } ?? Tracer.object(of: number)
    event.reason = reason
    event.way = way
    event.cause = deferral ?? event.cause
    thread.emit(event)
    return event.id
  }

  private func event(
    _ kind: KeyValueTrace.Event.Kind, _ delivery: UnsafePointer<Delivery>, of root: AnyObject,
    _ next: ThreadTrace.NextDelivery, _ thread: ThreadTrace
  ) -> KeyValueTrace.Event {
    let event = event(kind, thread)
    event.object = KeyValueTrace.Object(root)
    event.changeKind = delivery.pointee.kind
    event.isPrior = delivery.pointee.isPrior
    event.isDeferred = delivery.pointee.isDeferred
    event.isInitial = next.isInitial
    event.way = next.way
    event.cause = next.deferral ?? event.cause
    event.ranges = delivery.pointee.ranges?.pointee
    if options.contains(.old) { event.oldValue = traced(delivery.pointee.old, delivery) }
    if options.contains(.new), !event.isPrior {
      event.newValue = traced(delivery.pointee.new, delivery)
    }
    return event
  }

  private func traced(
    _ location: Delivery.ValueLocation, _ delivery: UnsafePointer<Delivery>
  ) -> KeyValueTrace.Value? {
    switch location {
    case .none, .evaluate: return nil
    case .address(let address):
      let leaf =
        delivery.pointee.leaf?.takeUnretainedValue() ?? property ?? tree?.soleProperty
      return leaf?.traced(at: address)
    case .captured(let box):
      if RedactedKeys.contain(path.keys) { return .redacted }
      return (box.takeUnretainedValue() as? any CapturedValue)?.traced
    case .bits(let bits):
      if RedactedKeys.contain(path.keys) { return .redacted }
      return path.boxAggregate?.takesIntegers == true
        ? KeyValueTrace.Value(of: Int(truncatingIfNeeded: bits))
        : KeyValueTrace.Value(of: Double(bitPattern: bits))
    }
  }
}
