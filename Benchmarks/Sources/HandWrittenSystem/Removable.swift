import BenchmarkSupport

// W5: removable observers, found by their number. Unsupported: locking, ending an observation with its
// token or its object, and finding one without a search.

final class Removable {
  var value = 0 {
    didSet { for (_, observer) in observers { observer() } }
  }
  private var observers: [(id: Int, observer: () -> Void)] = []
  private var lastID = 0

  func observe(_ observer: @escaping () -> Void) -> Int {
    lastID += 1
    observers.append((lastID, observer))
    return lastID
  }

  func remove(_ id: Int) {
    if let index = observers.firstIndex(where: { $0.id == id }) { observers.remove(at: index) }
  }
}

@inline(never) private func add(_ object: Removable, _ tally: Tally) -> Int {
  object.observe { tally.notifications &+= 1 }
}

@inline(never) private func remove(_ object: Removable, _ id: Int) { object.remove(id) }

let registrationContenders: [Contender] =
  [false, true].map { besideAnother in
    Contender(.addAndRemove(besideAnother: besideAnother), System.handWritten) {
      operations, tally in
      let object = Removable()
      if besideAnother { _ = add(object, tally) }
      let time = nanoseconds {
        for _ in 0..<operations { remove(object, add(object, tally)) }
      }
      object.value = 1
      let last = add(object, tally)
      object.value = 2
      remove(object, last)
      tally.checksum = object.value
      return time
    }
  }
  + [100, 1_000].map { count in
    Contender(.addAndRemoveMany(count), System.handWritten) { operations, tally in
      let object = Removable()
      var ids = [Int](repeating: 0, count: count)
      var time = 0.0
      for _ in 0..<(operations / count) {
        time += nanoseconds { for index in ids.indices { ids[index] = add(object, tally) } }
        object.value = 1
        time += nanoseconds { for id in ids { remove(object, id) } }
      }
      object.value = 2
      tally.checksum = object.value
      return time
    }
  }
