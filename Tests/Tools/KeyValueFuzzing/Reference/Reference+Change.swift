import KeyValueObserving

/// The kind of mutation that is announced.
enum Announcement {
  case setting
  case ordered(KeyValueChangeKind, [Int])
  case unordered(KeyValueSetMutationKind, Set<FuzzValue>)

  var kind: KeyValueChangeKind {
    switch self {
    case .setting: .setting
    case .ordered(let kind, _): kind
    case .unordered(.union, _): .insertion
    case .unordered(.minus, _), .unordered(.intersect, _): .removal
    case .unordered(.set, _): .replacement
    }
  }

  var indexes: [Int]? { if case .ordered(_, let indexes) = self { indexes } else { nil } }
  var isPartial: Bool { if case .setting = self { false } else { true } }
}

/// A mutation between its `will` and its `did`.
final class Change {
  let site: Site
  let announcement: Announcement
  /// The transaction in which it began.
  let transaction: OpenTransaction?
  fileprivate(set) var frozen: [Frozen] = []
  /// The property's value before the mutation.
  fileprivate(set) var before: FuzzValue = .none
  /// The old value that the change carries: the whole value, or the elements that leave.
  fileprivate var old: FuzzValue = .none
  /// The elements that enter a set.
  fileprivate var entering: FuzzValue = .none
  /// What each path through the site was attached to before; used while the value is being exchanged.
  fileprivate(set) var attached: [ObjectIdentifier: Reach] = [:]
  /// The loose links of those paths that don't lie behind the site.
  fileprivate(set) var links: [ObjectIdentifier: Set<Reach.Link>] = [:]
  /// The objects that the change's values keep alive until the change is complete.
  fileprivate var pinned: [Int] = []
  /// Whether the change ends in the same call, so that deaths in the meantime can be left to it.
  fileprivate(set) var isSureToEnd = false
  /// The places that recorders have reserved for it, by their numbers.
  var steps: [Int: Reference.Step] = [:]

  struct Frozen {
    let observance: Reference.Observance
    let roles: Roles
    var old: FuzzValue?

    /// Whether the property's value is the observed value; a site that is also a step isn't a leaf (P1).
    var isLeaf: Bool { roles.contains(.leaf) && !roles.contains(.step) }
  }

  /// Whether the observance learns of a death in the change by the change's own notification (N5).
  func covers(_ observance: Reference.Observance) -> Bool {
    isSureToEnd
      && frozen.contains { $0.observance === observance && $0.roles.contains(.hasMore) }
  }

  fileprivate init(
    _ site: Site, _ announcement: Announcement, in transaction: OpenTransaction?
  ) {
    self.site = site
    self.announcement = announcement
    self.transaction = transaction
  }
}

extension Reference {
  /// N1: freezes the set of observances, captures old values, and delivers the priors.
  ///
  /// `isPair` is whether the change may end in another call, after a transaction.
  func begin(
    _ site: Site, _ announcement: Announcement, isAutomatic: Bool, isPair: Bool = false
  ) -> Change {
    let change = Change(site, announcement, in: transaction)
    changes.append(change)
    if change.transaction != nil { noteForRestoring(change) }
    let isSilent = isAutomatic && ReferenceKey.of(site.object, site.key)?.isManual == true
    let isOverridden = ReferenceKey.table[site.key]?.isManual == false
    let isHeard = flaw == .manualKeysNotify || flaw == .noOverriding && isOverridden
    if isSilent, !isHeard { return change }
    if flaw == .noBadges, FuzzBadge.isBadge(site.object) { return change }
    for observance in observances where observance.isActive && world.isAlive(observance.root) {
      guard let roles = attachedReach(of: observance).sites[site] else { continue }
      if flaw == .noDependents, roles.isDisjoint(with: [.leaf, .step]) { continue }
      if flaw == .noSelf, observance.path.hasSelf { continue }
      let isInFolder =
        observance.path.keys.drop { $0 != "folder" }.dropFirst(2).contains(site.key)
      if flaw == .noDictionaries, isInFolder { continue }
      change.frozen.append(.init(observance: observance, roles: roles))
    }
    change.isSureToEnd = !isPair && change.frozen.contains { $0.roles.contains(.attaches) }
    capture(change, isPair: isPair)
    let count = stepCount
    whileTelling(change, isOver: false) { announce(change) }
    followPriors(change, since: count)
    for observance in observances where observance.isActive && world.isAlive(observance.root) {
      let reach = attachedReach(of: observance)
      guard reach.sites[site] != nil else { continue }
      change.attached[ObjectIdentifier(observance)] = reach
      change.links[ObjectIdentifier(observance)] = settledLinks(of: observance)
    }
    return change
  }

  private func announce(_ change: Change) {
    for frozen in change.frozen {
      if let recorder = frozen.observance.recorder {
        guard frozen.observance.isActive, world.isAlive(frozen.observance.root) else { continue }
        if let transaction = change.transaction { join(transaction, recorder) }
        reserve(change, frozen.observance, by: recorder)
      } else if let transaction = change.transaction {
        begin(frozen, of: change, in: transaction)
      } else if frozen.observance.options.contains(.prior), flaw != .noPriors {
        tell(frozen, of: change, new: nil, isPrior: true)
      }
    }
  }

  /// Detaches the paths of open changes from an object that died.
  func detachFromDead() {
    for change in changes where !change.attached.isEmpty {
      for observance in observances {
        let identifier = ObjectIdentifier(observance)
        guard change.attached[identifier] != nil else { continue }
        let former = Dictionary(
          changes.filter { $0.attached[identifier] != nil }.map { ($0.site, $0.before) },
          uniquingKeysWith: { first, _ in first })
        change.attached[identifier] = Reach(
          observance.path, of: observance.root, in: world, former: former)
      }
    }
  }

  /// What a path is attached to; while a value on the path is being exchanged, what it was attached to
  /// before (P2).
  private func attachedReach(of observance: Observance) -> Reach {
    let identifier = ObjectIdentifier(observance)
    return changes.lazy.reversed().compactMap { $0.attached[identifier] }.first
      ?? Reach(observance.path, of: observance.root, in: world)
  }

  /// The recorders of a property, or of a path through it.
  func recorders(at site: Site) -> [Recorder] {
    var found: [Recorder] = []
    for observance in observances where observance.isActive && world.isAlive(observance.root) {
      guard let recorder = observance.recorder, !found.contains(where: { $0 === recorder }),
        attachedReach(of: observance).sites[site] != nil
      else { continue }
      found.append(recorder)
    }
    return found
  }

  private func capture(_ change: Change, isPair: Bool) {
    let before = world.value(change.site.object, change.site.key)
    change.before = before
    change.old = leaving(before, change.announcement)
    change.entering = entering(before, change.announcement)
    let isHeld = change.frozen.contains { frozen in
      let isCarried =
        frozen.isLeaf && !frozen.observance.options.isDisjoint(with: [.old, .elementChanges])
      let isFollowed = change.announcement.isPartial && frozen.roles.contains(.intoCollection)
      return (isCarried || isFollowed) && change.announcement.kind != .insertion
    }
    if isHeld { pin(change.old, in: change) }
    for index in change.frozen.indices {
      let frozen = change.frozen[index]
      if frozen.isLeaf {
        change.frozen[index].old = change.announcement.kind == .insertion ? nil : change.old
      } else if change.transaction == nil || isPair {
        change.frozen[index].old = value(of: frozen.observance)
        // What a path leads to is compared by its elements, not by its values (P10).
        if frozen.observance.options.contains(.old) {
          pin(change.frozen[index].old ?? .none, in: change)
        }
      }
    }
  }

  /// N1: captures new values, and delivers the posts to exactly the observances frozen at `will`.
  func finish(_ change: Change) {
    var toldNow = change.frozen
    if let transaction = change.transaction, transaction.isOpen {
      toldNow.removeAll {
        $0.observance.recorder == nil && complete($0, of: change, in: transaction)
      }
    }
    let after = world.value(change.site.object, change.site.key)
    var news: [FuzzValue] = []
    for frozen in toldNow {
      let new = frozen.isLeaf ? arrived(after, change) : value(of: frozen.observance)
      news.append(new)
      if frozen.observance.options.contains(.new) { pin(new, in: change) }
    }
    changes.removeAll { $0 === change }
    let posts = Array(zip(toldNow, news))
    whileTelling(change, isOver: true) {
      tell(flaw == .reversedPosts ? posts.reversed() : posts, of: change, after)
    }
    unpin(change)
  }

  private func tell(
    _ posts: [(Change.Frozen, FuzzValue)], of change: Change, _ after: FuzzValue
  ) {
    for (frozen, new) in posts {
      if let recorder = frozen.observance.recorder {
        if frozen.observance.isActive, world.isAlive(frozen.observance.root) {
          note(change, old: frozen.old, new: new, after: after, by: recorder)
        }
        continue
      }
      if frozen.isLeaf, frozen.observance.options.contains(.elementChanges),
        !change.announcement.isPartial, tellElements(frozen, old: change.old, new: new)
      {
        continue
      }
      tell(frozen, of: change, new: new, isPrior: false)
    }
  }

  /// Releases the objects that the change's values keep alive.
  func unpin(_ change: Change) {
    let pinned = change.pinned
    change.pinned = []
    pinned.forEach(world.release)
  }

  private func tell(_ frozen: Change.Frozen, of change: Change, new: FuzzValue?, isPrior: Bool) {
    let announcement = frozen.isLeaf ? change.announcement : .setting
    tell(
      frozen.observance, announcement.kind, old: frozen.old,
      new: announcement.kind == .removal ? nil : new, at: announcement.indexes, isPrior: isPrior)
  }

  private func pin(_ value: FuzzValue, in change: Change) {
    let objects = World.objects(in: value).filter(world.isAlive)
    objects.forEach(world.retain)
    change.pinned += objects
  }

  // MARK: What the change carries (C1, C3)

  private func leaving(_ before: FuzzValue, _ announcement: Announcement) -> FuzzValue {
    switch announcement {
    case .setting: before
    case .ordered(.insertion, _): .none
    case .ordered(_, let indexes): .list(indexes.compactMap { before.elements?[$0] })
    case .unordered(.union, _): .none
    case .unordered(.minus, let elements):
      .bag(Set(before.elements ?? []).equalTo(elements))
    case .unordered(_, let elements): .bag(Set(before.elements ?? []).equalToNone(of: elements))
    }
  }

  private func entering(_ before: FuzzValue, _ announcement: Announcement) -> FuzzValue {
    guard case .unordered(_, let elements) = announcement else { return .none }
    return .bag(elements.equalToNone(of: before.elements ?? []))
  }

  private func arrived(_ after: FuzzValue, _ change: Change) -> FuzzValue {
    switch change.announcement {
    case .setting: after
    case .ordered(.removal, _): .none
    case .ordered(_, let indexes): .list(indexes.compactMap { after.elements?[$0] })
    case .unordered: change.entering
    }
  }

  // MARK: Elements of an assignment (C8)

  private func tellElements(_ frozen: Change.Frozen, old: FuzzValue, new: FuzzValue) -> Bool {
    let changes = ElementStep.steps(from: old, to: new)
    for change in changes {
      tell(
        frozen.observance, change.kind, old: change.left, new: change.entered, at: change.indexes)
    }
    return !changes.isEmpty
  }
}

/// One of the changes that an assignment consists of.
struct ElementStep {
  let kind: KeyValueChangeKind
  var indexes: [Int]?
  var left: FuzzValue?
  var entered: FuzzValue?

  /// The steps between two collections; empty if a value isn't a collection.
  static func steps(from old: FuzzValue, to new: FuzzValue) -> [ElementStep] {
    switch (old, new) {
    case (.list(let old), .list(let new)): return steps(from: old, to: new)
    case (.bag(let old), .bag(let new)):
      let left = old.equalToNone(of: new)
      let entered = new.equalToNone(of: old)
      return
        (left.isEmpty ? [] : [.init(kind: .removal, left: .bag(left))])
        + (entered.isEmpty ? [] : [.init(kind: .insertion, entered: .bag(entered))])
    default: return []
    }
  }

  /// Elements are compared by their own equality.
  private static func steps(from old: [FuzzValue], to new: [FuzzValue]) -> [ElementStep] {
    let (former, present) = (old.map(\.likeness), new.map(\.likeness))
    let front = zip(former, present).prefix { $0 == $1 }.count
    let back =
      zip(former[front...].reversed(), present[front...].reversed()).prefix { $0 == $1 }.count
    let (before, after) = (former[front..<old.count - back], present[front..<new.count - back])
    if before.count == 1, after.count == 1 {
      return [
        .init(
          kind: .replacement, indexes: [front], left: .list([old[front]]),
          entered: .list([new[front]]))
      ]
    }
    var removed: [Int] = []
    var inserted: [Int] = []
    for change in after.difference(from: before) {
      switch change {
      case .remove(let offset, _, _): removed.append(offset + front)
      case .insert(let offset, _, _): inserted.append(offset + front)
      }
    }
    removed.sort()
    inserted.sort()
    return
      (removed.isEmpty
      ? [] : [.init(kind: .removal, indexes: removed, left: .list(removed.map { old[$0] }))])
      + (inserted.isEmpty
        ? []
        : [.init(kind: .insertion, indexes: inserted, entered: .list(inserted.map { new[$0] }))])
  }
}
