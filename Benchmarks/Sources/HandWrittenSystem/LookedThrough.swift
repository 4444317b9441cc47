import BenchmarkSupport

// W19 and W20: an array whose observers add up its objects again after each change. Unsupported: following
// a change of an object's `n`, removing observers, and locking.

private final class Item {
  var n: Int

  init(_ n: Int) { self.n = n }
}

private final class Box {
  var items: [Item] {
    didSet { if depth == 0 { tell() } }
  }
  private var depth = 0
  private var observers: [([Item]) -> Void] = []

  init(_ items: [Item]) { self.items = items }

  func observe(_ observer: @escaping ([Item]) -> Void) { observers.append(observer) }

  func performChanges(_ body: (Box) -> Void) {
    depth += 1
    body(self)
    depth -= 1
    if depth == 0 { tell() }
  }

  private func tell() { for observer in observers { observer(items) } }

  func observe(_ observed: ListObserved, _ tally: Tally) {
    switch observed {
    case .items: observe { tally.record($0.count) }
    case .maximum: observe { tally.record($0.reduce(0) { max($0, $1.n) }) }
    case .sum, .getter, .getterWithValue, .each:
      observe { tally.record($0.reduce(0) { $0 + $1.n }) }
    }
  }
}

@inline(never) private func append(_ box: Box, _ item: Item) { box.items.append(item) }
@inline(never) private func removeLast(_ box: Box) { box.items.removeLast() }
@inline(never) private func swapEnds(_ box: Box, _ last: Int) { box.items.swapAt(0, last) }
@inline(never) private func replace(_ box: Box, _ index: Int, _ item: Item) {
  box.items[index] = item
}
@inline(never) private func assign(_ box: Box, _ items: [Item]) { box.items = items }
@inline(never) private func fill(_ box: Box, _ items: [Item]) {
  for item in items { append(box, item) }
}
@inline(never) private func fillTogether(_ box: Box, _ items: [Item]) {
  box.performChanges { fill($0, items) }
}

let lookedThroughContenders: [Contender] =
  ListTask.all.filter { $0.observed.hasValue }.map { task in
    Contender(.changedList(task), System.handWritten) {
      let fixture = ListFixture(task.count, Item.init)
      let box = Box(fixture.items)
      let tally = Tally()
      box.observe(task.observed, tally)
      return { operations in
        box.items = fixture.beginning(task.operation)
        tally.reset()
        return Reading(total: change(box, by: task.operation, fixture, operations), tally)
      }
    }
  }
  + [400, 4_000].flatMap { count in
    [false, true].map { inTransaction in
      Contender(.filledList(count, inTransaction: inTransaction), System.handWritten) {
        operations, tally in
        var time = 0.0
        for _ in 0..<operations {
          let items = (0..<count).map(Item.init)
          let box = Box([])
          box.observe(.sum, tally)
          time += nanoseconds { inTransaction ? fillTogether(box, items) : fill(box, items) }
        }
        return time
      }
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
