import BenchmarkSupport

// W10: the object of W5. It does not free its array, so removed observations leave its capacity behind.

let memoryContenders = MemoryStage.allCases.map { stage in
  Contender(.memory(stage), System.handWritten) { operations, tally in
    MemorySubject(
      make: Removable.init,
      observe: { object in object.observe { tally.notifications &+= 1 } },
      remove: { object, id in object.remove(id) },
      set: { $0.value = 1 }
    ).bytes(stage, operations)
  }
}
