import KeyValueObserving
import KeyValueTestSupport

extension FuzzValue {
  /// The value after an edit with valid positions.
  func applying(_ edit: Edit) -> FuzzValue {
    switch (self, edit) {
    case (.int(let number), .add(let amount)): .int(number + amount)
    case (.text(let text), .add(let amount)): .text("\(text)\(amount)")
    case (.tag(let number, let data), .add(let amount)): .tag(number, data + amount)
    case (.list(var elements), _):
      {
        edit.apply(to: &elements)
        return .list(elements)
      }()
    case (.bag(let elements), .algebra(let kind, let others)):
      switch kind {
      // What a set has stays, rather than what equals it.
      case .union: .bag(elements.union(Set(others).equalToNone(of: elements)))
      case .minus: .bag(elements.equalToNone(of: others))
      case .intersect: .bag(elements.equalTo(others))
      case .set: .bag(Set(others))
      }
    default: self
    }
  }
}

extension Edit {
  /// Applies the edit in single steps.
  fileprivate func apply(to list: inout [FuzzValue]) {
    switch self {
    case .insert(let elements, let at):
      for (element, index) in zip(elements, at) { list.insert(element, at: index) }
    case .remove(let at):
      for index in at.reversed() { list.remove(at: index) }
    case .replace(let elements, let at):
      for (element, index) in zip(elements, at) { list[index] = element }
    case .replaceSubrange(let low, let high, let elements):
      list.replaceSubrange(low..<high, with: elements)
    case .swap(let first, let second): list.swapAt(first, second)
    case .move(let from, let to): list.insert(list.remove(at: from), at: to)
    case .plain(let edit): list = edit.result(list)
    case .retouch(let position, let amount):
      list[position] = list[position].applying(.add(amount))
    case .add, .algebra, .exchange: break
    }
  }
}

extension PlainEdit {
  fileprivate func result(_ list: [FuzzValue]) -> [FuzzValue] {
    switch self {
    case .append(let elements): list + elements
    case .repeated(let positions): list + positions.map { list[$0] }
    case .removeFirst(let count): Array(list.dropFirst(count))
    case .removeLast(let count): Array(list.dropLast(count))
    case .removeAll: []
    case .removeWhere(let modulus, let remainder):
      list.filter { $0.elementNumber % modulus != remainder }
    case .reverse: list.reversed()
    case .sort:
      list.enumerated().sorted {
        ($0.element.elementNumber, $0.offset) < ($1.element.elementNumber, $1.offset)
      }.map(\.element)
    case .shuffle(let seed):
      {
        var random = SeededGenerator(seed: seed)
        return list.shuffled(using: &random)
      }()
    case .appendAndRemove: list
    }
  }
}
