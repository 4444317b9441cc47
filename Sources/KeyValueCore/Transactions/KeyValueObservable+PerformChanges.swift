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
  /// not. Each observer gets the value before the first change and the one after the last, in
  /// the order of registration. One `performChanges` inside another belongs to it. An error that the
  /// closure throws changes nothing of this: what was done until then is told.
  ///
  /// - An observer that asked for priors gets one, of kind setting, before the first change.
  /// - Insertions, removals and replacements in one ordered collection are told as what they amount to:
  ///   one insertion, one removal or one replacement, or a removal and then an insertion. Where they
  ///   mix with assignments, or cancel out, there is one setting.
  /// - Set algebra likewise is one insertion, removal or replacement.
  /// - Who registers inside is told of later changes only; who is removed inside is told nothing.
  /// - What a callback changes at the end is a change of its own.
  ///
  /// With `rollingBack`, an error takes everything back: the keys that were set are restored, the
  /// last first, and nobody is told.
  ///
  /// ```swift
  /// try? account.performChanges(rollingBack: true) {
  ///   $0.balance -= 500
  ///   throw Overdraft()
  /// }
  /// print(account.balance)                       // 100.0, and no observer was called
  /// ```
  ///
  /// That concerns the stored properties of this object, and all keys of others that somebody
  /// observes. Changes of other objects are not known of: name them in
  /// ``KeyValueTransaction/perform(rollingBack:_:)``. A value that changes without being announced is
  /// not restored, such as one marked `@NotifiesManually` that is just assigned. Property observers
  /// (`didSet`) run when a key is restored.
  ///
  /// Threading: the closure and all callbacks run on the calling thread.
  ///
  /// Cost: a change costs about as much as outside. The old value of an observer who asked for
  /// it is kept, so a collection that is changed in place is copied once; one that is only inserted
  /// into through a proxy is not. With `rollingBack`, every stored key is observed meanwhile.
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
  /// The behaviour is ours; Cocoa has nothing like it.
  @discardableResult
  public func performChanges<Result>(
    rollingBack: Bool = false, _ body: (Self) throws -> Result
  ) rethrows -> Result {
    try Transaction.perform(rollingBack ? RollbackLog([self]) : nil) { try body(self) }
  }
}
