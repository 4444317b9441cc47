import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The two kinds of change that can't be seen, each with its way out.
@Suite("L3. Changes that nothing can see")
struct UnseenChangeTests {
  private let log = ChangeLog()

  @Test("L3 A weak reference becomes nil untold in a structure, and is told as a key")
  func weakReference() {
    let kennel = Kennel()
    var keeper: Keeper? = Keeper()
    kennel.crates = [Crate(keeper: keeper)]
    kennel.stalls = [Stall(keeper)]
    let tokens = [
      kennel.kvo.crates.observe(options: .new) { _, _ in log.note("crates") },
      kennel.kvo.stalls[each: \.keeper].observe(options: .new) { _, _ in log.note("stalls") },
    ]
    keeper = nil
    #expect(kennel.crates[0].keeper == nil && kennel.stalls[0].keeper == nil)
    #expect(log.take() == ["stalls"])
    for token in tokens { token.invalidate() }
  }

  @Test("L3 A nonmutating setter is untold over a plain object, unless it's announced")
  func nonmutatingSetter() {
    let kennel = Kennel()
    let tokens = [
      kennel.kvo.plain.observe { kennel, _ in log.note("plain \(kennel.plain.level)") },
      kennel.kvo.lamp.level.observe { kennel, _ in log.note("lamp \(kennel.lamp.level)") },
    ]
    kennel.plain.level = 2
    #expect(kennel.plain.level == 2)
    #expect(log.take() == [])
    kennel.withChange(of: \.plain) { kennel.plain.level = 3 }
    kennel.lamp.level = 4
    #expect(log.take() == ["plain 3", "lamp 4"])
    for token in tokens { token.invalidate() }
  }
}

@KeyValueObservable
private final class Keeper {}

private struct Crate {
  weak var keeper: Keeper?
}

@KeyValueObservable
private final class Stall {
  weak var keeper: Keeper?
  init(_ keeper: Keeper?) { self.keeper = keeper }
}

private final class PlainLamp { var level = 1 }

private struct Dimmer {
  private let lamp = PlainLamp()
  var level: Int {
    get { lamp.level }
    nonmutating set { lamp.level = newValue }
  }
}

@KeyValueObservable
private final class Lamp { var level = 1 }

@KeyValueObservable
private final class Kennel {
  var crates: [Crate] = []
  var stalls: [Stall] = []
  var plain = Dimmer()
  var lamp = Lamp()
}
