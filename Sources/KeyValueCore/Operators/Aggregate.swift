/// The value of an operator over an observed collection, kept up to date instead of recomputed
/// (SEMANTICS P7).
///
/// `@sum` and `@avg` cost O(1) for one change of one element, `@min` and `@max` O(log n). It changes
/// under the tree's lock, so it calls no code of the user's: contributions are read before, and those
/// whose types could run such code are not kept (see `Contribution`).
// Checked by hand: what changes is touched only under the lock of the tree that the fan-out belongs to.
final class Aggregate: @unchecked Sendable {
  private let operation: CollectionOperator
  private let read: (AnyObject) -> Any?

  private var sum = ExactSum()
  private var elementCount = 0
  private var heap: MemberHeap
  /// Elements whose contributions the operator can do nothing with, and those that are not kept.
  private var invalidCount = 0
  private var foreignCount = 0
  /// How many elements contribute values of each kind; of more than one kind there is no extremum.
  private var kindCounts: [Contribution.Kind: Int] = [:]

  /// Nil for the operators that are not maintained.
  init?(
    _ operation: CollectionOperator, _ place: CollectionOperator.Place,
    contribution: @escaping (AnyObject) -> Any?
  ) {
    switch operation {
    case .sum, .avg, .min, .max: break
    default: return nil
    }
    self.operation = operation
    read = contribution
    heap = MemberHeap { a, b in
      guard case .value(let a, let kindOfA) = a.contribution,
        case .value(let b, let kindOfB) = b.contribution
      else { return false }
      // What cannot be compared still needs an order, for as long as both are there.
      if kindOfA != kindOfB { return kindOfA < kindOfB }
      return (try? operation.precedes(a, b, at: place)) ?? false
    }
  }

  /// What an element contributes now; called without the lock.
  func contribution(of element: AnyObject) -> Contribution {
    guard let value = read(element) else { return .nothing }
    switch operation {
    case .min, .max: return Contribution(ordered: value)
    default: return Contribution(number: value)
    }
  }

  /// What the operator answers now, nil where it would throw; nothing where it has to be computed.
  var value: Any?? {
    if foreignCount > 0 || kindCounts.count > 1 { return nil }
    if invalidCount > 0 { return .some(nil) }
    return switch operation {
    case .sum: .some(sum.value)
    case .avg: .some(elementCount == 0 ? 0.0 : sum.double / Double(elementCount))
    default: .some(heap.first?.contribution.value)
    }
  }

  /// Whether the sum is too large for any type that it could have.
  var hasOverflowed: Bool {
    operation == .sum && invalidCount == 0 && foreignCount == 0 && sum.value == nil
  }

  /// Called before the member's count is changed.
  func setCount(_ count: Int, of member: FanOut.Member) {
    add(member.contribution, times: count - member.count)
    elementCount += count - member.count
    guard case .value = member.contribution else { return }
    if member.count == 0, count > 0 { heap.insert(member) }
    if member.count > 0, count == 0 { heap.remove(member) }
  }

  /// Called before the member's contribution is changed.
  func setContribution(_ contribution: Contribution, of member: FanOut.Member) {
    add(member.contribution, times: -member.count)
    add(contribution, times: member.count)
    guard member.count > 0 else { return }
    heap.remove(member)
    member.contribution = contribution
    if case .value = contribution { heap.insert(member) }
  }

  private func add(_ contribution: Contribution, times: Int) {
    guard times != 0 else { return }
    switch contribution {
    case .nothing: break
    case .value(_, let kind):
      let count = kindCounts[kind, default: 0] + times
      kindCounts[kind] = count == 0 ? nil : count
    case .number(let number): sum.add(number, times: times)
    case .invalid: invalidCount += times
    case .foreign: foreignCount += times
    }
  }
}

/// What one element contributes to an aggregate.
enum Contribution {
  /// Nil, which counts as 0 or not at all.
  case nothing
  case number(Number)
  /// A value that has a place in an order of its kind.
  case value(Any, Kind)
  /// A value that the operator cannot use.
  case invalid
  /// A value of somebody's own type, whose arithmetic, order or `deinit` could be anything: the operator
  /// is computed from the elements instead.
  case foreign

  /// Values of one kind can be compared with one another.
  enum Kind: Hashable, Comparable {
    case number
    case other(ObjectIdentifier)
  }

  var value: Any? {
    if case .value(let value, _) = self { value } else { nil }
  }

  init(number value: Any) {
    guard let number = Number(value) else {
      self = .invalid
      return
    }
    if case .other = number, !isLibraryType(type(of: value)) {
      self = .foreign
    } else {
      self = .number(number)
    }
  }

  init(ordered value: Any) {
    if !CollectionOperator.isOrdered(value) {
      self = .nothing
    } else if value is any Comparable, isLibraryType(type(of: value)) {
      let isNumber = value is Int || Number(value) != nil
      self = .value(value, isNumber ? .number : .other(ObjectIdentifier(type(of: value))))
    } else {
      self = .foreign
    }
  }
}

/// Whether a type comes with the language, so that comparing, adding and freeing its values runs
/// nobody's code.
private func isLibraryType(_ type: Any.Type) -> Bool {
  if type == Int.self || type == Double.self || type == String.self { return true }
  let name = String(reflecting: type)
  return ["Swift.", "Foundation.", "FoundationEssentials."].contains { name.hasPrefix($0) }
    && !(type is AnyObject.Type)
}

/// A binary heap whose members know their places, so that any of them can be taken out in O(log n).
struct MemberHeap {
  private var members: [FanOut.Member] = []
  private let precedes: (FanOut.Member, FanOut.Member) -> Bool

  init(precedes: @escaping (FanOut.Member, FanOut.Member) -> Bool) {
    self.precedes = precedes
  }

  var first: FanOut.Member? { members.first }

  mutating func insert(_ member: FanOut.Member) {
    member.heapIndex = members.count
    members.append(member)
    siftUp(from: member.heapIndex)
  }

  mutating func remove(_ member: FanOut.Member) {
    let index = member.heapIndex
    guard index >= 0, index < members.count, members[index] === member else { return }
    let last = members.removeLast()
    member.heapIndex = -1
    guard index < members.count else { return }
    place(last, at: index)
    siftUp(from: index)
    siftDown(from: last.heapIndex)
  }

  private mutating func place(_ member: FanOut.Member, at index: Int) {
    members[index] = member
    member.heapIndex = index
  }

  private mutating func siftUp(from start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard precedes(members[index], members[parent]) else { return }
      exchange(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var index = start
    while true {
      var best = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < members.count && precedes(members[child], members[best]) {
        best = child
      }
      if best == index { return }
      exchange(index, best)
      index = best
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    let member = members[a]
    place(members[b], at: a)
    place(member, at: b)
  }
}
