/// A mutation's kind, and the observances frozen when it was announced.
///
/// `will` and `did` are called once each, around the mutation, with no lock held. An automatic bracket
/// keeps the change on its stack; only manual pairs are stored until the call of `did`.
@usableFromInline
struct Change {
  let watches: WatchList
  let needs: Needs
  private(set) var edit: Edit
  /// The registrar's last attachment when the set was frozen.
  let attachment: UInt64
  /// What else the change needs to know; almost always nothing.
  let context: MutationContext?
  /// The transaction that the mutation began in, which notifies the observances when it ends.
  private let transaction: (any OpenTransaction)?
  private let mayOutlastTransaction: Bool
  /// The old values of observances that had to be evaluated, by position in the list.
  private var olds = Captures()
  /// Whether journals or recorders are told of a setting from these instead of the change.
  private var hasCapturedStored = false

  /// `isPair` means that the mutation may outlast the transaction that it begins in.
  @inline(__always)
  init(
    _ watches: consuming WatchList, attachment: UInt64, _ edit: Edit,
    isPair: Bool = false
  ) {
    var needs = watches.needs
    var context: MutationContext?
    var transaction: (any OpenTransaction)?
    if !ThreadContext.isQuiet {
      let thread = ThreadContext.current
      transaction = thread?.transaction
      // The entries of the transaction have the values from before the first change.
      if let transaction, !isPair, watches.wait(in: transaction) { needs.subtract([.old, .new]) }
      context = MutationContext.current(muting: thread)
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

  /// The transaction that the mutation began in, unless it has ended.
  private var openTransaction: (any OpenTransaction)? {
    transaction.flatMap { $0.isOpen ? $0 : nil }
  }

  /// What happens to an observance's call.
  private func disposition(of observance: Observance) -> Disposition {
    guard observance.isActive, context?.mutes(observance) != true else { return .skip }
    guard let transaction = openTransaction, !observance.isImmediate else { return .deliver }
    return transaction.isRestoring ? .skip : .wait
  }

  /// Lends each hop at the property, and its tree.
  @inline(__always)
  private func forEachHop(_ body: (HopTree, Hop) -> Void) {
    watches.forEach { watch in
      if let hop = watch.hop { watch.observance.withTree { body($0, hop) } }
    }
  }

  // MARK: Before

  /// Captures the old values of dependents and delivers the priors.
  @inline(__always)
  mutating func will(_ object: AnyObject, old: UnsafeRawPointer?) {
    let needsNothing = needs.isDisjoint(with: [
      .prior, .evaluatedOld, .structure, .propertyObservers,
    ])
    if needsNothing, transaction == nil, context == nil { return }
    prepare(object, old: old)
    if holdsScopes { _ = ChangeScope.enter(watches) }
  }

  /// Whether the scopes are entered before the value is stored, so that what the property's `willSet` and `didSet`
  /// change belongs to the change.
  ///
  /// The second half of a pair may never come.
  @inline(__always)
  private var holdsScopes: Bool { needs.contains(.propertyObservers) && !mayOutlastTransaction }

  /// Whether the trees count the change, as one that's sure to end.
  private var isBracket: Bool { needs.contains(.structure) && !mayOutlastTransaction }

  @inline(never)
  private mutating func prepare(_ object: AnyObject, old: UnsafeRawPointer?) {
    context?.begin(edit, of: object, old: old)
    defer { context?.pause() }
    if needs.contains(.structure) {
      // The closure would copy the change for it.
      let isBracket = isBracket
      forEachHop { $0.valueWillChange(at: $1, isBracket: isBracket) }
    }
    if needs.contains(.evaluatedOld) {
      let areAllWanted = transaction == nil || mayOutlastTransaction
      olds = captures(object, where: .evaluatedOld) { areAllWanted || $0.isImmediate }
    }
    guard transaction != nil || needs.contains(.prior) else { return }
    // Without priors, no observer is called yet.
    guard needs.isSuperset(of: [.scope, .prior]) else { return announce(object, old: old) }
    let scopes = ChangeScope.enter(watches)
    scopes.forEach { $0.enterPriors() }
    announce(object, old: old)
    if scopes.contains(where: { $0.readsAfterPriors }) { captureStored(object) }
    scopes.forEach { $0.leavePriors() }
    ChangeScope.leaveWhileChanging(scopes)
  }

  /// Reads for journals what is stored once the priors have been called.
  private mutating func captureStored(_ object: AnyObject) {
    tellScopesOfSetting(
      from: replacingOlds { watch, old in
        guard watch.observance.journal != nil else { return old }
        return watch.observance.capture(from: object).map { .boxed($0) }
      })
  }

  /// Tells journals and recorders of a setting that began with these old values, instead of elements that don't say
  /// all that has changed.
  mutating func tellScopesOfSetting(from olds: Captures) {
    self.olds = olds
    hasCapturedStored = true
  }

  /// The old values, with the present values for journals and recorders.
  func oldsOfScopes(of property: Property, in object: AnyObject) -> Captures {
    replacingOlds { watch, old in
      guard watch.isLeaf, watch.needs.contains(.scope), let root = watch.root(mutated: object)
      else { return old }
      let observance = watch.observance
      let isJournal = observance.journal != nil
      let stored = isJournal ? property.captureStored(from: object) : observance.capture(from: root)
      return stored.map { .boxed($0) }
    }
  }

  /// The old values, with others for some observances.
  private func replacingOlds(_ replacement: (Watch, KeptValue?) -> KeptValue?) -> Captures {
    var captured = Captures()
    watches.forEachObservance { captured.append(replacement($0, olds[$1])) }
    return captured
  }

  /// Delivers the priors, or lets the transaction record the beginning.
  private func announce(_ object: AnyObject, old: UnsafeRawPointer?) {
    watches.forEachObservance { watch, index in
      switch disposition(of: watch.observance) {
      case .skip: break
      case .wait:
        guard let root = watch.root(mutated: object) else { break }
        transaction?.begin(watch, object, root: root, edit)
      case .deliver:
        guard watch.needs.contains(.prior) else { break }
        deliver(watch, object, index, old: old, isPrior: true)
      }
    }
  }

  // MARK: Other edits than the announced one

  /// Lets the transaction keep the old values, because an insertion that becomes a setting doesn't show them.
  func keepOlds(of object: AnyObject) {
    if kind == .insertion, ranges != nil { beginInTransaction(.removal(.none), of: object) }
  }

  /// Turns the change into a setting, because something other than the announced edit has happened.
  mutating func becomeSetting(of object: AnyObject) {
    // What became of a set is told from its values.
    if ranges != nil { beginInTransaction(.setting, of: object) }
    edit = .setting
  }

  /// Records in the open transaction that another edit begins.
  private func beginInTransaction(_ edit: Edit, of object: AnyObject) {
    guard let transaction = openTransaction else { return }
    watches.forEachObservance { watch, _ in
      guard disposition(of: watch.observance) == .wait, transaction.holds(watch.observance),
        let root = watch.root(mutated: object)
      else { return }
      transaction.begin(watch, object, root: root, edit)
    }
  }

  /// The change with what was left of its edit once the priors had been called; nil if that makes no difference.
  ///
  /// A transaction adds up what has happened. Outside of one, observers are told what was announced.
  func fitted(_ edit: Edit) -> Change? {
    guard openTransaction != nil, edit.ranges != ranges else { return nil }
    var fitted = self
    fitted.edit = edit
    return fitted
  }

  // MARK: After

  /// Attaches to what the mutation brought in, captures new values and delivers the posts.
  ///
  /// `membership` is what entered and left the collection, if the mutation specifies that.
  func did(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    membership: Membership? = nil
  ) {
    if needs.contains(.scope) { return didInScopes(object, old: old, new: new, membership) }
    didAll(object, old: old, new: new, membership)
  }

  @inline(__always)
  private func didAll(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?, _ membership: Membership?
  ) {
    context?.resume(edit, of: object, new: new)
    tell(object, old: old, new: new, membership)
    context?.end()
  }

  /// The same while a journal or a recorder knows that observers are called.
  @inline(never)
  private func didInScopes(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?, _ membership: Membership?
  ) {
    let scopes = ChangeScope.enter(watches)
    didAll(object, old: old, new: new, membership)
    ChangeScope.leave(scopes)
    if holdsScopes { ChangeScope.leave(scopes) }
  }

  private func tell(
    _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
    _ membership: Membership?
  ) {
    let transaction = openTransaction
    if case .many(let slots) = watches, transaction == nil, !slots.hasHops, context == nil,
      ranges == nil, !needs.contains(.elements), !hasCapturedStored
    {
      return tellAll(slots, object, old: old, new: new)
    }
    if !needs.isDisjoint(with: [.structure, .contribution]) {
      structureChanged(object, membership)
    }
    let told = transaction.map { complete(object, in: $0) }
    if told?.isEmpty == true { return }
    // With several observers, all new values are read before the first callback can change them.
    var news: Captures?
    if case .many = watches, needs.contains(.evaluatedNew) {
      news = captures(object, where: .evaluatedNew) { told?.contains($0.number) ?? true }
    }
    #if DEBUG || KVO_AUDIT
      let moment = OutdatedDelivery.moment
    #endif
    watches.forEachObservance { watch, index in
      guard told?.contains(watch.observance.number) ?? true else { return }
      #if DEBUG || KVO_AUDIT
        if let root = watch.root(mutated: object) {
          OutdatedDelivery.check(watch.observance, since: moment, root)
        }
      #endif
      deliver(watch, object, index, old: old, new: new, captured: news?[index] ?? nil)
    }
  }

  /// Completes the transaction's entries.
  ///
  /// - Returns: The numbers of the observances that are called at once.
  private func complete(_ object: AnyObject, in transaction: any OpenTransaction) -> Told {
    var told = Told()
    watches.forEachObservance { watch, _ in
      switch disposition(of: watch.observance) {
      case .skip:
        // The rollback traces the calls of what it has taken back once, with what led to them.
        if transaction.isRestoring, transaction.holds(watch.observance) { break }
        context?.skip(watch, object, isRestoring: transaction.isRestoring)
      case .deliver: told.insert(watch.observance.number)
      case .wait:
        if !watch.isLeaf, watch.observance.options.contains(.elementChanges) {
          transaction.note(changedElements(of: watch.observance, object), of: watch.observance)
        }
        // A manual pair that began in a rolled-back part of the transaction has outlived that part.
        if !transaction.complete(watch, edit) {
          told.insert(watch.observance.number)
        } else if let deferral = context?.deferral(of: watch, object) {
          transaction.noteDeferral(deferral, of: watch.observance)
        }
      }
    }
    return told
  }

  /// The numbers of the observances that are called at once in a transaction: often none, or a journal's.
  private struct Told {
    private var first: UInt64?
    private var others: Set<UInt64> = []

    var isEmpty: Bool { first == nil }

    func contains(_ number: UInt64) -> Bool {
      first == number || !others.isEmpty && others.contains(number)
    }

    mutating func insert(_ number: UInt64) {
      if first == nil { first = number } else { others.insert(number) }
    }
  }

  private func structureChanged(_ object: AnyObject, _ membership: Membership?) {
    var followed: Set<ObjectIdentifier>?
    if case .many = watches { followed = [] }
    forEachHop { tree, hop in
      // A pair whose beginning was rolled back notifies at its own end, and a dying object's change at once. A part
      // that is rolled back forgets the notifications of what it followed.
      if !mayOutlastTransaction, let transaction, !transaction.mayRollBack,
        disposition(of: tree.observance) == .wait, transaction.holds(tree.observance),
        tree.postpone(at: hop, of: object, to: transaction)
      {
        return
      }
      tree.valueChanged(
        at: hop, of: object, isBracket: isBracket, membership: membership, besides: &followed)
    }
  }

  /// Notifies observances of the property itself, none of which needs separate treatment.
  private func tellAll(
    _ slots: WatchSlots, _ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?
  ) {
    var delivery = Delivery()
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
    _ object: AnyObject, where need: Needs, isWanted: (Observance) -> Bool
  ) -> Captures {
    var captured = Captures()
    // Observances of one dependent key share one read of it.
    var shared: [ObjectKey: KeptValue] = [:]
    let mayShare = if case .many = watches { true } else { false }
    watches.forEachObservance { watch, index in
      let observance = watch.observance
      guard watch.needs.contains(need), isWanted(observance) else { return captured.append(nil) }
      if let end = watch.end(mutated: object),
        end.property === olds[index]?.property ?? end.property
      {
        return captured.append(end.value)
      }
      guard let root = watch.root(mutated: object) else { return captured.append(nil) }
      guard mayShare, let property = observance.tree?.soleProperty else {
        return captured.append(observance.capture(from: root).map { .boxed($0) })
      }
      let key = ObjectKey(root, property)
      let value =
        shared[key]
        ?? .stored(Delivery.read(root, for: observance, property.capture(from:)), property)
      shared[key] = value
      captured.append(value)
    }
    return captured
  }

  private func deliver(
    _ watch: Watch, _ object: AnyObject, _ index: Int, old: UnsafeRawPointer?,
    new: UnsafeRawPointer? = nil, captured: KeptValue? = nil, isPrior: Bool = false
  ) {
    let observance = watch.observance
    if let context {
      if context.mutes(observance) || !observance.isActive { return context.skip(watch, object) }
      context.prepare(watch)
    }
    guard observance.isActive, let root = watch.root(mutated: object) else { return }
    var delivery = Delivery()
    delivery.mark = ChangeMark(isPrior: isPrior)
    guard watch.isLeaf else {
      delivery.hop = watch.hop.map { Unmanaged.passUnretained($0) }
      if needs.contains(.elements) {
        return deliverTelling(
          &delivery, old: olds[index], new: captured, object, root, to: watch)
      }
      return deliverEvaluated(&delivery, old: olds[index], new: captured, object, root, to: watch)
    }
    delivery.leaf = watch.hop.map { Unmanaged.passUnretained($0.property) }
    if kind == .setting, !isPrior, observance.options.contains(.elementChanges),
      deliverElements(watch, root, old: old, new: new)
    {
      return
    }
    delivery.kind = kind
    delivery.old = Delivery.ValueLocation(old)
    delivery.new = Delivery.ValueLocation(new)
    guard hasCapturedStored, let stored = olds[index] else {
      return observance.deliver(delivery, at: ranges, of: root)
    }
    delivery.kind = .setting
    delivery.new = .evaluate
    Optional(stored).withLocation {
      delivery.old = $0
      observance.deliver(delivery, of: root)
    }
  }

  /// The elements whose parts of the observed value are changing.
  private func changedElements(of observance: Observance, _ object: AnyObject) -> ChangedElements {
    var elements = ChangedElements()
    // Several elements may lead to the same object.
    watches.forEach { watch in
      guard watch.observance === observance else { return }
      if watch.needs.contains(.elements), let element = watch.hop?.outermostElement {
        elements.insert(ChangedElement(element, mutated: object))
      } else {
        elements.becomeUnknown()
      }
    }
    return elements
  }

  /// Does the same for an observance that may have asked which elements change.
  @inline(never)
  private func deliverTelling(
    _ delivery: inout Delivery, old: KeptValue?, new: KeptValue?, _ object: AnyObject,
    _ root: AnyObject, to watch: Watch
  ) {
    guard watch.needs.contains(.elements),
      let lent = changedElements(of: watch.observance, object).lent(by: watch.observance.tree)
    else { return deliverEvaluated(&delivery, old: old, new: new, object, root, to: watch) }
    withUnsafePointer(to: lent) {
      delivery.ranges = $0
      deliverEvaluated(&delivery, old: old, new: new, object, root, to: watch)
    }
    lent.endLending()
  }

  /// Delivers a change of a property that the observed value is only read through, or computed from.
  private func deliverEvaluated(
    _ delivery: inout Delivery, old: KeptValue?, new: KeptValue?, _ object: AnyObject,
    _ root: AnyObject, to watch: Watch
  ) {
    let observance = watch.observance
    delivery.leaf = (new?.property ?? old?.property).map { Unmanaged.passUnretained($0) }
    old.withLocation { location in
      delivery.old = location
      func deliver(_ new: Delivery.ValueLocation) {
        delivery.new = new
        observance.deliver(delivery, of: root)
      }
      if new != nil { return new.withLocation(deliver) }
      guard !delivery.isPrior, observance.wantsNew else { return deliver(.evaluate) }
      // Both addresses have to hold values of one property.
      guard let end = watch.end(mutated: object), old?.property ?? end.property === end.property
      else { return observance.withAggregate(deliver) }
      delivery.leaf = Unmanaged.passUnretained(end.property)
      Optional(end.value).withLocation(deliver)
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

  // MARK: An assignment

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
    registrar.pointee.followLate(of: id, in: object, since: attachment, besides: watches)
    if needsNew { copy(new) }
    did(object, old: oldValue, new: needsNew ? UnsafeRawPointer(new) : nil)
    return (needsOld, needsNew)
  }
}
