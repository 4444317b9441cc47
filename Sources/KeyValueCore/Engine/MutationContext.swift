/// A change's rare extra state: the observances to skip, and the trace event to end.
///
/// A change almost never has a context, so it only has to check for one.
// Used only by the thread that makes the mutation, in accesses that can't overlap.
final class MutationContext {
  /// Observances that are notified of a mutation that this one is part of, by number.
  @exclusivity(unchecked) private var muted: Set<UInt64> = []
  /// The thread, if its events are traced.
  @exclusivity(unchecked) private var thread: ThreadTrace?
  /// The number of the author of the thread's changes, if they are traced.
  @exclusivity(unchecked) private var author: UInt32 = 0
  /// The property that changes, in a traced change.
  @exclusivity(unchecked) private var property: Property?
  /// Whether other code may run on the thread between the two halves; what happens there isn't inside the
  /// change.
  @exclusivity(unchecked) var isSplit = false
  /// The new value as the trace shows it, once it's known.
  @exclusivity(unchecked) private var newValue: KeyValueTrace.Value?
  /// The event that began the change.
  @exclusivity(unchecked) private var begun: UInt64?
  /// The same event between the two halves.
  @exclusivity(unchecked) private var paused: KeyValueTrace.Event?

  private init() {}

  /// The context of a change that begins now; nil if it needs none.
  ///
  /// `mutations` has the mutations in progress that the change may be part of.
  @inline(__always)
  static func current(muting mutations: ThreadContext?) -> MutationContext? {
    guard Tracer.isOn || mutations?.muted.isEmpty == false else { return nil }
    return make(mutations)
  }

  @inline(never)
  private static func make(_ mutations: ThreadContext?) -> MutationContext? {
    let muted = mutations?.muted ?? []
    let thread = Tracer.thread
    if muted.isEmpty, thread == nil { return nil }
    let current = ThreadContext.ofThisThread
    // An earlier change may still have the spare one.
    let isFree = isKnownUniquelyReferenced(&current.spare)
    let context = isFree ? current.spare.take()! : MutationContext()
    context.muted = muted
    context.thread = thread
    context.author = current.author
    return context
  }

  func mutes(_ observance: Observance) -> Bool { muted.contains(observance.number) }

  // MARK: Traces

  // A trace describes the values before and after a change at once. It keeps none of them, because an object
  // would die later than in an untraced change.

  /// Notes the property that changes, if the change is traced.
  func note(_ watches: WatchList) {
    if thread != nil { watches.forEach { property = property ?? $0.property } }
  }

  /// Traces the change's beginning; `old` is its old value, if an observer needs it.
  func begin(_ edit: Edit, of object: AnyObject, old: UnsafeRawPointer?) {
    guard let thread, let property else { return }
    let oldValue = old.map { property.traced(at: $0) } ?? property.traced(of: object, before: edit)
    newValue = property.tracedMissing(of: object, before: edit)
    begun = thread.enter(.changeBegan) { event in
      event.object = KeyValueTrace.Object(object)
      event.keyPath = property.key
      event.changeKind = edit.kind
      event.mark.author = author
      event.ranges = edit.ranges
      event.oldValue = oldValue
      event.callSite = CallSites.current
    }
  }

  /// Leaves the change until its second half.
  func pause() {
    if isSplit, let begun { paused = thread?.leave(begun) }
  }

  /// Reenters the change for its second half, before the observers are called; `new` is its new value, if an
  /// observer needs it.
  func resume(_ edit: Edit, of object: AnyObject, new: UnsafeRawPointer?) {
    if let event = paused {
      paused = nil
      // A modification in place may end on another thread than it began on.
      thread = Tracer.thread
      thread?.reenter(event)
    }
    guard begun != nil, newValue == nil, let property else { return }
    newValue = new.map { property.traced(at: $0) } ?? property.traced(of: object, after: edit)
  }

  /// Traces the change's end, and leaves the context to the thread's next change.
  func end() {
    guard let begun, let thread else { return }
    thread.end(begun, .changeEnded, newValue: newValue)
    if !muted.isEmpty { muted = [] }
    self.thread = nil
    property = nil
    isSplit = false
    newValue = nil
    self.begun = nil
    ThreadContext.ofThisThread.spare = self
  }

  /// Records how the change reaches an observer, for the next delivery.
  func prepare(_ watch: Watch) {
    thread?.next.way = watch.way
  }

  /// Traces that an observance isn't called.
  func skip(_ watch: Watch, _ object: AnyObject, isRestoring: Bool = false) {
    guard let thread else { return }
    let reason: KeyValueTrace.SkipReason =
      if !watch.observance.isActive { .ended } else if isRestoring { .rolledBack } else {
        .partOfLargerChange
      }
    watch.observance.trace(
      .skipped, reason, of: watch.root(mutated: object), way: watch.way, thread)
  }

  /// Traces that an observance's call waits for the transaction's end.
  func deferral(of watch: Watch, _ object: AnyObject) -> UInt64? {
    guard let thread else { return nil }
    return watch.observance.trace(
      .deferred, of: watch.root(mutated: object), way: watch.way, thread)
  }
}
