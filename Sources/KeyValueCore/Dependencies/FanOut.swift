/// What an observance is attached to behind a to-many property: every element, once, however often the
/// collection holds it.
///
// Checked by hand: everything here is touched only under the tree's lock, where no two accesses can
// overlap.
final class FanOut: @unchecked Sendable {
  /// One element of the collection.
  // Checked by hand, like the fan-out.
  final class Member: @unchecked Sendable {
    /// Where the rest of the path is attached; nil where nothing of the element can be.
    let hop: Hop?
    let aggregate: Aggregate?
    /// How often the collection holds the element.
    @exclusivity(unchecked) var count = 0
    /// An integer that the element contributes.
    ///
    /// Copying a `Contribution` costs more, because it has several cases.
    @exclusivity(unchecked) private var integer: Int?
    @exclusivity(unchecked) private var otherContribution = Contribution.nothing
    /// What the element contributes to the aggregate.
    var contribution: Contribution {
      get { integer.map { .number(.integer(Int128($0))) } ?? otherContribution }
      set {
        if case .number(.integer(let value)) = newValue, let value = Int(exactly: value) {
          (integer, otherContribution) = (value, .nothing)
        } else {
          (integer, otherContribution) = (nil, newValue)
        }
      }
    }
    /// The contribution as the aggregate keeps it.
    @exclusivity(unchecked) var entry: HeapEntry?

    init(hop: Hop?, aggregate: Aggregate?) {
      self.hop = hop
      self.aggregate = aggregate
    }

    /// An element behind which the rest of the path can't be observed; then no operator has a value.
    static func unobservable(_ aggregate: Aggregate?) -> Member {
      let member = Member(hop: nil, aggregate: aggregate)
      member.contribution = .invalid
      return member
    }

    func setInteger(_ new: Int) {
      guard let aggregate, let old = integer else {
        return setContribution(.number(.integer(Int128(new))))
      }
      aggregate.setInteger(new, for: old, of: self)
      integer = new
    }

    func setContribution(_ contribution: Contribution) {
      aggregate?.setContribution(contribution, of: self)
      self.contribution = contribution
    }
  }

  @exclusivity(unchecked) private(set) var members: [ObjectIdentifier: Member] = [:]
  /// How many elements are nil or not objects; only a recomputation takes them into account.
  @exclusivity(unchecked) var foreignCount = 0
  /// What the rest of the path is attached to in elements that are dictionaries.
  @exclusivity(unchecked) private(set) var nested: [Hop.Behind] = []
  /// The elements that the fan-out began with, until it is linked in.
  @exclusivity(unchecked) var newcomers: [any KeyValueObservable] = []
  let aggregate: Aggregate?
  /// The index of the component at which the path meets the collection: an operator, or a key of each
  /// element.
  let start: Int

  init(aggregate: Aggregate?, start: Int) {
    self.aggregate = aggregate
    self.start = start
  }

  func insert(_ member: Member, _ element: ObjectIdentifier) {
    members[element] = member
    member.hop?.member = member
  }

  /// Sets how often an element is there; at 0 its member is taken out and returned.
  func setCount(_ count: Int, of element: ObjectIdentifier) -> Member? {
    guard let member = members[element] else { return nil }
    aggregate?.setCount(count, of: member)
    member.count = count
    guard count == 0 else { return nil }
    members[element] = nil
    member.hop?.member = nil
    return member
  }

  /// Replaces what is attached in dictionaries; the caller detaches the previous hops.
  func setNested(_ behind: [Hop.Behind]) -> [Hop.Behind] {
    let old = nested
    nested = behind
    return old
  }

  /// Removes a hop that continues from a dictionary; false if it is not there.
  func removeNested(_ hop: Hop) -> Bool {
    guard let index = nested.firstIndex(where: { $0.hops.contains { $0 === hop } }) else {
      return false
    }
    if case .elements(let fan) = nested[index], !fan.removeNested(hop) {
      _ = fan.setCount(0, of: hop.objectIdentity)
    } else if case .object = nested[index] {
      nested.remove(at: index)
    }
    return true
  }

  var hops: [Hop] {
    let hops = members.values.compactMap(\.hop)
    return nested.isEmpty ? hops : hops + nested.flatMap(\.hops)
  }
}
