extension KeyValueObservable {
  /// Makes several changes as one: every observer is told once, when the closure is done.
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
  /// All changes that this thread makes inside take part, of whatever object; those of other threads do
  /// not. Each observer gets the value before the first change and the one after the last, in the order
  /// of registration. One `performChanges` inside another belongs to it. The same if the closure throws:
  /// the changes made until then are delivered.
  ///
  /// - An observer that asked for priors gets one, of kind setting, before the first change.
  /// - Insertions, removals and replacements in one ordered collection are delivered as their net
  ///   effect: one insertion, one removal or one replacement, or a removal and then an insertion. Where
  ///   they mix with assignments, or cancel out, there is one setting.
  /// - Set algebra likewise is one insertion, removal or replacement.
  /// - An observer registered inside gets later changes only; one removed inside gets none.
  /// - A change that a callback makes at the end is a separate change.
  ///
  /// With `rollingBack`, an error takes everything back: the keys that were set are restored, last first,
  /// and no observer is called.
  ///
  /// ```swift
  /// try? account.performChanges(rollingBack: true) {
  ///   $0.balance -= 500
  ///   throw Overdraft()
  /// }
  /// print(account.balance)                       // 100.0, and no observer was called
  /// ```
  ///
  /// This covers the stored properties of this object, and all observed keys of others. Changes of
  /// unobserved objects aren't known: name those objects in
  /// ``KeyValueTransaction/perform(rollingBack:_:)``. A value that changes without being announced is not
  /// restored, such as one marked `@NotifiesManually` that is just assigned. Property observers
  /// (`didSet`) run when a key is restored.
  ///
  /// Threading: the closure and all callbacks run on the calling thread.
  ///
  /// Cost: a change costs about as much as outside. If an observer asked for the old value, it is kept,
  /// so a collection that is changed in place is copied once; one that is only inserted into through a
  /// proxy is not. With `rollingBack`, every stored key is observed meanwhile.
  ///
  /// > Important: A prior, or an initial value, is called inside; a prior has no second
  /// > half where the changes are rolled back.
  ///
  /// - Parameters:
  ///   - rollingBack: Whether an error takes the changes back.
  ///   - body: Makes the changes; gets this object.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  ///
  /// Source of the behaviour: this library's; Cocoa has no counterpart. (the phrase used elsewhere; also
  /// KeyValueChangeRecorder:36, KeyValueMutableArray:25 'are ours')
  @discardableResult
  public func performChanges<Result>(
    rollingBack: Bool = false, _ body: (Self) throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack ? RollbackLog([self]) : nil) { try body(self) }
  }
}
