import BenchmarkSupport
import OpenCombine

// W19 and W20: a subject of the array, which adds up its objects again after each change. The code is
// written as an in-place modification, but the subject assigns a changed copy. It doesn't follow a change
// of an object's `n`, and OpenCombine has no transactions.

private final class Item {
  var n: Int

  init(_ n: Int) { self.n = n }
}

private final class Box {
  let items: CurrentValueSubject<[Item], Never>

  init(_ items: [Item]) { self.items = CurrentValueSubject(items) }

  func observe(_ observed: ListObserved, _ tally: Tally) -> AnyCancellable {
    switch observed {
    case .items: items.sink { tally.record($0.count) }
    case .maximum:
      items.map { $0.reduce(0) { max($0, $1.n) } }.sink { tally.record($0) }
    case .sum, .getter, .getterWithValue, .each:
      items.map { $0.reduce(0) { $0 + $1.n } }.sink { tally.record($0) }
    }
  }
}

@inline(never) private func append(_ box: Box, _ item: Item) { box.items.value.append(item) }
@inline(never) private func removeLast(_ box: Box) { box.items.value.removeLast() }
@inline(never) private func swapEnds(_ box: Box, _ last: Int) { box.items.value.swapAt(0, last) }
@inline(never) private func replace(_ box: Box, _ index: Int, _ item: Item) {
  box.items.value[index] = item
}
@inline(never) private func assign(_ box: Box, _ items: [Item]) { box.items.value = items }
@inline(never) private func fill(_ box: Box, _ items: [Item]) {
  for item in items { append(box, item) }
}

let lookedThroughContenders: [Contender] =
  ListTask.all.filter(\.observed.hasValue).map { task in
    Contender(.changedList(task), currentValue) {
      let fixture = ListFixture(task.count, Item.init)
      let box = Box(fixture.items)
      let tally = Tally()
      let token = box.observe(task.observed, tally)
      return { operations in
        box.items.value = fixture.beginning(task.operation)
        tally.reset()
        let time = change(box, by: task.operation, fixture, operations)
        withExtendedLifetime(token) {}
        return Reading(total: time, tally)
      }
    }
  }
  + [400, 4_000].map { count in
    Contender(.filledList(count, inTransaction: false), currentValue) { operations, tally in
      var time = 0.0
      for _ in 0..<operations {
        let items = (0..<count).map(Item.init)
        let box = Box([])
        let token = box.observe(.sum, tally)
        // A new sink is called with the current value, an empty array.
        tally.notifications &-= 1
        time += nanoseconds { fill(box, items) }
        token.cancel()
      }
      return time
    }
  }

private func change(
  _ box: Box, by operation: ListOperation, _ fixture: ListFixture<Item>, _ operations: Int
) -> Double {
  let (items, longer, guest) = (fixture.items, fixture.longer, fixture.guest)
  let (middle, last) = (fixture.middle, fixture.items.count - 1)
  switch operation {
  case .append:
    return nanoseconds {
      for step in 1...operations { step & 1 == 1 ? append(box, guest) : removeLast(box) }
    }
  case .swap:
    return nanoseconds { for _ in 0..<operations { swapEnds(box, last) } }
  case .replace:
    return nanoseconds {
      for step in 1...operations { replace(box, middle, step & 1 == 1 ? guest : items[middle]) }
    }
  case .assign:
    return nanoseconds {
      for step in 1...operations { assign(box, step & 1 == 1 ? longer : items) }
    }
  }
}
