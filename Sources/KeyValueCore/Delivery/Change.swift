/// What one mutation concerns: its kind, and the observances frozen when it was announced.
///
/// `will` and `did` are called once each, around the mutation, with no lock held. An automatic bracket
/// keeps the change on its stack; only manual pairs are stored until their `did` comes.
struct Change {
  let watches: WatchList
  let needs: Needs
  let kind: KeyValueChangeKind
  let ranges: IndexRanges?
  /// The old values of observances that had to be evaluated, by their place in the list.
  private var olds: ContiguousArray<AnyObject?> = []

  init?(_ watches: WatchList, kind: KeyValueChangeKind = .setting, ranges: IndexRanges? = nil) {
    switch watches {
    case .none: return nil
    case .one(let watch): needs = watch.needs
    case .many(let slots):
      needs = slots.slots.reduce(into: []) { $0.formUnion($1.watch?.needs ?? []) }
    }
    self.watches = watches
    self.kind = kind
    self.ranges = ranges
  }

  /// Whether the old, or the new, value of the mutated property itself has to be at hand.
  var needsOld: Bool { needs.contains(.old) && kind != .insertion }
  var needsNew: Bool { needs.contains(.new) && kind != .removal }

  // MARK: Before

  /// Captures the old values of dependents and delivers the priors.
  mutating func will(_ object: AnyObject, old: UnsafeRawPointer?) {
    guard !needs.isDisjoint(with: [.prior, .evaluatedOld]) else { return }
    if needs.contains(.evaluatedOld) {
      var captured: ContiguousArray<AnyObject?> = []
      forEachObservance(object) { watch, root, _ in
        captured.append(
          watch.needs.contains(.evaluatedOld)
            ? root().flatMap(watch.observance.capture(from:)) : nil)
      }
      olds = captured
    }
    guard needs.contains(.prior) else { return }
    forEachObservance(object) { watch, root, index in
      guard watch.needs.contains(.prior), watch.observance.isActive, let root = root() else {
        return
      }
      deliver(watch, root, index, old: old, new: nil, isPrior: true)
    }
  }

  // MARK: After

  /// Attaches what the mutation brought in, captures new values and delivers the posts.
  func did(_ object: AnyObject, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
    if needs.contains(.structure) {
      watches.forEach { watch in
        if let hop = watch.hop { watch.observance.tree?.valueChanged(at: hop) }
      }
    }
    guard case .many = watches else {
      forEachObservance(object) { watch, root, index in
        if let root = root() { deliver(watch, root, index, old: old, new: new, isPrior: false) }
      }
      return
    }
    // With several observers, all new values are read before the first callback can change them.
    var news: ContiguousArray<AnyObject?> = []
    if needs.contains(.evaluatedNew) {
      forEachObservance(object) { watch, root, _ in
        news.append(
          watch.needs.contains(.evaluatedNew)
            ? root().flatMap(watch.observance.capture(from:)) : nil)
      }
    }
    forEachObservance(object) { watch, root, index in
      guard watch.observance.isActive, let root = root() else { return }
      let captured = index < news.count ? news[index] : nil
      deliver(watch, root, index, old: old, new: new, captured: captured, isPrior: false)
    }
  }

  // MARK: One observance

  private func deliver(
    _ watch: Watch, _ root: AnyObject, _ index: Int, old: UnsafeRawPointer?,
    new: UnsafeRawPointer?, captured: AnyObject? = nil, isPrior: Bool
  ) {
    var delivery = Delivery(root: root, request: .deliver)
    delivery.isPrior = isPrior
    if watch.isLeaf {
      delivery.kind = kind
      delivery.ranges = ranges
      delivery.leaf = watch.hop.map { Unmanaged.passUnretained($0.property) }
      if let old, kind != .insertion { delivery.old = .address(old) }
      if let new, kind != .removal { delivery.new = .address(new) }
    } else {
      if index < olds.count, let old = olds[index] { delivery.old = .captured(old) }
      delivery.new = captured.map { .captured($0) } ?? .evaluate
    }
    watch.observance.deliver(&delivery)
  }

  /// Calls the body once for each observance, in registration order, with a way to reach its root
  /// and its place among the observances.
  ///
  /// An observance that the property reaches on several ways stands several times in a row in the
  /// list; the way on which the property is the whole value wins.
  private func forEachObservance(
    _ object: AnyObject, _ body: (Watch, () -> AnyObject?, Int) -> Void
  ) {
    func call(_ watch: Watch, _ index: Int) {
      let isDirect = watch.hop == nil
      body(watch, { () -> AnyObject? in isDirect ? object : watch.observance.root }, index)
    }
    switch watches {
    case .none: break
    case .one(let watch): call(watch, 0)
    case .many(let slots):
      var pending: Watch?
      var index = 0
      for slot in slots.slots {
        guard let watch = slot.watch else { continue }
        if let last = pending {
          if last.observance === watch.observance {
            if watch.isLeaf { pending = watch }
            continue
          }
          call(last, index)
          index += 1
        }
        pending = watch
      }
      if let pending { call(pending, index) }
    }
  }
}
