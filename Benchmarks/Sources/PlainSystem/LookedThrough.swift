import BenchmarkSupport

// W21: the same getter over plain objects.

private final class Item {
  var n: Int

  init(_ n: Int) { self.n = n }
}

private final class Box {
  var items: [Item]

  var total: Int { items.reduce(0) { $0 + $1.n } }

  init(_ items: [Item]) { self.items = items }
}

@inline(never) private func total(_ box: Box) -> Int { box.total }

let readContender = Contender(.readList, System.plain) {
  let box = Box((0..<Workload.readObjects).map(Item.init))
  return { operations in
    var sum = 0
    let time = nanoseconds { for _ in 0..<operations { sum &+= total(box) } }
    return Reading(total: time, notifications: 0, checksum: sum)
  }
}
