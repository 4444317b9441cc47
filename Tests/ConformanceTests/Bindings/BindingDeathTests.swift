import KeyValueObserving
import KeyValueTestSupport
import Testing

/// What happens, in order; the violation handler adds to it, too.
private final class History: Sendable {
  private let lines = Lock<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

@KeyValueObservable
private final class Relay {
  @KeyValueIgnored private let name: String
  @KeyValueIgnored private let history: History
  var number = 0
  var text = ""
  var next: Relay?

  init(_ name: String, _ history: History) {
    self.name = name
    self.history = history
  }

  deinit { history.add("\(name) dies") }
}

/// The only references to two objects, which a handler may let go.
private final class Sides {
  var source: Relay?
  var target: Relay?
}

/// Installs a handler that records violations, and creates a target that keeps its source alive.
private func sides(_ history: History) -> Sides {
  KeyValueViolation.handler = { history.add("report: \($0.kind)") }
  let sides = Sides()
  sides.source = Relay("source", history)
  sides.target = Relay("target", history)
  sides.target?.next = sides.source
  return sides
}

@Suite("Deaths during a binding and its report", .serialized)
struct BindingDeathTests {
  @Test("B1 Objects that are released while they're being bound live until that's done")
  func whileBinding() async {
    await #expect(processExitsWith: .success) {
      let history = History()
      let sides = sides(history)
      let observation = sides.target?.kvo.text.observe { _, _ in
        sides.source = nil
        sides.target = nil
        history.add("set")
      }
      func bind() -> KeyValueBinding? {
        guard let target = sides.target else { return nil }
        return sides.source?.kvo.number.bind(to: target.kvo.text) { "\($0)" }
      }
      let binding = bind()
      // Which of the two references goes first, Swift doesn't say.
      #expect(history.all == ["set", "target dies", "source dies"])
      #expect(binding?.isValid == false)
      withExtendedLifetime(observation) {}
    }
  }

  @Test("B1 A change that a binding passes on keeps the target until it's set, and no longer")
  func whilePassingOn() async {
    await #expect(processExitsWith: .success) {
      let history = History()
      let sides = sides(history)
      let binding = sides.source?.kvo.number.bind(to: sides.target!.kvo.text) { "\($0)" }
      let observation = sides.target?.kvo.text.observe { _, _ in
        sides.target = nil
        history.add("set")
      }
      sides.target?.willChangeValue(forKey: "number")
      sides.source?.number = 1
      history.add("changed")
      #expect(history.all == ["set", "target dies", "report: tolerated", "changed"])
      #expect(binding?.isValid == false)
      sides.source = nil
      #expect(history.all.last == "source dies")
      withExtendedLifetime(observation) {}
    }
  }

  @Test("B1 A change that is passed on once more keeps the target until then")
  func whilePassingOnTwice() async {
    await #expect(processExitsWith: .success) {
      let history = History()
      let sides = sides(history)
      let source = sides.source!
      let binding = source.kvo.number.bindTwoWay(to: sides.target!.kvo.number)
      var calls = 0
      let observation = sides.target?.kvo.number.observe(options: [.new, .prior]) { _, change in
        calls += 1
        history.add(change.isPrior ? "prior" : "set \(change.newValue!)")
        // The source changes while its first change is being passed on.
        if calls == 1 { source.number = 4 }
        if calls == 2 { sides.target = nil }
      }
      source.number = 8
      #expect(history.all == ["prior", "set 8", "prior", "set 4", "target dies"])
      #expect(binding.isValid == false)
      withExtendedLifetime(observation) {}
    }
  }

  @Test("M2 What an open pair keeps is released before its object's death is reported")
  func openPair() async {
    await #expect(processExitsWith: .success) {
      let history = History()
      let sides = sides(history)
      let observation = sides.target?.kvo.next.observe(options: .old) { _, _ in }
      sides.target?.willChangeValue(forKey: "next")
      sides.target?.next = nil
      sides.source = nil
      #expect(history.all == [])
      sides.target = nil
      #expect(history.all == ["target dies", "source dies", "report: tolerated"])
      withExtendedLifetime(observation) {}
    }
  }
}
