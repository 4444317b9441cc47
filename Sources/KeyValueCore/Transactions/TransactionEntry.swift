/// What a transaction delivers to one observance at its end: the old value, and the net effect of
/// the changes since.
///
/// A value, so that a failed part of a transaction can be reverted. Nothing here retains an
/// observed object.
struct TransactionEntry {
  let observance: Observance
  /// Whether any change was completed; a manual pair without its second half notifies no observer (Parity
  /// M2).
  private(set) var hasChanged = false
  /// The trace event that last reported the deferred call.
  var deferral: UInt64?
  /// The changed property, if every change was of the observed value itself; nil if a change was of
  /// something that the value is computed from or reached through, or if the properties differ.
  private(set) var site: Site?
  /// The net effect of the completed changes; a setting if the value is delivered as a whole.
  private var edit = Edit.setting
  /// How many elements an ordered collection had before.
  private var countBefore = 0
  /// Nil if the old value isn't requested or isn't known.
  private(set) var old: KeptValue?

  /// A property of an object.
  final class Site {
    private(set) weak var object: AnyObject?
    let property: Property
    private let identity: ObjectIdentifier

    init(_ object: AnyObject, _ property: Property) {
      self.object = object
      self.property = property
      identity = ObjectIdentifier(object)
    }

    func isOf(_ object: AnyObject, _ property: Property?) -> Bool {
      // The weak reference is read only if it can't be the last reference to another object, whose
      // `deinit` would run here. It shows whether this object isn't a later one at the same
      // address.
      identity == ObjectIdentifier(object) && self.property.id == property?.id
        && self.object != nil
    }
  }

  /// The entry of an unannounced change.
  init(unannounced observance: Observance) {
    self.observance = observance
    hasChanged = true
  }

  /// The entry of an observance's first change, before it happens.
  ///
  /// The old elements of an ordered collection aren't kept while it only gets insertions: they can
  /// be told from the inserted ones later, and a collection with two references is copied when it
  /// changes. Nil can't be told from them.
  ///
  /// `mayMissChanges` is whether the observance was registered in the transaction. If so, it may
  /// not be notified of a change in progress (Parity N2), so its old value is kept at once.
  init(
    _ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit, mayMissChanges: Bool
  ) {
    observance = watch.observance
    guard watch.isLeaf, let property = watch.property else {
      if watch.needs.contains(.evaluatedOld) {
        old = observance.capture(from: root).map { .boxed($0) }
      }
      return
    }
    site = Site(object, property)
    var keepsOld = watch.needs.contains(.old)
    if edit.ranges != nil {
      self.edit = .exchange(removed: .none, inserted: .none)
      let count = property.elementCount(of: object)
      countBefore = count ?? 0
      keepsOld =
        keepsOld
        && (edit.kind != .insertion || mayMissChanges || watch.needs.contains(.prior)
          || count == nil || !property.canMutateStorage(of: object))
    } else if case .algebra(let kind, _) = edit {
      self.edit = .algebra(kind, [])
      keepsOld = true
    }
    if keepsOld { old = .stored(property.capture(from: object), property) }
  }

  // MARK: Changes

  /// The old value, if the next change is the first that needs it kept.
  func missingOld(_ watch: Watch, _ object: AnyObject, _ next: Edit) -> KeptValue? {
    guard observance.needs.contains(.old), old == nil, case .exchange(_, let inserted) = edit
    else { return nil }
    if case .insertion = next, !edit.isFragmented, staysAtSite(watch, object) { return nil }
    return value(without: inserted)
  }

  /// Whether the next change adds nothing, because the value is already delivered as a whole.
  // Inlined, because a call would copy the whole entry.
  @inline(__always)
  func takesUnchanged(_ watch: Watch, _ object: AnyObject, _ next: Edit) -> Bool {
    guard case .setting = edit, case .setting = next else { return false }
    return site == nil || staysAtSite(watch, object)
  }

  /// Whether a further change adds nothing: the value is delivered as a whole, and its old value is kept.
  var isComplete: Bool {
    guard hasChanged, case .setting = edit else { return false }
    return true
  }

  /// Records the next change, before it happens.
  mutating func begin(
    _ watch: Watch, _ object: AnyObject, _ next: Edit, missingOld: KeptValue?
  ) {
    old = old ?? missingOld
    if !staysAtSite(watch, object) {
      site = nil
      edit = .setting
    } else if !edit.isAlike(next) || edit.isFragmented {
      edit = .setting
    }
  }

  /// Records that a change has happened.
  mutating func complete(_ next: Edit) {
    hasChanged = true
    // A change that doesn't match the entry's edit began in a part that was rolled back.
    if edit.isAlike(next) { edit = edit.merging(next) }
  }

  /// Records a change that was not announced beforehand.
  mutating func noteUnannounced() {
    hasChanged = true
    site = nil
    edit = .setting
  }

  @inline(__always)
  private func staysAtSite(_ watch: Watch, _ object: AnyObject) -> Bool {
    guard watch.isLeaf, let site else { return false }
    // An observance without hops observes one property of one object.
    return watch.hop == nil || site.isOf(object, watch.property)
  }

  /// The value without these elements, which is the old value if no other elements have left.
  private func value(without inserted: IndexRanges) -> KeptValue? {
    guard let site, let object = site.object else { return nil }
    let value = site.property.capture(from: object)
    if inserted.isEmpty { return .stored(value, site.property) }
    let all = RangeSet(0..<(value.elementCount ?? 0))
    return .stored(
      value.elements(at: IndexRanges(all.subtracting(inserted.set))), site.property)
  }

  // MARK: The end

  /// The changes to deliver, with all values read.
  func changes(_ root: AnyObject) -> [KeyValueObservedChange<KeptValue>] {
    if observance.policy?.readsWholeValue == true { return [.init(kind: .setting)] }
    guard let site, let object = site.object else {
      let new =
        observance.wantsNew ? observance.capture(from: root).map { KeptValue.boxed($0) } : nil
      return [.init(kind: .setting, newValue: new, oldValue: old)]
    }
    switch edit {
    case .exchange(let removed, let inserted):
      let count = countBefore - removed.count + inserted.count
      if count == site.property.elementCount(of: object) {
        return changes(removed: removed, inserted: inserted, at: object, site.property)
      }
      // The collection changed differently than announced.
      let before = observance.needs.contains(.old) ? value(without: inserted) : nil
      return whole(object, site.property, old: old ?? before)
    case .algebra: return unorderedChanges(object, site.property)
    default: return whole(object, site.property, old: old)
    }
  }

  private func whole(
    _ object: AnyObject, _ property: Property, old: KeptValue?
  ) -> [KeyValueObservedChange<KeptValue>] {
    guard observance.needs.contains(.new) else { return [.init(kind: .setting, oldValue: old)] }
    let new = property.capture(from: object)
    if observance.options.contains(.elementChanges), case .stored(let old, _) = old,
      let changes = property.elementChanges(from: old, to: new), !changes.isEmpty
    {
      return changes.map { $0.mapValues { .stored($0, property) } }
    }
    return [.init(kind: .setting, newValue: .stored(new, property), oldValue: old)]
  }

  private func changes(
    removed: IndexRanges, inserted: IndexRanges, at object: AnyObject, _ property: Property
  ) -> [KeyValueObservedChange<KeptValue>] {
    if removed.isEmpty, inserted.isEmpty {
      // The changes cancel out, so the old value is the new one, or was nil.
      let value = KeptValue.stored(property.capture(from: object), property)
      return [.init(kind: .setting, newValue: value, oldValue: old ?? value)]
    }
    let entered: KeptValue? =
      observance.wantsNew && !inserted.isEmpty
      ? .stored(property.capture(from: object, at: inserted), property) : nil
    let left = removed.isEmpty ? nil : old?.elements(at: removed)
    if removed == inserted {
      return [.init(kind: .replacement, newValue: entered, oldValue: left, ranges: inserted)]
    }
    var changes: [KeyValueObservedChange<KeptValue>] = []
    if !removed.isEmpty {
      changes.append(.init(kind: .removal, oldValue: left, ranges: removed))
    }
    if !inserted.isEmpty {
      changes.append(.init(kind: .insertion, newValue: entered, ranges: inserted))
    }
    return changes
  }

  private func unorderedChanges(
    _ object: AnyObject, _ property: Property
  ) -> [KeyValueObservedChange<KeptValue>] {
    guard case .stored(let before, _) = old else { return [] }
    let after = property.capture(from: object)
    let left = before.elements(notIn: after.anyElements.hashableElements)
    let entered = after.elements(notIn: before.anyElements.hashableElements)
    let (hasLeft, hasEntered) = (!left.anyElements.isEmpty, !entered.anyElements.isEmpty)
    guard hasLeft || hasEntered else {
      return [.init(kind: .setting, newValue: .stored(after, property), oldValue: old)]
    }
    return [
      .init(
        kind: hasLeft && hasEntered ? .replacement : hasLeft ? .removal : .insertion,
        newValue: hasEntered ? .stored(entered, property) : nil,
        oldValue: hasLeft ? .stored(left, property) : nil)
    ]
  }
}

extension Property {
  /// The element changes of an assignment; nil if they aren't known.
  fileprivate func elementChanges(
    from old: any CapturedValue, to new: any CapturedValue
  ) -> [KeyValueObservedChange<any CapturedValue>]? {
    var changes: [KeyValueObservedChange<any CapturedValue>]?
    old.withAddress { old in
      new.withAddress { new in changes = elementChanges(from: old, to: new) }
    }
    return changes
  }
}
