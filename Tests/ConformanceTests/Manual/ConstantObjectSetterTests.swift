import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("M5. A computed property over a constant object without the macro")
struct ConstantObjectSetterTests {
  private let log = ChangeLog()
  private let playback = Playback()

  @Test("M5 setting it by key is announced, because nothing that changes is known to affect it")
  func byKey() throws {
    let token = playback.observe(
      \.volume, options: [.old, .new], changeHandler: log.handler("volume"))
    try playback.setValue(7, forKey: "volume")
    #expect(log.take() == ["volume: setting, old: 1, new: 7"])
    #expect(playback.volume == 7)
    token.invalidate()
    #expect(isIdle(playback))
  }

  @Test("M5 a change of the object that other code announces by the constant's key notifies once")
  func announcedByHand() throws {
    let token = playback.observe(
      \.volume, options: [.old, .new], changeHandler: log.handler("volume"))
    playback.turnUp()
    #expect(log.take() == ["volume: setting, old: 1, new: 2"])
    let loud = playback.observe(\.loudness, options: .new, changeHandler: log.handler("loudness"))
    try playback.setValue(9, forKey: "loudness")
    #expect(log.take() == ["volume: setting, old: 2, new: 9", "loudness: setting, new: 9"])
    token.invalidate()
    loud.invalidate()
  }

  @Test("M5 setting by key isn't announced for a constant that the class states as the source")
  func stated() throws {
    let token = playback.observe(\.balance, options: .new, changeHandler: log.handler("balance"))
    try playback.setValue(3, forKey: "balance")
    #expect(log.take() == ["balance: setting, new: 3"])
    token.invalidate()
  }
}

/// As in a framework: no macro, and the values are computed, so that no audit sees them.
private final class Amplifier {
  private var tenths = 1
  var volume: Int {
    get { tenths }
    set { tenths = newValue }
  }
}

@KeyValueObservable
private final class Playback {
  let engine = Amplifier()
  var volume: Int {
    get { engine.volume }
    set { engine.volume = newValue }
  }
  var loudness: Int {
    get { engine.volume }
    set { turn(to: newValue) }
  }
  @DependsOn("engine") var balance: Int {
    get { engine.volume }
    set { turn(to: newValue) }
  }
}

extension Playback {
  fileprivate func turnUp() { withChange(of: "engine") { engine.volume += 1 } }
  fileprivate func turn(to volume: Int) {
    withChange(of: "engine") { engine.volume = volume }
  }
}
