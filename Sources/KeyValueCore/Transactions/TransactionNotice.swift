/// One call at the end of a transaction, or its prior.
struct TransactionNotice {
  private let kind: KeyValueChangeKind
  private let ranges: IndexRanges?
  private let old: KeptValue
  private let new: KeptValue
  private var isPrior = false

  init(
    _ kind: KeyValueChangeKind = .setting, _ indexes: RangeSet<Int>? = nil,
    old: KeptValue = .missing, new: KeptValue = .missing
  ) {
    self.kind = kind
    self.old = old
    self.new = new
    ranges = indexes.map { IndexRanges($0) }
  }

  init(_ change: ElementChange, _ property: Property) {
    kind = change.kind
    ranges = change.ranges
    old = change.old.map { .stored($0, property) } ?? .missing
    new = change.new.map { .stored($0, property) } ?? .missing
  }

  init(priorWith old: KeptValue) {
    self.init(old: old)
    isPrior = true
  }

  func deliver(to observance: Observance, root: AnyObject) {
    old.withSource { old in
      new.withSource { new in
        var delivery = Delivery(.deliver)
        delivery.kind = kind
        delivery.isPrior = isPrior
        delivery.isDeferred = !isPrior
        delivery.old = old
        delivery.new = new
        delivery.leaf = (self.old.property ?? self.new.property).map {
          Unmanaged.passUnretained($0)
        }
        guard let ranges else { return observance.deliver(delivery, of: root) }
        withUnsafePointer(to: ranges) { ranges in
          delivery.ranges = ranges
          observance.deliver(delivery, of: root)
        }
      }
    }
  }
}

extension Property {
  /// What an assignment changed; nil where that is not known element by element.
  func elementChanges(
    from old: any CapturedValue, to new: any CapturedValue
  ) -> [ElementChange]? {
    var changes: [ElementChange]?
    old.withAddress { old in
      new.withAddress { new in changes = elementChanges(from: old, to: new) }
    }
    return changes
  }
}
