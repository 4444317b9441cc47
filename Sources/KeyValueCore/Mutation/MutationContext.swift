/// What a change has to know besides its change set while anything is going on: observances that
/// aren't called, and what traces tell of the change.
///
/// Nearly always there is none, so a change only has to look for it.
// Used by the thread that makes the mutation, in accesses that can't overlap.
final class MutationContext {
  /// Observances that are told of a mutation that this one is a part of, and how often they are.
  private let muted: [UInt64: Int]
  /// The thread, if its events are traced.
  private let thread: ThreadTrace?
  /// The property that changes, in a traced change.
  @exclusivity(unchecked) private var property: Property?
  /// Whether other code may run on the thread between the two halves, so that what happens there is
  /// not inside of the change.
  @exclusivity(unchecked) var isSplit = false
  /// The event that began the change.
  @exclusivity(unchecked) private var begun: UInt64?
  /// That event between the two halves.
  @exclusivity(unchecked) private var paused: KeyValueTrace.Event?

  private init(_ muted: [UInt64: Int], _ thread: ThreadTrace?) {
    self.muted = muted
    self.thread = thread
  }

  /// The context of a change that begins now; nil where there is nothing to know.
  ///
  /// `isWhole` is whether the mutation is a proxy's, which is never a part of another.
  @inline(never)
  static func current(isWhole: Bool) -> MutationContext? {
    let muted = isWhole ? [:] : ThreadContext.current?.muted ?? [:]
    let thread = Tracer.thread
    return muted.isEmpty && thread == nil ? nil : MutationContext(muted, thread)
  }

  func mutes(_ observance: Observance) -> Bool { muted[observance.number] != nil }

  // MARK: Traces

  /// What a trace needs of a change, as far as it costs no copy and runs no code of the class's.
  func needs(of watches: WatchList) -> Needs {
    guard thread != nil else { return [] }
    property = watches.property
    guard let property, property.origin == .stored, !property.isRedacted else { return [] }
    return property.isCollection ? .new : [.old, .new]
  }

  /// Tells that the change begins.
  func begin(_ edit: Edit, of object: AnyObject, old: UnsafeRawPointer?) {
    guard let thread, let property else { return }
    let oldValue = old.map { property.traced(at: $0) }
    begun = thread.enter(.changeBegan) { event in
      event.object = KeyValueTrace.Object(object)
      event.keyPath = property.key
      event.changeKind = edit.kind
      event.ranges = edit.ranges
      event.oldValue = oldValue
      event.callSite = CallSites.current
    }
  }

  /// Leaves the change for what comes before its second half.
  func pause() {
    if isSplit, let begun { paused = thread?.leave(begun) }
  }

  /// Comes back for the second half.
  func resume() {
    guard let event = paused else { return }
    paused = nil
    thread?.reenter(event)
  }

  /// Tells that the change has ended.
  func end(new: UnsafeRawPointer?) {
    guard let begun, let thread, let property else { return }
    thread.end(begun, .changeEnded, newValue: new.map { property.traced(at: $0) })
  }

  /// Says how the change gets to an observer, for the delivery that comes next.
  func prepare(_ watch: Watch) {
    thread?.next.way = watch.way
  }

  /// Tells that an observance isn't called.
  func skip(_ watch: Watch, _ object: AnyObject, isRestoring: Bool = false) {
    guard let thread, watch.observance.participation != .witness else { return }
    let reason: KeyValueTrace.SkipReason =
      if !watch.observance.isActive { .ended } else if isRestoring { .rolledBack } else {
        .partOfLargerChange
      }
    watch.observance.trace(
      .skipped, reason, of: watch.root(mutated: object), way: watch.way, thread)
  }

  /// Tells that an observance's call waits for the transaction's end.
  func deferral(of watch: Watch, _ object: AnyObject) -> UInt64? {
    guard let thread else { return nil }
    return watch.observance.trace(
      .deferred, of: watch.root(mutated: object), way: watch.way, thread)
  }
}

extension WatchList {
  /// The property that all of them watch.
  fileprivate var property: Property? {
    switch self {
    case .none: nil
    case .one(let watch): watch.property
    case .many(let slots): slots.anyWatch?.property
    }
  }
}

extension Watch {
  /// The dependent keys on the way from the property to the observed path, the nearest first.
  fileprivate var way: [KeyValueTrace.Step] { hop?.way ?? [] }
}
