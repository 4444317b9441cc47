import Synchronization

/// The value of an operator over an observed collection, kept up to date instead of recomputed
/// (Parity P7).
///
/// `@sum` and `@avg` cost O(1) for one change of one element, `@min` and `@max` O(log n). The union
/// family keeps the elements' values, so only changed elements are read; building the result takes time
/// proportional to its size.
///
/// It keeps no object and no collection: an object would live longer (Parity R5, P5), and a collection would be
/// copied by its next change in place (N11).
///
/// The aggregate changes under the tree's lock, where no client code may run. Contributions are read
/// before the lock is taken. Values of clients' types are compared and freed after it is released
/// (`settle`).
// Checked by hand: mutable state is accessed only under the lock of the fan-out's tree, except the heap
// while a thread is settling it. No two accesses can overlap, so run-time exclusivity checking is off.
final class Aggregate: @unchecked Sendable {
  let operation: CollectionOperator
  private let place: CollectionOperator.Place
  private let read: (AnyObject) throws -> Any?
  /// Whether an element's number is the value of the key that its hop watches.
  private let addsKey: Bool

  @exclusivity(unchecked) private var sum = ExactSum(isMaintained: true)
  @exclusivity(unchecked) private var elementCount = 0
  /// How many contributions the operator can't use, and how many make it be computed instead.
  @exclusivity(unchecked) private var invalidCount = 0
  @exclusivity(unchecked) private var foreignCount = 0
  @exclusivity(unchecked) private var hasFoundUnusable = false
  /// How many elements contribute values of each kind; with more than one kind no extremum is maintained.
  @exclusivity(unchecked) private var kindCounts: [Contribution.Kind: Int] = [:]
  @exclusivity(unchecked) private var heap: EntryHeap

  /// Heap changes that wait until the lock is released, and whether a thread is applying them.
  @exclusivity(unchecked) private var pending: [Step] = []
  @exclusivity(unchecked) private var isSettling = false
  /// Whether there have been values of clients' types; if so, the heap isn't changed under the lock.
  private let defers = Atomic<Bool>(false)

  private typealias Step = (entry: HeapEntry, isRemoval: Bool)

  /// Returns nil for an operator that isn't maintained.
  init?(
    _ operation: CollectionOperator, _ place: CollectionOperator.Place,
    contribution: @escaping (AnyObject) throws -> Any?, isKey: Bool
  ) {
    guard operation.takesPath else { return nil }
    self.operation = operation
    self.place = place
    read = contribution
    addsKey = isKey && operation.family == .sum
    heap = EntryHeap(isMaximum: operation == .max) { a, b in
      // Values that can't be compared still need an order while both are in the heap.
      if a.kind != b.kind { return a.kind < b.kind }
      return (try? operation.precedes(a.value, b.value, at: place)) ?? false
    }
  }

  /// The element's current contribution; called without the lock.
  ///
  /// `hop` is the element's hop, if it has one.
  func contribution(of element: AnyObject, at hop: Hop?) -> Contribution {
    if addsKey, let number = hop?.property.number(of: element) { return .number(number) }
    do {
      guard let value = try read(element) else { return .nothing }
      return switch operation.family {
      case .sum, .count: Contribution(number: value)
      case .extremum: Contribution(ordered: value)
      case .union: Contribution(kept: value)
      }
    } catch { return .invalid }
  }

  /// The operator's current value: `.other(nil)` if computing it would throw, nil if it has to be computed.
  var value: AggregateValue? {
    if foreignCount > 0 || kindCounts.count > 1 || !pending.isEmpty || isSettling { return nil }
    if invalidCount > 0 { return .other(nil) }
    return switch operation.family {
    case .sum where sum.isInexact: nil
    case .sum where operation == .avg: sum.mean(of: elementCount).map { .double($0) }
    case .sum: sum.result(isTyped: place.isTyped)
    case .extremum: .other(heap.first?.value)
    case .count, .union: nil
    }
  }

  /// The sum, if all contributions are integers and it fits in an `Int`.
  var integer: Int? {
    guard operation == .sum, foreignCount == 0, invalidCount == 0 else { return nil }
    return sum.integerAlone
  }

  /// Whether the operator is a union whose parts are all kept.
  var keepsUnion: Bool { operation.family == .union && foreignCount == 0 }

  /// Whether the operator can't use an element's value, so that it has none.
  var hasUnusable: Bool { invalidCount > 0 }

  /// Whether an operator without a value is found for the first time.
  func isFirstFind() -> Bool {
    defer { hasFoundUnusable = true }
    return !hasFoundUnusable
  }

  /// Whether a value of nil means a sum that's too large for any type that it could have.
  var canOverflow: Bool { operation == .sum && invalidCount == 0 }

  #if KVO_INVARIANTS
    /// Traps if the aggregate doesn't match its members.
    func checkInvariants(_ members: some Collection<FanOut.Member>) {
      // With a large collection every change would cost O(n).
      guard members.count < 64 else { return }
      var (count, invalid, foreign) = (0, 0, 0)
      for member in members {
        precondition(member.count > 0, "an element that has left is kept")
        count += member.count
        switch member.contribution {
        case .invalid: invalid += member.count
        case .foreign: foreign += member.count
        case .value: precondition(member.entry != nil, "a value has no entry")
        case .nothing, .number: break
        }
      }
      precondition(
        count == elementCount && invalid == invalidCount && foreign == foreignCount,
        "elements are miscounted")
    }
  #endif

  // MARK: Changes

  /// Called before the member's count is changed.
  func setCount(_ count: Int, of member: FanOut.Member) {
    add(member.contribution, times: count - member.count)
    elementCount += count - member.count
    if member.count == 0, count > 0 { enter(member) }
    if member.count > 0, count == 0 { leave(member) }
  }

  /// Called before the member's contribution is changed.
  func setContribution(_ contribution: Contribution, of member: FanOut.Member) {
    add(member.contribution, times: -member.count)
    add(contribution, times: member.count)
    guard member.count > 0 else { return }
    leave(member)
    member.contribution = contribution
    enter(member)
  }

  /// Called before a member's integer contribution is replaced by another integer.
  func setInteger(_ new: Int, for old: Int, of member: FanOut.Member) {
    sum.add(integer: (Int128(new) - Int128(old)) * Int128(member.count))
  }

  private func add(_ contribution: Contribution, times: Int) {
    guard times != 0 else { return }
    switch contribution {
    case .nothing: break
    case .value(_, let kind) where operation.family == .extremum:
      let count = kindCounts[kind, default: 0] + times
      kindCounts[kind] = count == 0 ? nil : count
    case .value: break
    case .number(let number): sum.add(number, times: times)
    case .invalid: invalidCount += times
    case .foreign: foreignCount += times
    }
  }

  private func enter(_ member: FanOut.Member) {
    guard case .value(let value, let kind) = member.contribution else { return }
    let entry = HeapEntry(value, kind)
    member.entry = entry
    if kind.isForeign { defers.store(true, ordering: .relaxed) }
    take((entry, isRemoval: false))
  }

  private func leave(_ member: FanOut.Member) {
    guard let entry = member.entry else { return }
    member.entry = nil
    take((entry, isRemoval: true))
  }

  private func take(_ step: Step) {
    if defers.load(ordering: .relaxed) { pending.append(step) } else { apply(step) }
  }

  private func apply(_ step: Step) {
    guard operation.family == .extremum else { return }
    if step.isRemoval { heap.remove(step.entry) } else { heap.insert(step.entry) }
  }

  // MARK: Without the lock

  /// Applies the pending heap changes, unless another thread is already applying them.
  func settle(_ lock: borrowing UnfairLock) {
    guard defers.load(ordering: .relaxed) else { return }
    while true {
      let steps = lock.withLock { () -> [Step] in
        if isSettling || pending.isEmpty { return [] }
        isSettling = true
        defer { pending = [] }
        return pending
      }
      if steps.isEmpty { return }
      for step in steps { apply(step) }
      lock.withLock { isSettling = false }
    }
  }

  /// The union of the elements' values, or nil if there is none.
  func union(of contributions: [Contribution]) -> Any? {
    let values = contributions.map { contribution -> Any? in
      if case .value(let value, _) = contribution { value } else { nil }
    }
    return try? operation.evaluate(values, at: place)
  }
}

// The maintained value of a path's operator.
extension HopTree {
  /// The operator's current value; nil if it has to be computed.
  var maintainedValue: AggregateValue? {
    /// A union, to be built from the contributions of the elements of this hop's property.
    var union: (hop: Hop, fan: FanOut, aggregate: Aggregate)?
    var hasOverflowed = false
    var isUnusable = false
    let value = lock.withLock { () -> AggregateValue? in
      var current = rootHop
      while let hop = current {
        switch hop.behind {
        case .nothing: return nil
        case .object(let next): current = next
        case .elements(let fan):
          guard let aggregate = fan.aggregate, fan.foreignCount == 0 else { return nil }
          if aggregate.keepsUnion { union = (hop, fan, aggregate) }
          let value = aggregate.value
          if case .other(nil) = value {
            hasOverflowed = aggregate.canOverflow
            isUnusable = aggregate.hasUnusable && aggregate.isFirstFind()
          }
          return value
        }
      }
      return nil
    }
    if hasOverflowed { reportOverflow() }
    if isUnusable { reportUnusable() }
    guard let union else { return value }
    guard let parts = contributions(to: union.fan, of: union.hop) else { return nil }
    let result = union.aggregate.union(of: parts)
    if result == nil, lock.withLock({ union.aggregate.isFirstFind() }) { reportUnusable() }
    return .other(result)
  }

  /// The sum, if all its terms are integers; nil otherwise.
  var maintainedInteger: Int? {
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
        guard let element, let contribution = fan.members[element]?.contribution else { return nil }
        if case .foreign = contribution { return nil }
        contributions.append(contribution)
      }
      return contributions
    }
  }

  /// Computes the operator's value, which reports why there's none.
  private func reportUnusable() {
    if let root { _ = path.value(of: root) }
  }

  private func reportOverflow() {
    let limit = path.isString ? "an Int or a UInt64 holds" : "128 bits hold"
    KeyValueViolation.report(
      .arithmeticOverflow,
      "The sum that '\(path.string)' observes exceeds what \(limit), and reads as nil. "
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
      operation, .init(index: index, keyPath: path.string, isTyped: !path.isString),
      contribution: path.contribution(from: index + 1), isKey: path.isKey(from: index + 1))
  }
}
