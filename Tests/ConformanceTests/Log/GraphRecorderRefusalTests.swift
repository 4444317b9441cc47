import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U. KeyValueChangeRecorder: what it can't record of a graph")
struct GraphRecorderRefusalTests {
  private let recorder = KeyValueChangeRecorder()

  @Test(
    "X3 an object that can't be logged comes and goes with what leads to it, as the same instance")
  func unlogged() throws {
    try ViolationLog.record { violations in
      let shelf = Shelf()
      try recorder.record(graph: shelf)
      let (wired, other, again) = (Wired(), Item(), Wired())
      shelf.items.append(wired)
      let report =
        "unobservableValue: Wired.block can't be logged: its type () -> () is neither Codable nor an "
        + "observable class. Make it one of these, or mark the property @KeyValueIgnored. It came into a graph "
        + "that is logged, and its changes are not recorded."
      #expect(violations.take() == [report])
      wired.name = "w"
      shelf.items.insert(other, at: 0)
      shelf.best = wired
      shelf.items = [again, other]
      shelf.byName = ["a": again]
      shelf.best = nil
      shelf.byName = [:]
      other.name = "o"
      func state() -> [[Item]] {
        [shelf.items, shelf.best.map { [$0] } ?? [], shelf.byName["a"].map { [$0] } ?? []]
      }
      let expected: [[[Item]]] = [
        [[again, other], [], []], [[again, other], [], [again]],
        [[again, other], [wired], [again]],
        [[again, other], [wired], []], [[other, wired], [wired], []], [[other, wired], [], []],
        [[wired], [], []], [[], [], []],
      ]
      func isState(_ expected: [[Item]]) -> Bool {
        zip(state(), expected).allSatisfy { $0.elementsEqual($1, by: ===) }
      }
      for _ in 1...2 {
        for state in expected { #expect(try recorder.undo() && isState(state)) }
        #expect(!recorder.canUndo && other.name == "" && wired.name == "w")
        for state in expected.reversed().dropFirst() + [expected[0]] {
          #expect(try recorder.redo() && isState(state))
        }
        #expect(!recorder.canRedo && other.name == "o")
      }
      #expect(violations.take() == [])
      recorder.stopRecording(graph: shelf)
      #expect(wired._$kvoWithRegistrar { $0.isIdle } && shelf._$kvoWithRegistrar { $0.isIdle })
      shelf.items = []
      let log = try KeyValueChangeLog(reading: shelf)
      shelf.items = [Wired()]
      #expect(violations.take() == [report])
      let error = #expect(throws: KeyValueLogError.self) { try log.snapshot() }
      #expect(report.contains("\(error!)"))
      shelf.items = []
      #expect(try log.snapshot().objects.count == 1)
    }
  }

  @Test("X3 a value that can't be written is named by the violation, and by what can't be undone")
  func unwritten() throws {
    try ViolationLog.record { violations in
      let shelf = Shelf()
      try recorder.record(graph: shelf)
      let known = KnownThing()
      shelf.thing = known
      shelf.thing = PlainThing()
      let said = violations.take()
      let error = #expect(throws: KeyValueLogError.self) { try recorder.undo() }
      let reason =
        "Shelf.thing can't be logged (object \(error!.details.object!)): it holds PlainThing, which isn't an "
        + "observable object"
      #expect(
        said == [
          "unobservableValue: \(reason). A change of a graph that is logged was not recorded."
        ])
      #expect("\(error!)" == reason + changedOutsideOfGraph)
      shelf.thing = known
      _ = violations.take()
      #expect(try recorder.undo() && shelf.thing == nil)
    }
  }
}

@KeyValueObservable
private class Item {
  var name = ""
}

@KeyValueObservable
private final class Wired: Item {
  var block: () -> Void = {}
}

@KeyValueObservable
private final class Shelf {
  var items: [Item] = []
  var best: Item?
  var byName: [String: Item] = [:]
  var thing: (any Thing)?
}

private protocol Thing: AnyObject {}

private final class PlainThing: Thing {}

@KeyValueObservable
private final class KnownThing: Thing {
  var name = ""
}
