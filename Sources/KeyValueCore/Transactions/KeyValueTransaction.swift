extension KeyValueObservable {
  /// Makes several changes as one: every observer is notified once, when the closure ends.
  ///
  /// ```swift
  /// let observation = person.kvo.fullName.observe(options: [.old, .new]) { _, change in
  ///   print(change.oldValue!, "->", change.newValue!)
  /// }
  /// person.performChanges {
  ///   $0.firstName = "Grace"
  ///   $0.lastName = "Hopper"
  /// }
  /// // Ada Lovelace -> Grace Hopper
  /// ```
  ///
  /// All changes that this thread makes inside the closure take part, whatever their object;
  /// changes of other threads don't. Each observer gets the value before the first change and the
  /// value after the last, in the order of registration. A nested `performChanges` belongs to the
  /// outer one. If the closure throws, the changes made until then are delivered.
  ///
  /// - An observer that asked for priors gets one, of kind setting, before the first change.
  /// - Insertions, removals and replacements in one ordered collection are delivered as their net
  ///   effect: one insertion, one removal or one replacement, or a removal and then an insertion.
  ///   If they mix with assignments, or cancel out, one setting is delivered.
  /// - Set algebra is likewise delivered as one insertion, removal or replacement.
  /// - An observer registered inside gets later changes only; one removed inside gets none.
  /// - A change that a callback makes at the end is a separate change.
  ///
  /// With `rollingBack`, an error takes back every set of an observable stored property that this thread
  /// made in the closure, of any object, observed or not, last first, and no observer is called.
  ///
  /// ```swift
  /// try? account.performChanges(rollingBack: true) {
  ///   $0.balance -= 500
  ///   $0.owner.creditRating = 0
  ///   throw Overdraft()
  /// }
  /// print(account.balance)                       // 100.0, and no observer was called
  /// ```
  ///
  /// What comes back is what was stored, also behind an override. `willSet` and `didSet` don't run. A
  /// `@NotifiesManually` property comes back, too, but a `lazy` one and one with a wrapper only where its
  /// change is announced. `@KeyValueIgnored` properties don't come back, and neither do effects outside the
  /// objects. A computed key that was announced, and whose value isn't the earlier one afterwards, is reported
  /// as a tolerated violation.
  /// What an object that was set in the closure changes in its `deinit`, when the earlier value takes its
  /// place, isn't taken back; observers are told of it.
  ///
  /// Threading: the closure and all callbacks run on the calling thread.
  ///
  /// Cost: the first set of an observed property takes ten times the instructions of one outside, each later set of
  /// it fewer than one outside, and the transaction itself those of about fifteen sets. If an observer asked for the
  /// old value, the transaction keeps it, so a collection that is changed in place is copied once; one that only gets
  /// insertions through a proxy isn't. With `rollingBack`, the first set of each property keeps the old value, and a
  /// nested part keeps what it changes of what waits for the end; while any thread is inside such a closure, sets of
  /// unobserved objects on all threads take the slower path.
  ///
  /// > Important: Priors and initial values are delivered inside the closure. If the changes are
  /// > rolled back, no post follows a prior.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether an error takes the changes back.
  ///   - body: Makes the changes; receives this object.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  ///
  /// Source of the behaviour: this library's; Cocoa has no counterpart.
  @discardableResult
  public func performChanges<Result>(
    rollingBack: Bool = false, _ body: (Self) throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack: rollingBack) { try body(self) }
  }
}

/// Changes of several objects that observers receive as one.
public enum KeyValueTransaction {
  /// Makes several changes as one: every observer is notified once, when the closure ends.
  ///
  /// ```swift
  /// KeyValueTransaction.perform {
  ///   from.balance -= 100
  ///   to.balance += 100
  /// }
  /// ```
  ///
  /// With `rollingBack`, an error takes back every set of an observable stored property that this thread made
  /// in the closure:
  ///
  /// ```swift
  /// try KeyValueTransaction.perform(rollingBack: true) {
  ///   from.balance -= 100
  ///   to.balance += 100
  ///   if from.balance < 0 { throw Overdraft() }
  /// }
  /// ```
  ///
  /// Like ``KeyValueObservable/performChanges(rollingBack:_:)``, for changes without a natural receiver.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether an error takes the changes back.
  ///   - body: Makes the changes.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @discardableResult
  public static func perform<Result>(
    rollingBack: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack: rollingBack, body)
  }
}
