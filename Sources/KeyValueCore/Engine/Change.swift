/// A mutation's kind, and the observances frozen when it was announced.
///
/// `will` and `did` are called once each, around the mutation, with no lock held. An automatic bracket
/// keeps the change on its stack; only manual pairs are stored until the call of `did`.
@usableFromInline
struct Change {
  let watches: WatchList
  let needs: Needs
  let edit: Edit
  /// The registrar's last attachment when the set was frozen.
  let attachment: UInt64
  /// What else the change needs to know; almost always nothing.
  let context: MutationContext?
  /// The transaction that the mutation began in, which notifies the observances when it ends.
  private let transaction: (any OpenTransaction)?
  private let mayOutlastTransaction: Bool
  /// The old values of observances that had to be evaluated, by position in the list.
  private var olds = Captures()

  /// `isWhole` means that the mutation is a proxy's, which is never part of another mutation, and `isPair`
  /// that it may outlast the transaction that it begins in.
  @inline(__always)
  init(
    _ watches: consuming WatchList, attachment: UInt64, _ edit: Edit = .setting,
    isWhole: Bool = false, isPair: Bool = false
  ) {
    var needs = watches.needs
    var context: MutationContext?
    var transaction: (any OpenTransaction)?
    if !ThreadContext.isQuiet {
      let thread = ThreadContext.current
      transaction = thread?.transaction
      // The entries of the transaction have the values from before the first change.
      if let transaction, !isPair, watches.wait(in: transaction) { needs.subtract([.old, .new]) }
      context = MutationContext.current(muting: isWhole ? nil : thread)
      context?.note(watches)
    }
    self.needs = needs
    self.context = context
    self.transaction = transaction
    self.watches = consume watches
    self.attachment = attachment
    self.edit = edit
    mayOutlastTransaction = isPair
  }

  var kind: KeyValueChangeKind { edit.kind }
  var ranges: IndexRanges? { edit.ranges }

  /// Whether the old, or the new, value of the mutated property itself is needed.
  @inline(__always) var needsOld: Bool { needs.contains(.old) && kind != .insertion }
  @inline(__always) var needsNew: Bool { needs.contains(.new) && kind != .removal }

  // MARK: Disposition

  private enum Disposition {
    case deliver
    /// The transaction makes the call at its end.
    case wait
    case skip
  }

  /// What happens to an observance's call, in a transaction if one is given.
  private func disposition(
    of observance: Observance, in transaction: (any OpenTransaction)?
  ) -> Disposition {
    guard observance.isActive, context?.mutes(observance) != true else { return .skip }
    guard let transaction else { return .deliver }
    switch observance.participation {
    case .immediate: return .deliver
    case .deferred: return transaction.isRestoring ? .skip : .wait
    }
  }

  // MARK: Before

  /// Captures the old values of dependents and delivers the priors.
  @inline(__always)
  mutating func will(_ object: AnyObject, old: UnsafeRawPointer?) {
    if transaction == nil, context == nil {
      if needs.isDisjoint(with: [.prior, .evaluatedOld, .structure]) { return }
      if case .one(let watch) = watches { return willAlone(watch, object, old: old) }
    }
    willAll(object, old: old)
  }

  @inline(never)
  private mutating func willAll(_ object: AnyObject, old: UnsafeRawPointer?) {
    context?.begin(edit, of: object, old: old)
    defer { context?.pause() }
    let scopes = needs.contains(.scope) ? ChangeScope.enter(watches) : []
    defer { ChangeScope.leave(scopes) }
    structureWillChange()
    if needs.contains(.evaluatedOld) {
      let areAllWanted = transaction == nil || mayOutlastTransaction
      olds = captures(object, where: .evaluatedOld) { observance, _ in
        areAllWanted || observance.participation == .immediate
      }
    }
    if transaction != nil || needs.contains(.prior) { announce(object, old: old) }
  }

  /// Delivers the priors, or lets the transaction record the beginning.
  private func announce(_ object: AnyObject, old: UnsafeRawPointer?) {
    watches.forEachObservance { watch, index in
      switch disposition(of: watch.observance, in: transaction) {
      case .skip: break
      case .wait:
        guard let root = watch.root(mutated: object) else { break }
        transaction?.begin(watch, object, root: root, edit)
      case .deliver:
        guard watch.needs.contains(.prior) else { break }
        deliver(watch, object, index, old: old, new: nil, captured: nil, isPrior: true)
      }
    }
  }

  /// The same outside of transactions, for a single observance.
  @inline(never)
  private mutating func willAlone(_ watch: Watch, _ object: AnyObject, old: UnsafeRawPointer?) {
    if let hop = watch.hop, needs.contains(.structure) {
      watch.observance.withTree { $0.valueWillChange(at: hop) }
    }
    if needs.contains(.evaluatedOld) { captureOld(watch, object) }
    if needs.contains(.prior) {
      deliver(watch, object, 0, old: old, new: nil, captured: nil, isPrior: true)
    }
  }

  private mutating func captureOld(_ watch: Watch, _ object: AnyObject) {
    guard let end = watch.end(mutated: object) else {
      let root = watch.root(mutated: object)
      return olds.append(root.flatMap(watch.observance.capture(from:)).map { .boxed($0) })
    }
    if let storage = end.property.valueStorage, storage.isTrivial {
      olds.keep(end.property) { storage.read(end.object, into: $0) }
    } else {
      olds.append(.stored(end.property.capture(from: end.object), end.property))
    }
  }

  private func structureWillChange() {
    guard needs.contains(.structure) else { return }
    watches.forEach { watch in
      if let hop = watch.hop { watch.observance.withTree { $0.valueWillChange(at: hop) } }
    }
  }

  // MARK: After

  /// Attaches to what the mutation brought in, captures new values and delivers the posts.
  ///
  /// `membership` is what entered and left the collection, if the mutation specifies that.
  func did(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    membership: Membership?
  ) {
    let scopes = needs.contains(.scope) ? ChangeScope.enter(watches) : []
    if let context {
      did(object, old: old, new: new, membership: membership, in: context)
    } else {
      tell(object, old: old, new: new, membership: membership)
    }
    if needs.contains(.scope) { ChangeScope.leave(scopes) }
  }

  @inline(never)
  private func did(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    membership: Membership?, in context: MutationContext
  ) {
    context.resume(edit, of: object, new: new)
    tell(object, old: old, new: new, membership: membership)
    context.end()
  }

  @inline(__always)
  private func tell(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    membership: Membership?
  ) {
    if transaction?.isOpen != true {
      switch watches {
      case .none: return
      case .one(let watch): return tellAlone(watch, object, old: old, new: new, membership)
      case .many(let slots):
        if !slots.hasHops, context == nil, ranges == nil, !needs.contains(.elements) {
          return tellAll(slots, object, old: old, new: new)
        }
      }
    }
    structureChanged(object, membership)
    if let transaction, transaction.isOpen {
      did(object, old: old, new: new, in: transaction)
    } else {
      deliverPosts(object, old: old, new: new) { _, _ in true }
    }
  }

  private func tellAlone(
    _ watch: Watch, _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    _ membership: Membership?
  ) {
    if let hop = watch.hop, !needs.isDisjoint(with: [.structure, .contribution]) {
      watch.observance.withTree {
        $0.valueChanged(at: hop, of: object, membership: membership)
      }
    }
    deliver(watch, object, 0, old: old, new: new, captured: nil, isPrior: false)
  }

  private func did(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    in transaction: any OpenTransaction
  ) {
    var told: Set<Int> = []
    watches.forEachObservance { watch, index in
      switch disposition(of: watch.observance, in: transaction) {
      case .skip:
        // The rollback traces the calls of what it has taken back once, with what led to them.
        if transaction.isRestoring, transaction.holds(watch.observance) { break }
        context?.skip(watch, object, isRestoring: transaction.isRestoring)
      case .deliver: told.insert(index)
      case .wait:
        // A manual pair that began in a rolled-back part of the transaction has outlived that part.
        if !transaction.complete(watch, edit) {
          told.insert(index)
        } else if let deferral = context?.deferral(of: watch, object) {
          transaction.noteDeferral(deferral, of: watch.observance)
        }
      }
    }
    if told.isEmpty { return }
    deliverPosts(object, old: old, new: new) { _, index in told.contains(index) }
  }

  /// Delivers the posts; with several observers, all new values are read before the first callback can
  /// change them.
  private func deliverPosts(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    to isTold: (Observance, Int) -> Bool
  ) {
    let news =
      needs.contains(.evaluatedNew)
      ? captures(object, where: .evaluatedNew, isWanted: isTold) : Captures()
    #if DEBUG || KVO_AUDIT
      let moment = OutdatedDelivery.moment
    #endif
    watches.forEachObservance { watch, index in
      guard isTold(watch.observance, index) else { return }
      #if DEBUG || KVO_AUDIT
        if let root = watch.root(mutated: object) {
          OutdatedDelivery.check(watch.observance, since: moment, root)
        }
      #endif
      deliver(
        watch, object, index, old: old, new: new, captured: news[index], isPrior: false)
    }
  }

  private func structureChanged(_ object: AnyObject, _ membership: Membership?) {
    if needs.isDisjoint(with: [.structure, .contribution]) { return }
    watches.forEach { watch in
      guard let hop = watch.hop else { return }
      // A pair whose beginning was rolled back notifies at its own end.
      let waits =
        !mayOutlastTransaction
        && transaction.map { $0.mayPostpone && disposition(of: watch.observance, in: $0) == .wait }
          ?? false
      watch.observance.withTree { tree in
        if waits, let transaction, tree.postpone(at: hop, of: object, to: transaction) { return }
        tree.valueChanged(at: hop, of: object, membership: membership)
      }
    }
  }

  /// Notifies observances of the property itself, none of which needs separate treatment.
  private func tellAll(
    _ slots: WatchSlots, _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?
  ) {
    var delivery = Delivery(.deliver)
    delivery.kind = kind
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    #if DEBUG || KVO_AUDIT
      let moment = OutdatedDelivery.moment
    #endif
    withUnsafePointer(to: delivery) { delivery in
      slots.read { slots in
        for index in slots.indices where slots[index].watch != nil {
          // The frozen list keeps the observance alive.
          slots[index].observance._withUnsafeGuaranteedRef {
            #if DEBUG || KVO_AUDIT
              OutdatedDelivery.check($0, since: moment, object)
            #endif
            $0.deliverInline(delivery, of: object)
          }
        }
      }
    }
  }

  // MARK: One observance

  /// The current values of the observances that need evaluating, by position in the list.
  ///
  /// The old and the new value of one change either belong to one property or are in boxes.
  private func captures(
    _ object: AnyObject, where need: Needs, isWanted: (Observance, Int) -> Bool
  ) -> Captures {
    var captured = Captures()
    var shared = SharedCaptures()
    let mayShare = if case .many = watches { true } else { false }
    watches.forEachObservance { watch, index in
      let isNeeded = watch.needs.contains(need) && isWanted(watch.observance, index)
      if isNeeded, let end = watch.end(mutated: object),
        end.property === olds[index]?.property ?? end.property
      {
        return captured.append(.stored(end.property.capture(from: end.object), end.property))
      }
      let root = isNeeded ? watch.root(mutated: object) : nil
      if mayShare, let root, let property = watch.observance.tree?.soleProperty {
        captured.append(shared.value(of: property, root, for: watch.observance))
      } else {
        captured.append(root.flatMap(watch.observance.capture(from:)).map { .boxed($0) })
      }
    }
    return captured
  }

  private func deliver(
    _ watch: Watch, _ object: AnyObject, _ index: Int, old: UnsafeRawPointer?,
    new: UnsafeRawPointer?, captured: KeptValue?, isPrior: Bool
  ) {
    if let context {
      guard watch.observance.isActive, !context.mutes(watch.observance) else {
        return context.skip(watch, object)
      }
      context.prepare(watch)
    } else if !watch.observance.isActive {
      return
    }
    if watch.hop?.isOnRoot ?? true {
      deliver(
        watch, object, index, of: object, old: old, new: new, captured: captured,
        isPrior: isPrior)
    } else if let root = watch.observance.root {
      deliver(
        watch, object, index, of: root, old: old, new: new, captured: captured, isPrior: isPrior)
    }
  }

  @inline(never)
  private func deliver(
    _ watch: Watch, _ object: AnyObject, _ index: Int, of root: AnyObject,
    old: UnsafeRawPointer?, new: UnsafeRawPointer?, captured: KeptValue?, isPrior: Bool
  ) {
    var delivery = Delivery(.deliver)
    delivery.isPrior = isPrior
    guard watch.isLeaf else {
      if captured == nil, olds.isEmpty, watch.hop?.isOnPlainWay != true {
        return deliverUnread(delivery, of: root, to: watch.observance)
      }
      return olds.withLocation(at: index) { old, property in
        deliverEvaluated(delivery, old: old, property, new: captured, object, root, to: watch)
      }
    }
    delivery.leaf = watch.hop.map { Unmanaged.passUnretained($0.property) }
    if kind == .setting, !isPrior, watch.observance.options.contains(.elementChanges),
      deliverElements(watch, root, old: old, new: new)
    {
      return
    }
    delivery.kind = kind
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    watch.observance.deliver(delivery, at: ranges, of: root)
  }

  /// Delivers a change of a property that the observed value is only read through, or computed from.
  ///
  /// An old value at an address is one of `oldProperty`.
  private func deliverEvaluated(
    _ delivery: Delivery, old: Delivery.ValueLocation, _ oldProperty: Property?, new: KeptValue?,
    _ object: AnyObject, _ root: AnyObject, to watch: Watch
  ) {
    var delivery = delivery
    delivery.old = old
    delivery.leaf = (new?.property ?? oldProperty).map { Unmanaged.passUnretained($0) }
    if new != nil {
      return new.withLocation { new in
        delivery.new = new
        watch.observance.deliver(delivery, of: root)
      }
    }
    delivery.new = .evaluate
    guard !delivery.isPrior, watch.observance.wantsNew else {
      return watch.observance.deliver(delivery, of: root)
    }
    // Both addresses have to hold values of one property.
    if let end = watch.end(mutated: object), oldProperty ?? end.property === end.property {
      delivery.leaf = Unmanaged.passUnretained(end.property)
      return deliver(delivery, end, of: root, to: watch.observance)
    }
    deliverUnread(delivery, of: root, to: watch.observance)
  }

  /// Delivers a new value that the sink reads itself, unless it is the maintained value of an operator.
  private func deliverUnread(
    _ delivery: Delivery, of root: AnyObject, to observance: Observance
  ) {
    var delivery = delivery
    delivery.new = .evaluate
    if delivery.isPrior || !observance.hasOperator {
      return observance.deliver(delivery, of: root)
    }
    observance.withAggregate { value in
      delivery.new = value
      observance.deliver(delivery, of: root)
    }
  }

  /// Delivers the new value from the object that has it.
  private func deliver(
    _ delivery: Delivery, _ end: PathEnd, of root: AnyObject, to observance: Observance
  ) {
    var delivery = delivery
    if let storage = end.property.valueStorage, storage.isTrivial {
      var value = TrivialValue()
      return withUnsafeMutablePointer(to: &value) {
        storage.read(end.object, into: $0)
        delivery.new = .address($0)
        observance.deliver(delivery, of: root)
      }
    }
    end.property.withValue(of: end.object) {
      delivery.new = .address($0)
      observance.deliver(delivery, of: root)
    }
  }

  /// Delivers an assignment as the equivalent element changes; false if it has to be delivered as a setting.
  private func deliverElements(
    _ watch: Watch, _ root: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?
  ) -> Bool {
    guard let old, let new, let property = watch.property,
      let changes = property.elementChanges(from: old, to: new), !changes.isEmpty
    else { return false }
    for change in changes {
      change.mapValues { .stored($0, property) }.deliver(to: watch.observance, of: root)
    }
    return true
  }
}

extension Change {
  @usableFromInline
  init(_ watches: consuming WatchList, attachment: UInt64) {
    self.init(consume watches, attachment: attachment, .setting)
  }

  /// Performs the assignment and notifies the change set.
  ///
  /// The property's value before and after the assignment is copied only if it's needed: `copy`
  /// initializes the memory with the current value. Closures that lend the value would have to be nested,
  /// and allocated for that.
  ///
  /// - Returns: Which of the two values are initialized.
  @usableFromInline
  mutating func perform(
    _ id: Int, on object: AnyObject, _ registrar: UnsafePointer<KeyValueRegistrar>,
    old: UnsafeMutableRawPointer, new: UnsafeMutableRawPointer,
    copy: (_ memory: UnsafeMutableRawPointer) -> Void, set: () -> Void
  ) -> (old: Bool, new: Bool) {
    let (needsOld, needsNew) = (needsOld, needsNew)
    if needsOld { copy(old) }
    let oldValue = needsOld ? UnsafeRawPointer(old) : nil
    will(object, old: oldValue)
    set()
    follow(registrar, id, object)
    if needsNew { copy(new) }
    did(object, old: oldValue, new: needsNew ? UnsafeRawPointer(new) : nil, membership: nil)
    return (needsOld, needsNew)
  }

  /// Makes the paths that were attached to the property meanwhile follow the new value.
  func follow(_ registrar: UnsafePointer<KeyValueRegistrar>, _ id: Int, _ object: AnyObject) {
    registrar.pointee.followLateHops(of: id, in: object, since: attachment, besides: watches)
  }
}

extension Optional where Wrapped == any CapturedValue {
  /// Lends the value's address, or nil if there is no value.
  func withAddress(_ body: (UnsafeRawPointer?) -> Void) {
    if let value = self { value.withAddress { body($0) } } else { body(nil) }
  }
}
