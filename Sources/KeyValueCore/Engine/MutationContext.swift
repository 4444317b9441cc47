/// A change's rare extra state: the observances to skip, and the trace event to end.
///
/// A change almost never has a context, so it only has to check for one.
// Used only by the thread that makes the mutation, in accesses that can't overlap.
final class MutationContext {
  /// Observances that are notified of a mutation that this one is part of, with the number of such mutations.
  @exclusivity(unchecked) private var muted: [UInt64: Int]
  /// The thread, if its events are traced.
  @exclusivity(unchecked) private var thread: ThreadTrace?
  /// The property that changes, in a traced change.
  @exclusivity(unchecked) private var property: Property?
  /// Whether other code may run on the thread between the two halves; what happens there isn't inside the
  /// change.
  @exclusivity(unchecked) var isSplit = false
  /// The event that began the change.
  @exclusivity(unchecked) private var begun: UInt64?
  /// The same event between the two halves.
  @exclusivity(unchecked) private var paused: KeyValueTrace.Event?

  private init(_ muted: [UInt64: Int], _ thread: ThreadTrace?) {
    self.muted = muted
    self.thread = thread
  }

  /// The context of a change that begins now; nil if it needs none.
  ///
  /// `mutations` has the mutations in progress that the change may be part of.
  @inline(__always)
  static func current(muting mutations: ThreadContext?) -> MutationContext? {
    guard Tracer.isOn || mutations?.isMuting == true else { return nil }
    return make(mutations)
  }

  @inline(never)
  private static func make(_ mutations: ThreadContext?) -> MutationContext? {
    let muted = mutations?.muted ?? [:]
    guard let thread = Tracer.thread else {
      return muted.isEmpty ? nil : MutationContext(muted, nil)
    }
    guard let context = spares.value.take() else { return MutationContext(muted, thread) }
    context.muted = muted
    context.thread = thread
    return context
  }

  /// The context of a thread's earlier traced change.
  private final class Spare {
    @exclusivity(unchecked) var context: MutationContext?

    /// Returns the context, unless an earlier change still has it.
    func take() -> MutationContext? {
      guard context != nil, isKnownUniquelyReferenced(&context) else { return nil }
      defer { context = nil }
      return context
    }
  }

  private static let spares = ThreadLocal { Spare() }

  func mutes(_ observance: Observance) -> Bool { muted[observance.number] != nil }

  // MARK: Traces

  /// What a trace needs of a change, if it takes no copy and runs none of the class's code.
  func needs(of watches: WatchList) -> Needs {
    guard thread != nil else { return [] }
    property = watches.property
    guard let property, property.origin == .stored, !property.isRedacted else { return [] }
    return property.isCollection ? .new : [.old, .new]
  }

  /// Traces the change's beginning.
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

  /// Leaves the change until its second half.
  func pause() {
    if isSplit, let begun { paused = thread?.leave(begun) }
  }

  /// Reenters the change for its second half.
  func resume() {
    guard let event = paused else { return }
    paused = nil
    thread?.reenter(event)
  }

  /// Traces the change's end.
  func end(new: UnsafeRawPointer?) {
    guard let begun, let thread, let property else { return }
    thread.end(begun, .changeEnded, newValue: new.map { property.traced(at: $0) })
    recycle()
  }

  /// Leaves the context to the thread's next change.
  private func recycle() {
    muted = [:]
    thread = nil
    property = nil
    isSplit = false
    begun = nil
    MutationContext.spares.value.context = self
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

extension WatchList {
  /// The property that all the watches share.
  fileprivate var property: Property? {
    switch self {
    case .none: nil
    case .one(let watch): watch.property
    case .many(let slots): slots.anyWatch?.property
    }
  }
}

extension Watch {
  /// The dependent keys between the property and the observed path, nearest first.
  fileprivate var way: [KeyValueTrace.Step] { hop?.way ?? [] }
}
