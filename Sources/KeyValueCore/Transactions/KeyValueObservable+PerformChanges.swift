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
  /// With `rollingBack`, an error reverts everything: the keys that were set are restored, last
  /// first, and no observer is called.
  ///
  /// ```swift
  /// try? account.performChanges(rollingBack: true) {
  ///   $0.balance -= 500
  ///   throw Overdraft()
  /// }
  /// print(account.balance)                       // 100.0, and no observer was called
  /// ```
  ///
  /// Rollback covers the stored properties of this object, and all observed keys of others. Changes
  /// of unobserved objects aren't known: pass those objects to
  /// ``KeyValueTransaction/perform(rollingBack:_:)``. A value that changes without an announcement
  /// isn't restored, such as a `@NotifiesManually` property that is just assigned. Restoring a key
  /// runs its property observers (`didSet`).
  ///
  /// Threading: the closure and all callbacks run on the calling thread.
  ///
  /// Cost: a change costs about as much as outside. If an observer asked for the old value, the
  /// transaction keeps it, so a collection that is changed in place is copied once; one that only
  /// gets insertions through a proxy isn't. With `rollingBack`, every stored key is observed until
  /// the closure ends.
  ///
  /// > Important: Priors and initial values are delivered inside the closure. If the changes are
  /// > rolled back, no post follows a prior.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether an error reverts the changes.
  ///   - body: Makes the changes; receives this object.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  ///
  /// Source of the behaviour: this library's; Cocoa has no counterpart.
  @discardableResult
  public func performChanges<Result>(
    rollingBack: Bool = false, _ body: (Self) throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack ? RollbackLog([self]) : nil) { try body(self) }
  }
}
