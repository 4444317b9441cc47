/// A mutation that is announced from outside the property's accessors: by a manual pair, by key-value
/// coding, or by a proxy.
struct ManualMutation {
  let object: any KeyValueObservable
  let property: Property
  let edit: Edit
  /// Whether the caller has checked that the change's indexes exist.
  private let isChecked: Bool
  private let adjustment: Adjustment

  /// What may store something other than an edit of elements says.
  enum Adjustment {
    case nothing
    /// A setter, or the property's `didSet`.
    ///
    /// All observers are told what is stored then.
    case property
    /// The class's accessor methods.
    ///
    /// As in Cocoa, observers are told what the methods were asked for. Journals and recorders are told what is
    /// stored, and operators follow that.
    case methods
  }

  init(
    _ object: any KeyValueObservable, _ property: Property, _ edit: Edit,
    isChecked: Bool = false, adjustment: Adjustment = .nothing
  ) {
    self.object = object
    self.property = property
    self.edit = edit
    self.isChecked = isChecked
    self.adjustment = adjustment
  }

  /// Updates what was attached during the mutation.
  ///
  /// Observers registered on this thread in the meantime aren't notified (Parity N2). An observer
  /// registered on another thread may have received its initial value from before the mutation, and would
  /// miss the new one (R3).
  func followLate(
    since attachment: UInt64, besides frozen: WatchList = .none, _ sole: SoleAudience? = nil
  ) {
    // Nearly always nothing was attached.
    if RegistrarState.attachmentCount == attachment { return }
    let late = object._$kvoWithRegistrar { registrar in
      registrar.followLate(of: property.id, in: object, since: attachment, besides: frozen)
    }
    let told = sole?.observance.takeUnretainedValue()
    for watch in late where watch.observance.mayHaveMissedChange && watch.observance !== told {
      guard let root = watch.root(mutated: object) else { continue }
      watch.observance.deliverUnannounced(of: root, isMaintained: false)
    }
  }

  // MARK: Both halves

  /// Runs the parts of the mutation, which its change set is notified of as a whole.
  func muting(_ started: BoxedBracket, during body: () -> Void) {
    // An observer registered in a prior isn't notified of this change either (Parity N2).
    let watches = object._$kvoWithRegistrar { $0.watches(of: property.id).0 }
    let place = PropertyPlace(of: object, id: property.id)
    ThreadContext.muting(started.change.watches, watches, at: place, during: body)
  }

  /// Freezes the change set, captures the needed values and delivers the priors; nil if there are no watches.
  ///
  /// `isPair` means that the mutation may outlast the transaction that it begins in, and `wrapsAccessors` that
  /// the change itself is made by the property's accessors, as in a pair. `isSilent` means that only journals are
  /// told.
  func start(
    isPair: Bool = false, wrapsAccessors: Bool = false, isSilent: Bool = false
  ) -> BoxedBracket? {
    #if DEBUG || KVO_AUDIT
      TokenLifetime.noteChange()
    #endif
    if let thread = ThreadContext.current {
      thread.transaction?.noteOldValue(of: object, property)
      if edit.kind != .setting {
        thread.endLastingSetting(at: PropertyPlace(of: object, id: property.id))
      }
    }
    let (watches, attachment) = object._$kvoWithRegistrar {
      $0.watches(of: property.id, isAnnounced: !isSilent, wrapsAccessors: isPair || wrapsAccessors)
    }
    if watches.isEmpty { return nil }
    return start(watches, since: attachment, isPair: isPair, isSplit: isPair)
  }

  /// The same for a change set that has been found.
  ///
  /// `isSplit` means that other code may run between the two halves.
  func start(
    _ watches: WatchList, since attachment: UInt64, isPair: Bool = false, isSplit: Bool
  ) -> BoxedBracket {
    var change = Change(watches, attachment: attachment, edit, isPair: isPair)
    change.context?.isSplit = isSplit
    let tellsMembers = change.needs.contains(.membership) && edit.isPartial
    let needsLeft = tellsMembers && edit.kind != .insertion
    var before: (any CapturedValue)?
    var old: (any CapturedValue)?
    if isChecked, let indexes = edit.ranges {
      if change.needsOld || needsLeft { old = property.capture(from: object, at: indexes) }
    } else {
      if change.needsOld || needsLeft || edit.isPartial {
        before = property.capture(from: object)
      }
      checkIndexes(before)
      if change.needsOld || needsLeft { old = before.map(edit.leaving) }
    }
    var entering =
      change.needsNew || change.needs.contains(.membership)
      ? before.flatMap { edit.entering($0) } : nil
    let tellsScopesOfPart = edit.isPartial && change.needs.contains(.scope)
    let replacesEqual = tellsScopesOfPart && before.map(edit.replacesEqualMembers) == true
    before = nil  // so that the collection is uniquely held when it changes
    old.withAddress { change.will(object, old: $0) }
    if tellsScopesOfPart, replacesEqual || isNil {
      // Taking elements out again wouldn't make a collection nil, and no other object's nil collection can take them.
      change.tellScopesOfSetting(from: change.oldsOfScopes(of: property, in: object))
    }
    if case .algebra = edit, change.needs.contains(.prior) {
      // A prior's handler may have changed the set.
      let present = property.capture(from: object)
      if old != nil { old = edit.leaving(present) }
      if entering != nil { entering = edit.entering(present) }
    }
    let elementCount = tellsMembers ? property.elementCount(of: object) : nil
    let beforeStoring = valueBeforeStoring(for: change)
    return BoxedBracket(
      consume change, old: old, entering: entering, elementCount: elementCount,
      beforeStoring: beforeStoring)
  }

  /// The value right before another one is stored, which may not be what the edit makes of it.
  private func valueBeforeStoring(for change: Change) -> BeforeStoring? {
    let hasScope = change.needs.contains(.scope)
    guard edit.isPartial, adjustment == .property || adjustment == .methods && hasScope
    else { return nil }
    if adjustment == .property { change.keepOlds(of: object) }
    let olds = hasScope ? change.oldsOfScopes(of: property, in: object) : nil
    return BeforeStoring(property.capture(from: object), olds)
  }

  /// Whether the collection is nil.
  private var isNil: Bool {
    isOptional(property.valueType) && property.elementCount(of: object) == nil
  }

  /// Notifies the observers of a started mutation; `started` is nil if it had none at the start.
  func finish(_ started: BoxedBracket?) {
    guard let started else { return followLate(since: 0) }
    followLate(since: started.change.attachment, besides: started.change.watches)
    tell(started)
  }

  /// Notifies the observers of a started mutation of which nothing that was attached meanwhile has to know.
  func tell(_ started: BoxedBracket) {
    if let before = started.beforeStoring {
      let stored = property.capture(from: object)
      let isResult = property.isResult(stored, of: edit, on: before.value)
      // What can't be compared is what the observers were to be told. To journals and recorders it may be something
      // other, unless a setting of the key couldn't be undone.
      let isExact = isResult ?? !(property.isSettable && before.oldsOfScopes != nil)
      if !isExact {
        return tell(
          started, of: stored, insteadOf: before,
          onlyScopes: adjustment == .methods || isResult == nil)
      }
    }
    let tellsMembers = started.change.needs.contains(.membership) && edit.isPartial
    let needsEntered = tellsMembers && edit.kind != .removal
    let new = started.change.needsNew || needsEntered ? started.entering ?? arrived() : nil
    let membership =
      tellsMembers
      ? membership(started, entered: needsEntered ? new?.anyElements ?? [] : []) : nil
    let fitted = edit.isPartial && started.mayHaveCalledOut ? started.change.fitted(edit) : nil
    started.old.withAddress { old in
      new.withAddress { new in
        if let fitted {
          fitted.did(object, old: old, new: new, membership: membership)
        } else {
          started.change.did(object, old: old, new: new, membership: membership)
        }
      }
    }
  }

  /// Notifies the observers of a started mutation that has stored something other than its edit.
  private func tell(
    _ started: BoxedBracket, of stored: any CapturedValue, insteadOf before: BeforeStoring,
    onlyScopes: Bool
  ) {
    var change = started.change
    guard onlyScopes, let olds = before.oldsOfScopes else {
      change.becomeSetting(of: object)
      return before.value.withAddress { old in
        stored.withAddress { change.did(object, old: old, new: $0) }
      }
    }
    change.tellScopesOfSetting(from: olds)
    let new = change.needsNew ? started.entering ?? arrived() : nil
    started.old.withAddress { old in
      new.withAddress { change.did(object, old: old, new: $0) }
    }
  }

  /// What entered and left; nil if the collection contradicts the announcement, so that the whole collection has
  /// to be examined.
  private func membership(_ started: BoxedBracket, entered: [Any?]) -> Membership? {
    // Other objects that equal the members may have replaced them.
    if case .algebra(.set, _) = edit { return nil }
    // What stores the elements may store others.
    if !isGiven(entered) { return nil }
    guard let before = started.elementCount, let after = property.elementCount(of: object)
    else { return nil }
    let left = started.old?.anyElements ?? []
    return after - before == entered.count - left.count
      ? Membership(left: left, entered: entered, indexes: edit.indexes) : nil
  }

  /// Whether the elements are those that the edit was given, and a set's methods have added them.
  private func isGiven(_ entered: [Any?]) -> Bool {
    switch edit {
    case .insertion(_, let given), .replacement(_, let given):
      // An edit that's only announced has no elements.
      return given.isEmpty
        || given.count == entered.count
          && zip(given, entered).allSatisfy { isSame($0, $1) == true }
    case .algebra(.union, _) where adjustment == .methods:
      let members = entered.hashableElements
      let present = property.capture(from: object).elements(in: members)
      let stored = present.anyElements.hashableElements
      return stored == members
        && stored.allSatisfy { element in
          members.firstIndex(of: element).flatMap { isSame(element.base, members[$0].base) } == true
        }
    case .removal, .algebra: return true
    case .setting, .exchange: return adjustment != .methods
    }
  }

  // MARK: What the change says

  /// The new value of the change, once it has happened.
  private func arrived() -> any CapturedValue {
    guard let indexes = edit.ranges else { return property.capture(from: object) }
    if isChecked { return property.capture(from: object, at: indexes) }
    let value = property.capture(from: object)
    checkIndexes(value, hasHappened: true)
    return value.elements(at: indexes)
  }

  /// Traps, before any observer is called, if the announced elements don't exist.
  private func checkIndexes(_ value: (any CapturedValue)?, hasHappened: Bool = false) {
    guard !isChecked, let ranges = edit.ranges, let count = value?.elementCount,
      let first = ranges.ranges.first, let last = ranges.ranges.last
    else { return }
    let growth = edit.kind == .insertion && !hasHappened ? ranges.count : 0
    if first.lowerBound >= 0, last.upperBound - growth <= count { return }
    KeyValueViolation.fatal(
      .indexOutOfRange,
      "\(object.schema.name).\(property.key) has \(count) elements, so there can be no \(edit.kind) at "
        + "\(listing(ranges.set)). Announce the indexes of the elements concerned.")
  }
}
