import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("BindingGate")
struct BindingGateTests {
  private final class Side: Sendable {}

  private let gate = BindingGate()
  private let side = Side()

  /// Passes one change on and returns the directions that were passed.
  private func passed(
    _ direction: BindingGate.Direction, _ during: (_ passage: Int) -> Void
  ) -> [BindingGate.Direction] {
    var passed: [BindingGate.Direction] = []
    gate.pass(direction, to: side) { direction, _, _ in
      passed.append(direction)
      // More passages would mean that the gate doesn't settle.
      if passed.count < 10 { during(passed.count) }
    }
    return passed
  }

  private func enter(_ direction: BindingGate.Direction, mayBeEcho: Bool = true) {
    gate.pass(direction, mayBeEcho: mayBeEcho, to: side) { _, _, _ in
      Issue.record("a change went through beside another")
    }
  }

  @Test("A change without side effects is passed on once, and the gate is free again")
  func plain() {
    #expect(passed(.forward) { _ in } == [.forward])
    #expect(passed(.backward) { _ in } == [.backward])
  }

  @Test("A change whose other side is gone isn't passed on, and the gate is free again")
  func gone() {
    gate.pass(.forward, to: nil as Side?) { _, _, _ in Issue.record("there's no other side") }
    #expect(passed(.backward) { _ in } == [.backward])
  }

  @Test("The other side is read only by a change that passes, and lives until the end")
  func otherSide() {
    var reads = 0
    var only: Side? = Side()
    weak let living = only
    func other() -> Side? {
      reads += 1
      return only
    }
    gate.pass(.forward, to: other()) { _, _, _ in
      only = nil
      gate.pass(.backward, to: other()) { _, _, _ in Issue.record("an echo was passed on") }
      gate.pass(.forward, to: other()) { _, _, _ in Issue.record("it did not wait") }
      #expect(living != nil)
    }
    #expect(reads == 1 && living == nil)
  }

  @Test("The echo is ignored")
  func echo() {
    #expect(passed(.forward) { _ in enter(.backward) } == [.forward])
    #expect(passed(.backward) { _ in enter(.forward) } == [.backward])
  }

  @Test("A change of the side being read is passed on once more, and only once")
  func repeated() {
    #expect(passed(.forward) { _ in enter(.forward) } == [.forward, .forward])
    #expect(passed(.backward) { if $0 == 1 { enter(.backward) } } == [.backward, .backward])
    #expect(passed(.forward) { _ in } == [.forward])
  }

  @Test("A change that's no echo is passed on afterwards, and that isn't answered in turn")
  func answered() {
    let answered = passed(.backward) { _ in enter(.forward, mayBeEcho: false) }
    #expect(answered == [.backward, .forward, .forward])
    let answeredAgain = passed(.backward) { passage in
      enter(passage == 1 ? .forward : .backward, mayBeEcho: false)
    }
    #expect(answeredAgain == [.backward, .forward])
    #expect(passed(.backward) { _ in } == [.backward])
  }

  @Test("A repetition comes before the answer")
  func repeatedAndAnswered() {
    let passed = passed(.forward) { passage in
      guard passage == 1 else { return }
      enter(.backward, mayBeEcho: false)
      enter(.forward)
    }
    #expect(passed == [.forward, .forward, .backward])
  }

  @Test("Changes of either side in listeningToBothSides are passed on")
  func bothSides() {
    let answered = passed(.forward) { _ in gate.listeningToBothSides { enter(.backward) } }
    #expect(answered == [.forward, .backward, .backward])
    let afterwards = passed(.forward) { passage in
      guard passage == 1 else { return }
      gate.listeningToBothSides { enter(.forward) }
      enter(.backward)
    }
    #expect(afterwards == [.forward, .forward])
  }

  @Test("Even in withoutListening, a change that's no echo is passed on")
  func newsWhileDeaf() {
    let passed = passed(.forward) { passage in
      guard passage == 1 else { return }
      gate.withoutListening { enter(.forward, mayBeEcho: false) }
    }
    #expect(passed == [.forward, .forward])
  }

  @Test("Changes made in withoutListening aren't passed on, even if it throws")
  func deaf() {
    struct Refusal: Error {}
    let passed = passed(.forward) { passage in
      guard passage == 1 else { return }
      #expect(throws: Refusal.self) {
        try gate.withoutListening {
          enter(.forward)
          enter(.backward)
          throw Refusal()
        }
      }
    }
    #expect(passed == [.forward])
    #expect(self.passed(.forward) { if $0 == 1 { enter(.forward) } } == [.forward, .forward])
  }

  @Test("After withoutListening, the same passage listens again")
  func listensAgain() {
    let passed = passed(.forward) { passage in
      guard passage == 1 else { return }
      gate.withoutListening { enter(.forward) }
      enter(.forward)
    }
    #expect(passed == [.forward, .forward])
  }

  @Test("A gate that ends during a passage doesn't pass on a second time")
  func ended() {
    let passed = passed(.forward) { _ in
      enter(.forward)
      gate.end()
    }
    #expect(passed == [.forward] && gate.isEnded)
  }

  @Test("Changes by another thread are passed on in order, each direction once")
  func threads() {
    let (gate, side) = (gate, side)
    var passages: [BindingGate.Direction] = []
    gate.pass(.forward, to: side) { direction, _, _ in
      passages.append(direction)
      guard passages.count == 1 else { return }
      onAnotherThread {
        for direction in [BindingGate.Direction.backward, .forward, .backward] {
          gate.pass(direction, to: side) { _, _, _ in Issue.record("it did not wait") }
        }
      }
    }
    #expect(passages == [.forward, .backward, .forward])
  }

  @Test("A passage for another thread is answered, although the passage before it was an answer")
  func answeredBefore() {
    let (gate, side) = (gate, side)
    var passages: [BindingGate.Direction] = []
    gate.pass(.backward, to: side) { direction, _, _ in
      passages.append(direction)
      if passages.count == 1 {
        onAnotherThread {
          gate.pass(.backward, to: side) { _, _, _ in Issue.record("it did not wait") }
        }
      }
      if direction == .backward { enter(.forward, mayBeEcho: false) }
    }
    #expect(passages == [.backward, .forward, .backward, .forward])
  }

  @Test("A passage for another thread isn't repeated because the passage before it was")
  func staleBefore() {
    let (gate, side) = (gate, side)
    var passages: [BindingGate.Direction] = []
    gate.pass(.forward, to: side) { direction, _, _ in
      passages.append(direction)
      guard passages.count == 1 else { return }
      enter(.forward)
      onAnotherThread {
        gate.pass(.backward, to: side) { _, _, _ in Issue.record("it did not wait") }
      }
    }
    #expect(passages == [.forward, .forward, .backward])
  }
}
