import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("G. What enters a graph together with an object that can't be logged")
struct LogRefusedNeighbourTests {
  private let shelf = ThingShelf()
  private let good = Thing()

  /// Has a box enter that also holds a thing that can't be logged, before the others.
  private func addBox(_ violations: ViolationLog) -> ThingBox {
    let (box, inner) = (ThingBox(), ThingBox())
    inner.things = [OddThing()]
    box.inner = [inner, ThingBox()]
    box.things = [OddThing(), good]
    shelf.boxes.append(box)
    #expect(violations.take().count == 1)
    return box
  }

  @Test("G2 G4 the others enter, and a snapshot can be restored when the refused ones have gone")
  func others() throws {
    try ViolationLog.record { violations in
      let log = try KeyValueChangeLog(of: shelf)
      let box = addBox(violations)
      #expect(log.id(of: good) != nil && box.inner.allSatisfy { log.id(of: $0) != nil })
      #expect(throws: KeyValueLogError.self) { try log.snapshot() }
      box.things.removeFirst()
      box.inner[0].things = []
      let snapshot = try log.snapshot()
      #expect(snapshot.objects.count == 5)
      let copy = try KeyValueChangeLog(restoring: snapshot, as: ThingShelf.self)
      #expect(copy.root.boxes[0].things.count == 1 && copy.root.boxes[0].inner.count == 2)
    }
  }

  @Test("G2 one that another key refers to as well stays when the key beside it lets it go")
  func counted() throws {
    try ViolationLog.record { violations in
      let log = try KeyValueChangeLog(of: shelf)
      let box = addBox(violations)
      shelf.best = good
      box.things = []
      box.inner = []
      #expect(log.id(of: good) != nil)
      #expect(try log.snapshot().objects.count == 3)
      shelf.best = nil
      #expect(log.id(of: good) == nil)
    }
  }

  @Test("G2 a log that begins with such an object is refused, and attaches to nothing")
  func attached() {
    let box = ThingBox()
    box.things = [OddThing(), good]
    shelf.boxes = [box]
    #expect(throws: KeyValueLogError.self) { try KeyValueChangeLog(of: shelf) }
    #expect(shelf._$kvoWithRegistrar { $0.isIdle } && good._$kvoWithRegistrar { $0.isIdle })
  }
}

/// Neither `Codable` nor observable.
private final class Unwritable {}

@KeyValueObservable
private class Thing {
  var name = ""

  required init() {}
}

@KeyValueObservable
private final class OddThing: Thing {
  var unwritable: Unwritable?
}

@KeyValueObservable
private final class ThingBox {
  var inner: [ThingBox] = []
  var things: [Thing] = []
}

@KeyValueObservable
private final class ThingShelf {
  var boxes: [ThingBox] = []
  var best: Thing?
}
