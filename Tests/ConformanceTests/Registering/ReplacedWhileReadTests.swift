import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Lamp {
  var level: Int

  init(_ level: Int) { self.level = level }
}

@KeyValueObservable
private final class Room {
  var stored: Any?
  /// Called once, by the getter, between reading and returning.
  @KeyValueIgnored var whileRead: (() -> Void)?

  @DependsOn("stored") var lamp: Any? {
    let read = stored
    whileRead.take()?()
    return read
  }
}

@Suite("R. What is replaced while it's being read")
struct ReplacedWhileReadTests {
  @Test("R6 P2 A value that can't be observed ends no path if it's replaced while it's read")
  func repaired() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let room = Room()
      let (first, second) = (Lamp(1), Lamp(2))
      room.stored = first
      let token = try room.observe("lamp.level", changeHandler: log.handler("level"))
      room.whileRead = { room.stored = second }
      room.stored = "none"
      #expect(room.whileRead == nil)
      _ = log.take()
      second.level = 3
      first.level = 4
      #expect(log.take() == ["level: setting"])
      token.invalidate()
      #expect(violations.take() == [])
      #expect(isIdle(room, first, second))
    }
  }
}
