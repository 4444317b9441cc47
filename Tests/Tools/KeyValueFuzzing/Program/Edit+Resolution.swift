// The meaning of an edit for a collection of a given size, shared by the library and the reference.
extension Edit {
  /// The edit with valid positions; nil if it has no effect.
  func resolved(count: Int) -> Edit? {
    switch self {
    case .add, .exchange: return self
    // Which one of equal elements enters a set depends on how it's made.
    case .algebra(let kind, let elements): return .algebra(kind, elements.withoutEqual)
    case .retouch(let position, let amount):
      return count > 0 ? .retouch(position % count, amount) : nil
    case .plain(let edit): return edit.resolved(count: count).map { .plain($0) }
    case .insert(let elements, let positions):
      guard !elements.isEmpty else { return nil }
      return .insert(elements, at: distinct(positions, elements.count, count + elements.count))
    case .remove(let positions):
      guard count > 0, !positions.isEmpty else { return nil }
      return .remove(at: distinct(positions, min(positions.count, count), count))
    case .replace(let elements, let positions):
      guard count > 0, let element = elements.first, let position = positions.first else {
        return nil
      }
      return .replace([element], at: [position % count])
    case .replaceSubrange(let low, let length, let elements):
      let low = low % (count + 1)
      let high = low + length % (count - low + 1)
      if low == high, elements.isEmpty { return nil }
      return .replaceSubrange(low, high, with: elements)
    case .swap(let first, let second):
      guard count > 0, first % count != second % count else { return nil }
      return .swap(first % count, second % count)
    case .move(let from, let to):
      return count > 0 ? .move(from % count, to % count) : nil
    }
  }

  /// Distinct positions below a limit, in order, near the wished ones.
  private func distinct(_ wishes: [Int], _ count: Int, _ limit: Int) -> [Int] {
    var chosen: Set<Int> = []
    for wish in wishes.prefix(count) {
      var position = wish % limit
      while !chosen.insert(position).inserted { position = (position + 1) % limit }
    }
    var position = 0
    while chosen.count < count {
      chosen.insert(position)
      position += 1
    }
    return chosen.sorted()
  }

  /// The same edit with only the values that pass a filter; both sides omit objects that are gone.
  func compactMapValues(_ keep: (FuzzValue) -> FuzzValue?) -> Edit {
    switch self {
    case .insert(let elements, let at): .insert(elements.compactMap(keep), at: at)
    case .replace(let elements, let at): .replace(elements.compactMap(keep), at: at)
    case .replaceSubrange(let low, let high, let elements):
      .replaceSubrange(low, high, with: elements.compactMap(keep))
    case .algebra(let kind, let elements): .algebra(kind, elements.compactMap(keep))
    case .plain(.append(let elements)): .plain(.append(elements.compactMap(keep)))
    case .plain(.appendAndRemove(let elements)):
      .plain(.appendAndRemove(elements.compactMap(keep)))
    case .add, .remove, .swap, .move, .exchange, .retouch, .plain: self
    }
  }

  /// Whether the elements that leave are released one after the other, in their order in the list.
  var releasesInOrder: Bool {
    switch self {
    case .insert, .replace, .replaceSubrange: true
    case .remove(let at): at.count == 1
    case .plain(.removeWhere): false
    case .plain: true
    case .add, .swap, .move, .algebra, .exchange, .retouch: false
    }
  }
}

extension PlainEdit {
  fileprivate func resolved(count: Int) -> PlainEdit? {
    switch self {
    case .append(let elements), .appendAndRemove(let elements): elements.isEmpty ? nil : self
    case .repeated(let positions):
      count == 0 ? nil : .repeated(at: positions.map { $0 % count })
    case .removeFirst(let number): count == 0 ? nil : .removeFirst(1 + number % count)
    case .removeLast(let number): count == 0 ? nil : .removeLast(1 + number % count)
    case .removeAll, .removeWhere, .reverse, .sort, .shuffle: self
    }
  }
}
