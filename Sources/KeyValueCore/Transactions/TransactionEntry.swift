/// What one observance is told at the end of a transaction: the old value, and what the changes since
/// amount to.
///
/// A value, so that a part of a transaction that fails can be taken back. Nothing here retains an
/// observed object.
struct TransactionEntry {
  let observance: Observance
  /// Whether any change was completed; a manual pair that was only begun has nobody told (Parity M2).
  private(set) var hasChanged = false
  /// Where the observed value was changed itself, and not by something that it is computed from or found
  /// through; nil where that differs from change to change.
  private(set) var site: Site?
  private var shape = Shape.whole
  private(set) var old = KeptValue.missing

  /// A property of an object.
  final class Site {
    private(set) weak var object: AnyObject?
    let property: Property

    init(_ object: AnyObject, _ property: Property) {
      self.object = object
      self.property = property
    }

    func isOf(_ object: AnyObject, _ property: Property?) -> Bool {
      self.object === object && self.property.id == property?.id
    }
  }

  private enum Shape {
    /// The value is told of as a whole.
    case whole
    case ordered(IndexedChanges)
    /// Elements entered and left a collection without order; which, the two values say.
    case unordered
  }

  /// The entry of a change that nobody announced beforehand.
  init(unannounced observance: Observance) {
    self.observance = observance
    hasChanged = true
  }

  /// The entry of the first change of an observance, before it happens.
  ///
  /// The old elements of an ordered collection are not kept as long as some are only inserted: they can
  /// be told from the others later, and a collection that is held twice is copied when it changes.
  ///
  /// `mayMissChanges` is whether it was registered in the transaction. Then it may not be told of a
  /// change that is going on (Parity N2), so its old value is kept at once.
  init(
    _ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit, mayMissChanges: Bool
  ) {
    observance = watch.observance
    guard watch.isLeaf, let property = watch.property else {
      if watch.needs.contains(.evaluatedOld) {
        old = observance.capture(from: root).map { .boxed($0) } ?? .missing
      }
      return
    }
    site = Site(object, property)
    var keepsOld = watch.needs.contains(.old)
    if edit.ranges != nil {
      shape = .ordered(IndexedChanges(countBefore: property.elementCount(of: object) ?? 0))
      keepsOld =
        keepsOld
        && (edit.kind != .insertion || mayMissChanges || watch.needs.contains(.prior)
          || !property.canMutateStorage(of: object))
    } else if edit.kind != .setting {
      shape = .unordered
      keepsOld = true
    }
    if keepsOld { old = .stored(property.capture(from: object), property) }
  }

  // MARK: Changes

  /// The old value, where the coming change is the first for which it has to be kept.
  func missingOld(_ watch: Watch, _ object: AnyObject, _ edit: Edit) -> KeptValue {
    guard observance.needs.contains(.old), case .missing = old, case .ordered(let changes) = shape
    else { return .missing }
    let isInsertion = edit.ranges != nil && edit.kind == .insertion
    if isInsertion, !changes.isFragmented, staysAtSite(watch, object) { return .missing }
    return valueBefore(changes)
  }

  /// Takes up the next change, before it happens.
  mutating func begin(
    _ watch: Watch, _ object: AnyObject, _ edit: Edit, missingOld: KeptValue
  ) {
    if case .missing = old { old = missingOld }
    guard staysAtSite(watch, object) else {
      site = nil
      shape = .whole
      return
    }
    switch shape {
    case .whole: break
    case .ordered(let changes):
      if edit.ranges == nil || changes.isFragmented { shape = .whole }
    case .unordered:
      if edit.ranges != nil || edit.kind == .setting { shape = .whole }
    }
  }

  /// Takes note that a change has happened.
  mutating func complete(_ edit: Edit) {
    hasChanged = true
    guard case .ordered(var changes) = shape, let ranges = edit.ranges else { return }
    shape = .whole  // so that the indexes are uniquely held
    changes.apply(edit.kind, at: ranges.set)
    shape = .ordered(changes)
  }

  /// Takes note of a change that was not announced beforehand.
  mutating func noteUnannounced() {
    hasChanged = true
    site = nil
    shape = .whole
  }

  private func staysAtSite(_ watch: Watch, _ object: AnyObject) -> Bool {
    watch.isLeaf && site?.isOf(object, watch.property) == true
  }

  /// The value before changes that only inserted something.
  private func valueBefore(_ changes: IndexedChanges) -> KeptValue {
    guard let site, let object = site.object else { return .missing }
    let value = site.property.capture(from: object)
    if changes.inserted.isEmpty { return .stored(value, site.property) }
    let all = RangeSet(0..<(value.elementCount ?? 0))
    return .stored(
      value.elements(at: IndexRanges(all.subtracting(changes.inserted))), site.property)
  }

  // MARK: The end

  /// What is to be told, with all values read.
  func notices(_ root: AnyObject) -> [TransactionNotice] {
    guard let site, let object = site.object else {
      let new = wantsNew ? observance.capture(from: root).map { KeptValue.boxed($0) } : nil
      return [TransactionNotice(old: old, new: new ?? .missing)]
    }
    switch shape {
    case .ordered(let changes):
      if changes.count == site.property.elementCount(of: object) {
        return notices(of: changes, at: object, site.property)
      }
      // Something else happened than was announced.
      let before = observance.needs.contains(.old) ? valueBefore(changes) : .missing
      return whole(object, site.property, old: old.isMissing ? before : old)
    case .unordered: return unorderedNotices(object, site.property)
    case .whole: return whole(object, site.property, old: old)
    }
  }

  private var wantsNew: Bool { observance.options.contains(.new) }

  private func whole(
    _ object: AnyObject, _ property: Property, old: KeptValue
  ) -> [TransactionNotice] {
    guard observance.needs.contains(.new) else { return [TransactionNotice(old: old)] }
    let new = property.capture(from: object)
    if observance.options.contains(.elementChanges), case .stored(let old, _) = old,
      let changes = property.elementChanges(from: old, to: new), !changes.isEmpty
    {
      return changes.map { TransactionNotice($0, property) }
    }
    return [TransactionNotice(old: old, new: .stored(new, property))]
  }

  private func notices(
    of changes: IndexedChanges, at object: AnyObject, _ property: Property
  ) -> [TransactionNotice] {
    let (removed, inserted) = (changes.removed, changes.inserted)
    if removed.isEmpty, inserted.isEmpty {
      // In the end nothing differs, so the old value is the new one.
      let value = KeptValue.stored(property.capture(from: object), property)
      return [TransactionNotice(old: value, new: value)]
    }
    let entered =
      wantsNew && !inserted.isEmpty
      ? KeptValue.stored(property.capture(from: object, at: IndexRanges(inserted)), property)
      : .missing
    let left = removed.isEmpty ? .missing : old.elements(at: removed)
    if removed == inserted {
      return [TransactionNotice(.replacement, inserted, old: left, new: entered)]
    }
    var notices: [TransactionNotice] = []
    if !removed.isEmpty { notices.append(TransactionNotice(.removal, removed, old: left)) }
    if !inserted.isEmpty { notices.append(TransactionNotice(.insertion, inserted, new: entered)) }
    return notices
  }

  private func unorderedNotices(
    _ object: AnyObject, _ property: Property
  ) -> [TransactionNotice] {
    guard case .stored(let before, _) = old else { return [] }
    let after = property.capture(from: object)
    let left = before.elements(notIn: after.hashableElements)
    let entered = after.elements(notIn: before.hashableElements)
    let kind: KeyValueChangeKind =
      switch (left.anyElements.isEmpty, entered.anyElements.isEmpty) {
      case (true, true): .setting
      case (true, false): .insertion
      case (false, true): .removal
      case (false, false): .replacement
      }
    if kind == .setting {
      return [TransactionNotice(old: old, new: .stored(after, property))]
    }
    return [
      TransactionNotice(
        kind, nil, old: kind == .insertion ? .missing : .stored(left, property),
        new: kind == .removal ? .missing : .stored(entered, property))
    ]
  }
}

extension CapturedValue {
  fileprivate var hashableElements: Set<AnyHashable> {
    Set(anyElements.compactMap { $0 as? AnyHashable })
  }
}
