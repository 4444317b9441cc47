/// The elements that an observance is attached to behind a to-many property, each once, however often the
/// collection contains it.
// Checked by hand: once the fan-out is part of the tree, everything here is accessed only under the tree's
// lock, where no two accesses can overlap.
final class FanOut: @unchecked Sendable {
  /// One element of the collection.
  // Checked by hand, like the fan-out.
  final class Member: @unchecked Sendable {
    /// The hop that continues the path in the element, or notes the element's death if the path can't be continued;
    /// nil if the element has nothing to attach to.
    let hop: Hop?
    let aggregate: Aggregate?
    /// How often the collection contains the element.
    @exclusivity(unchecked) var count = 0
    /// The element's contribution, if it is an integer.
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

  @exclusivity(unchecked) private(set) var members = IdentityTable<Member>()
  /// The elements in the collection's order; nil if that is unknown, also after a change by indexes of a
  /// collection with others than objects.
  @exclusivity(unchecked) var list: ElementList? = ElementList([])
  /// How many elements are nil, collections or other values; only a recomputation takes them into account.
  @exclusivity(unchecked) var foreignCount = 0
  /// What the rest of the path is attached to in elements that are dictionaries.
  @exclusivity(unchecked) var nested: [Hop.Behind] = []
  let aggregate: Aggregate?
  /// The index of the component at which the path meets the collection: an operator, or a key of each
  /// element.
  let start: Int

  init(aggregate: Aggregate?, start: Int) {
    self.aggregate = aggregate
    self.start = start
  }

  /// Inserts a new element's member; false if the element has one.
  func insert(_ member: Member, _ element: ObjectIdentifier, count: Int) -> Bool {
    guard members.insert(member, for: element) else { return false }
    member.hop?.member = member
    aggregate?.setCount(count, of: member)
    member.count = count
    return true
  }

  /// Counts an element once more or less often; returns the member of one that has left altogether.
  func changeCount(by change: Int, of element: ObjectIdentifier) -> Member? {
    members[element].flatMap { setCount($0.count + change, of: $0, element) }
  }

  private func setCount(
    _ count: Int, of member: Member, _ element: ObjectIdentifier
  ) -> Member? {
    aggregate?.setCount(count, of: member)
    member.count = count
    guard count == 0 else { return nil }
    members[element] = nil
    member.hop?.member = nil
    return member
  }

  /// Removes an element that has died; false if this isn't its hop.
  func removeDead(_ hop: Hop) -> Bool {
    let element = hop.objectIdentity
    guard let member = members[element], member.hop === hop else { return false }
    list?.noteDeath(of: element, count: member.count)
    _ = setCount(0, of: member, element)
    return true
  }

  /// What distinguishes a collection's elements from the members.
  func difference(to elements: UnsafeBufferPointer<ObjectIdentifier>) -> ElementDifference {
    var list =
      list.take()
      ?? ElementList(
        members.identities.flatMap { repeatElement($0, count: members[$0]?.count ?? 0) })
    defer { self.list = list }
    return list.difference(to: elements)
  }

  /// Whether these elements are members, each often enough, or among the entering ones.
  func contains(_ left: [ObjectIdentifier], besides entered: [ObjectIdentifier]) -> Bool {
    if entered.isEmpty, left.count < 2 { return left.allSatisfy { members[$0] != nil } }
    var counts: [ObjectIdentifier: Int] = [:]
    for element in left { counts[element, default: 0] += 1 }
    for element in entered { counts[element, default: 0] -= 1 }
    return counts.allSatisfy { $0.value <= members[$0.key]?.count ?? 0 }
  }

  #if KVO_INVARIANTS
    /// Traps if the fan-out contradicts itself.
    func checkInvariants() {
      aggregate?.checkInvariants(members.values)
      list?.checkInvariants(members.count) { members[$0]?.count }
    }
  #endif

  /// Removes a hop that continues from a dictionary; false if there is no such hop.
  func removeNested(_ hop: Hop) -> Bool {
    guard let index = nested.firstIndex(where: { $0.hops.contains { $0 === hop } }) else {
      return false
    }
    if case .elements(let fan) = nested[index], !fan.removeNested(hop) {
      _ = fan.removeDead(hop)
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
