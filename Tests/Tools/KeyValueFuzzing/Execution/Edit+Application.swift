import KeyValueObserving
import KeyValueTestSupport

// Applies edits with valid positions to collections and proxies.

/// Applies an edit within one access.
///
/// `number` returns an element's number, by which it's sorted and removed.
func modify<Element>(
  _ list: inout [Element], _ edit: Edit, _ entering: [Element], number: (Element) -> Int
) {
  switch edit {
  case .insert(_, let at):
    for (element, index) in zip(entering, at) { list.insert(element, at: index) }
  case .remove(let at) where at.count == 1: list.remove(at: at[0])
  case .remove(let at): list.removeSubranges(indexes(at))
  case .replace(_, let at): list[at[0]] = entering[0]
  case .replaceSubrange(let low, let high, _): list.replaceSubrange(low..<high, with: entering)
  case .swap(let first, let second): list.swapAt(first, second)
  case .move(let from, let to): list.insert(list.remove(at: from), at: to)
  case .plain(let edit): modify(&list, edit, entering, number: number)
  case .add, .algebra, .exchange, .retouch: break
  }
}

private func modify<Element>(
  _ list: inout [Element], _ edit: PlainEdit, _ entering: [Element], number: (Element) -> Int
) {
  switch edit {
  case .append where entering.count == 1: list.append(entering[0])
  case .append: list += entering
  case .repeated(let positions): for position in positions { list.append(list[position]) }
  case .removeFirst(1): list.removeFirst()
  case .removeFirst(let count): list.removeFirst(count)
  case .removeLast(1): list.removeLast()
  case .removeLast(let count): list.removeLast(count)
  case .removeAll: list.removeAll()
  case .removeWhere(let modulus, let remainder):
    list.removeAll { number($0) % modulus == remainder }
  case .reverse: list.reverse()
  case .sort: list.sort { number($0) < number($1) }
  case .shuffle(let seed):
    var random = SeededGenerator(seed: seed)
    list.shuffle(using: &random)
  case .appendAndRemove:
    list.append(contentsOf: entering)
    list.removeLast(entering.count)
  }
}

func modify<Element>(
  _ set: inout Set<Element>, _ kind: KeyValueSetMutationKind, _ others: Set<Element>
) {
  switch kind {
  case .union where others.count == 1: others.forEach { set.insert($0) }
  case .union: set.formUnion(others)
  case .minus where others.count == 1: others.forEach { set.remove($0) }
  case .minus: set.subtract(others)
  case .intersect: set.formIntersection(others)
  case .set: set = others
  }
}

private func indexes(_ positions: [Int]) -> RangeSet<Int> {
  RangeSet(positions.map { $0..<$0 + 1 })
}

func apply<Element, Item>(
  _ edit: Edit, _ entering: [Item], to proxy: KeyValueMutableArray<Element>
) {
  // An untyped proxy accepts any element.
  let entering = entering.compactMap { $0 as? Element }
  switch edit {
  case .insert(_, let at):
    if at.count == 1, at[0] == proxy.count {
      proxy.append(entering[0])
    } else if at[at.count - 1] - at[0] == at.count - 1 {
      proxy.insert(contentsOf: entering, at: at[0])
    } else {
      proxy.insert(contentsOf: entering, at: indexes(at))
    }
  case .remove(let at):
    if at.count == 1 { proxy.remove(at: at[0]) } else { proxy.remove(at: indexes(at)) }
  case .replace(_, let at): proxy[at[0]] = entering[0]
  case .replaceSubrange(let low, let high, _):
    proxy.replaceSubrange(low..<high, with: entering)
  case .swap(let first, let second): proxy.swapAt(first, second)
  case .move(let from, let to): proxy.move(from: from, to: to)
  case .add, .algebra, .exchange, .retouch, .plain: break
  }
}

func apply<Element, Item: Hashable>(
  _ kind: KeyValueSetMutationKind, _ others: [Item], to proxy: KeyValueMutableSet<Element>
) {
  let others = others.compactMap { ($0 as? Element) ?? (AnyHashable($0) as? Element) }
  switch kind {
  case .union: if others.count == 1 { proxy.insert(others[0]) } else { proxy.formUnion(others) }
  case .minus: if others.count == 1 { proxy.remove(others[0]) } else { proxy.subtract(others) }
  case .intersect: proxy.formIntersection(others)
  case .set: proxy.replaceAll(with: others)
  }
}

extension Edit {
  /// The changes by which a class announces an edit of a list, each with its part of the edit.
  func announcements(_ count: Int) -> [(KeyValueChangeKind, [Int], Edit)] {
    switch self {
    case .insert(_, let at): [(.insertion, at, self)]
    case .remove(let at): [(.removal, at, self)]
    case .replace(_, let at): [(.replacement, at, self)]
    case .swap(let first, let second): [(.replacement, [first, second].sorted(), self)]
    case .replaceSubrange(let low, let high, let elements) where elements.count == high - low:
      [(.replacement, Array(low..<high), self)]
    case .replaceSubrange, .move, .add, .algebra, .exchange, .retouch, .plain: []
    }
  }
}
