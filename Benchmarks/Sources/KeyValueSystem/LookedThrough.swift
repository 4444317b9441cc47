import BenchmarkSupport
import KeyValueObserving

// W19 to W21: an array of objects that a sum, a maximum or a getter looks through.

@KeyValueObservable
private final class Item {
  var n: Int

  init(_ n: Int) { self.n = n }
}

@KeyValueObservable
private final class Box {
  var items: [Item]

  var total: Int { items.reduce(0) { $0 + $1.n } }

  init(_ items: [Item]) { self.items = items }

  func observe(_ observed: ListObserved, _ tally: Tally) -> KeyValueObservation {
    switch observed {
    case .items: kvo.items.observe(options: .new) { tally.record($1.newValue?.count ?? 0) }
    case .sum: kvo.items[sum: \.n].observe(options: .new) { tally.record($1.newValue ?? 0) }
    case .maximum:
      kvo.items[maximum: \.n].observe(options: .new) { tally.record(($1.newValue ?? nil) ?? 0) }
    case .getter: kvo.total.observe { _, _ in tally.notifications &+= 1 }
    case .getterWithValue: kvo.total.observe(options: .new) { tally.record($1.newValue ?? 0) }
    case .each: kvo.items[each: \.n].observe { _, _ in tally.notifications &+= 1 }
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
@inline(never) private func append(_ proxy: KeyValueMutableArray<Item>, _ item: Item) {
  proxy.append(item)
}
@inline(never) private func removeLast(_ proxy: KeyValueMutableArray<Item>, _ last: Int) {
  proxy.remove(at: last)
}
@inline(never) private func fill(_ box: Box, _ items: [Item]) {
  for item in items { append(box, item) }
}
@inline(never) private func fillTogether(_ box: Box, _ items: [Item]) {
  box.performChanges { fill($0, items) }
}
@inline(never) private func total(_ box: Box) -> Int { box.total }

let lookedThroughContenders: [Contender] =
  ListTask.all.map { task in
    Contender(.changedList(task), System.keyValue) {
      changedList(task) { box, fixture, operations in
        change(box, by: task.operation, fixture, operations)
      }
    }
  }
  + ListTask.all.filter { $0.operation == .append && $0.observed == .sum }.map { task in
    Contender(.changedList(task), System.proxy) {
      changedList(task) { box, fixture, operations in
        let proxy = box.mutableArrayValue(for: \.items)
        return nanoseconds {
          for step in 1...operations {
            if step & 1 == 1 {
              append(proxy, fixture.guest)
            } else {
              removeLast(proxy, fixture.items.count)
            }
          }
        }
      }
    }
  }
  + [400, 4_000].flatMap { count in
    [false, true].map { inTransaction in
      Contender(.filledList(count, inTransaction: inTransaction), System.keyValue) {
        operations, tally in
        var time = 0.0
        for _ in 0..<operations {
          let items = (0..<count).map(Item.init)
          let box = Box([])
          let token = box.observe(.sum, tally)
          time += nanoseconds { inTransaction ? fillTogether(box, items) : fill(box, items) }
          token.invalidate()
        }
        return time
      }
    }
  }
  + [
    Contender(.readList, System.keyValue) {
      let box = Box((0..<Workload.readObjects).map(Item.init))
      return { operations in
        var sum = 0
        let time = nanoseconds { for _ in 0..<operations { sum &+= total(box) } }
        return Reading(total: time, notifications: 0, checksum: sum)
      }
    }
  ]

/// Samples that share their objects: each begins with the array of the first one, untimed.
private func changedList(
  _ task: ListTask, _ change: @escaping (Box, ListFixture<Item>, Int) -> Double
) -> (Int) -> Reading {
  let fixture = ListFixture(task.count, Item.init)
  let box = Box(fixture.items)
  let tally = Tally()
  let token = box.observe(task.observed, tally)
  return { operations in
    box.items = fixture.beginning(task.operation)
    tally.reset()
    let time = change(box, fixture, operations)
    if !task.observed.hasValue { tally.checksum = box.total }
    withExtendedLifetime(token) {}
    return Reading(total: time, tally)
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
