// The maintained value of a path's operator.
extension HopTree {
  private enum Maintained {
    case nothing
    case value(AggregateValue, hasOverflowed: Bool)
    /// To be put together from what the elements of this hop's property contribute.
    case union(Hop, FanOut, Aggregate)
  }

  /// The operator's value now; nil if it has to be computed.
  var aggregateValue: AggregateValue? {
    switch maintained {
    case .nothing: return nil
    case .union(let hop, let fan, let aggregate):
      guard let contributions = contributions(to: fan, of: hop) else { return nil }
      return .other(aggregate.union(of: contributions))
    case .value(let value, let hasOverflowed):
      if hasOverflowed { reportOverflow() }
      return value
    }
  }

  /// The sum, where it is one of nothing but integers; nil elsewhere.
  var aggregateInteger: Int? {
    lock.withLock { () -> Int? in
      // Each hop keeps the next one while the lock is held.
      var current = rootHop.map { Unmanaged.passUnretained($0) }
      while let hop = current {
        if let fan = hop._withUnsafeGuaranteedRef({ $0.fan }) {
          return fan._withUnsafeGuaranteedRef { $0.foreignCount == 0 ? $0.aggregate?.integer : nil }
        }
        current = hop._withUnsafeGuaranteedRef { $0.next }
      }
      return nil
    }
  }

  private var maintained: Maintained {
    lock.withLock { () -> Maintained in
      var current = rootHop
      while let hop = current {
        switch hop.behind {
        case .nothing: return .nothing
        case .object(let next): current = next
        case .elements(let fan):
          guard let aggregate = fan.aggregate, fan.foreignCount == 0 else { return .nothing }
          if aggregate.operation.family == .union { return .union(hop, fan, aggregate) }
          guard let value = aggregate.value else { return .nothing }
          return .value(value, hasOverflowed: aggregate.hasOverflowed)
        }
      }
      return .nothing
    }
  }

  /// What each element contributes, in the collection's order; nil where that is not known of all.
  private func contributions(to fan: FanOut, of hop: Hop) -> [Contribution]? {
    guard let object = object(of: hop),
      let collection = hop.property.anyValue(of: object) as? any ToMany
    else { return nil }
    let elements = collection.anyElements.map {
      ($0 as? any KeyValueObservable).map { ObjectIdentifier($0) }
    }
    return lock.withLock { () -> [Contribution]? in
      var contributions: [Contribution] = []
      contributions.reserveCapacity(elements.count)
      for element in elements {
        guard let element, let member = fan.members[element] else { return nil }
        contributions.append(member.contribution)
      }
      return contributions
    }
  }

  private func reportOverflow() {
    KeyValueViolation.report(
      .arithmeticOverflow,
      "The sum that '\(path.string)' observes exceeds what an Int or a UInt64 holds, and reads as nil. "
        + "Let the elements have a floating-point value instead.")
  }

  /// The aggregate that is kept for the collection behind a hop: only where the collection's operator
  /// gives the whole path its value.
  func makeAggregate(behind hop: Hop) -> Aggregate? {
    let index = hop.index + 1
    guard hop.endsObservedPath, !hop.isInDependency, !hop.isBehindCollection,
      let operation = hop.path[index].operation
    else { return nil }
    return Aggregate(
      operation, .init(index: index, keyPath: path.string),
      contribution: path.contribution(from: index + 1), isKey: path.isKey(from: index + 1))
  }
}
