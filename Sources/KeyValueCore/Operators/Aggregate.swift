/// The value of an operator over an observed collection, kept up to date instead of recomputed
/// (SEMANTICS P7).
///
/// `@sum` and `@avg` cost O(1) for one change of one element, `@min` and `@max` O(log n).
// Checked by hand: what changes is touched only under the lock of the tree that the fan-out belongs to.
final class Aggregate: @unchecked Sendable {
  private let operation: CollectionOperator
  private let place: CollectionOperator.Place
  /// Reads what one element contributes.
  let contribution: (AnyObject) -> Any?

  private var sum = ExactSum()
  private var elementCount = 0
  private var heap: MemberHeap
  /// Contributions that the operator can do nothing with.
  private var invalidCount = 0

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
    self.place = place
    self.contribution = contribution
    heap = MemberHeap { a, b in
      guard let a = a.contribution, let b = b.contribution else { return false }
      return (try? operation.precedes(a, b, at: place)) ?? false
    }
  }

  private var usesHeap: Bool { operation == .min || operation == .max }

  /// What the operator answers now; nil where it would throw.
  var value: Any? {
    guard invalidCount == 0 else { return nil }
    return switch operation {
    case .sum: sum.value
    case .avg: elementCount == 0 ? 0.0 : sum.double / Double(elementCount)
    default: heap.first?.contribution
    }
  }

  /// Whether the sum is too large for any type that it could have.
  var hasOverflowed: Bool { operation == .sum && invalidCount == 0 && sum.value == nil }

  /// Called before the member's count is changed.
  func setCount(_ count: Int, of member: FanOut.Member) {
    add(member.contribution, times: count - member.count)
    elementCount += count - member.count
    guard usesHeap, CollectionOperator.isOrdered(member.contribution) else { return }
    if member.count == 0, count > 0 { heap.insert(member) }
    if member.count > 0, count == 0 { heap.remove(member) }
  }

  /// Called before the member's contribution is changed.
  func setContribution(_ contribution: Any?, of member: FanOut.Member) {
    add(member.contribution, times: -member.count)
    add(contribution, times: member.count)
    guard usesHeap, member.count > 0 else { return }
    heap.remove(member)
    member.contribution = contribution
    if CollectionOperator.isOrdered(contribution) { heap.insert(member) }
  }

  private func add(_ contribution: Any?, times: Int) {
    guard times != 0, let contribution else { return }
    if usesHeap {
      if !(contribution is any Comparable) { invalidCount += times }
    } else if let number = Number(contribution) {
      sum.add(number, times: times)
    } else {
      invalidCount += times
    }
  }
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
