// The maintained value of a path's operator.
extension HopTree {
  private enum Maintained {
    case nothing
    case value(AggregateValue, hasOverflowed: Bool)
    /// A union, to be built from the contributions of the elements of this hop's property.
    case union(Hop, FanOut, Aggregate)
  }

  /// The operator's current value; nil if it has to be computed.
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

  /// The sum, if all its terms are integers; nil otherwise.
  var aggregateInteger: Int? {
    lock.withLock { () -> Int? in
      // Each hop keeps the next one alive while the lock is held.
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

  /// The elements' contributions, in the collection's order; nil if any is unknown.
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

  /// Makes the aggregate for the collection behind a hop; nil unless the collection's operator determines
  /// the whole path's value.
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
