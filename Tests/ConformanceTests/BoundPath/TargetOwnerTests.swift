import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. The object that a target's key belongs to")
struct TargetOwnerTests {
  private let log = ChangeLog()
  private let amplifier = Amplifier()
  private let desk = Desk()

  private static let whole = KeyValueTransformer<Int, Int?>(
    forward: { $0 }, backward: { $0 ?? -1 })

  // MARK: A new one

  @Test("B3 A new owner that adjusts the value in didSet doesn't set the source, nor one set again")
  func adjusted() {
    let binding = amplifier.kvo.volume.bindTwoWay(to: desk.kvo.knob.level, transformer: Self.whole)
    let token = amplifier.observe(\.volume, options: .new, changeHandler: log.handler("volume"))
    let knob = Knob()
    desk.knob = knob
    #expect(amplifier.volume == 50 && knob.level == 10)
    desk.knob = knob
    #expect(amplifier.volume == 50 && knob.level == 10)
    let second = Knob()
    desk.performChanges { $0.knob = second }
    #expect(amplifier.volume == 50 && second.level == 10)
    #expect(log.take() == [])
    second.level = 3
    #expect(amplifier.volume == 3 && log.take() == ["volume: setting, new: 3"])
    desk.performChanges { $0.knob?.level = 4 }
    #expect(amplifier.volume == 4 && log.take() == ["volume: setting, new: 4"])
    token.invalidate()
    binding.invalidate()
    #expect(isIdle(amplifier, desk, knob, second))
  }

  @Test("B3 A new owner whose key can't be nil doesn't set a source that's nil")
  func nilSource() {
    let binding = amplifier.kvo.label.bindTwoWay(
      to: desk.kvo.knob.title, onError: { [log] in log.note("\($0)") })
    desk.knob = Knob()
    #expect(
      log.take() == ["Knob.title (component 2 of 'knob.title') cannot be nil: it holds String."])
    #expect(amplifier.label == nil && desk.knob?.title == "-")
    amplifier.label = "Main"
    #expect(desk.knob?.title == "Main" && log.take() == [])
    binding.invalidate()
  }

  @Test("B3 A new owner whose validator refuses the source's value doesn't set the source")
  func refused() {
    amplifier.volume = -7
    let binding = amplifier.kvo.volume.bindTwoWay(
      to: desk.kvo.knob.gain, transformer: Self.whole, validates: true,
      onError: { [log] in log.note("\($0)") })
    desk.knob = Knob()
    #expect(log.take() == ["Refusal()"])
    #expect(amplifier.volume == -7 && desk.knob?.gain == 1)
    binding.invalidate()
  }

  @Test("B3 Nor does a new owner of a value that the transformer can't convert")
  func unconverted() {
    amplifier.volume = 500
    let digits = KeyValueTransformer<Int, String?>(
      forward: { number in
        guard number < 100 else { throw Refusal() }
        return "\(number)"
      },
      backward: { Int($0 ?? "") ?? 0 })
    let binding = amplifier.kvo.volume.bindTwoWay(
      to: desk.kvo.knob.title, transformer: digits, onError: { [log] in log.note("\($0)") })
    desk.knob = Knob()
    desk.performChanges { $0.knob = Knob() }
    #expect(amplifier.volume == 500 && desk.knob?.title == "-")
    #expect(log.take() == ["Refusal()", "Refusal()"])
    binding.invalidate()
  }

  @Test("B3 A new owner, at whatever address, gets the source's value")
  func reusedAddress() {
    amplifier.label = "Main"
    let binding = amplifier.kvo.label.bindTwoWay(to: desk.kvo.knob.title)
    for _ in 0..<100 {
      desk.performChanges { desk in
        desk.knob = nil
        // Often where the one before was.
        desk.knob = Knob()
      }
      #expect(desk.knob?.title == "Main")
    }
    binding.invalidate()
  }

  @Test("B3 An observer of the source exchanges the owner; the edit stays, the new owner gets it")
  func exchangedByObserver() {
    let (first, second) = (Knob(), Knob())
    desk.knob = first
    amplifier.label = "Main"
    let binding = amplifier.kvo.label.bindTwoWay(to: desk.kvo.knob.title)
    let tokens = [
      amplifier.observe(\.label, options: .new, changeHandler: log.handler("label")),
      amplifier.observe(\.label) { [desk] amplifier, _ in
        if amplifier.label == "Left" { desk.knob = second }
      },
      second.observe(\.title, options: .new, changeHandler: log.handler("second")),
    ]
    first.title = "Left"
    #expect(amplifier.label == "Left" && first.title == "Left" && second.title == "Left")
    #expect(log.take() == ["label: setting, new: \"Left\"", "second: setting, new: \"Left\""])
    second.title = "Right"
    #expect(amplifier.label == "Right" && first.title == "Left")
    for token in tokens { token.invalidate() }
    binding.invalidate()
  }

  @Test("B3 An observer of the target that exchanges its owner each time doesn't go on for ever")
  func exchangedForEver() {
    desk.knob = Knob()
    let binding = amplifier.kvo.volume.bindTwoWay(to: desk.kvo.knob.gain, transformer: Self.whole)
    var exchanges = 0
    let token = desk.kvo.knob.gain.observe { desk, _ in
      guard desk.knob?.gain == 7, exchanges < 100 else { return }
      exchanges += 1
      desk.knob = Knob()
    }
    amplifier.volume = 7
    token.invalidate()
    // The first new owner gets the value, too, and is exchanged for another one.
    #expect(exchanges == 2 && amplifier.volume == 7)
    desk.knob = Knob()
    #expect(desk.knob?.gain == 7)
    binding.invalidate()
  }

  // MARK: The same one

  @Test("B3 What a target is set to goes back, although its owner is computed from that key")
  func computedOwner() {
    let (field, game) = (Field(), Game())
    let (first, second) = (Player(5), Player(1))
    game.players = [first, second]
    field.number = 5
    let binding = field.kvo.number.bindTwoWay(to: game.kvo.leader.score, transformer: Self.whole)
    let token = field.observe(\.number, options: .new, changeHandler: log.handler("number"))
    first.score = 8
    #expect(first.score == 8 && log.take() == ["number: setting, new: 8"])
    second.score = 2
    #expect(second.score == 2 && log.take() == [])
    // Another one leads, and gets the source's value.
    first.score = 0
    #expect(first.score == 0 && second.score == 8 && field.number == 8 && log.take() == [])
    token.invalidate()
    binding.invalidate()
    #expect(isIdle(field, game, first, second))
  }

  @Test("B1 A one-way target keeps what it was set to, also if its owner is computed from that")
  func computedOwnerOneWay() {
    let (field, game) = (Field(), Game())
    let (first, second) = (Player(5), Player(1))
    game.players = [first, second]
    field.number = 6
    let binding = field.kvo.number.bind(to: game.kvo.leader.score)
    #expect(first.score == 6)
    first.score = 8
    #expect(first.score == 8 && field.number == 6)
    first.score = 0
    #expect(first.score == 0 && second.score == 6)
    binding.invalidate()
  }

  @Test("B3 A computed target is passed back, also if its owner is computed from the same key")
  func sharedSource() {
    let (field, game) = (Field(), Game())
    let (first, second) = (Player(5), Player(1))
    game.players = [first, second]
    field.number = 50
    let binding = field.kvo.number.bindTwoWay(to: game.kvo.leader.points, transformer: Self.whole)
    let token = field.observe(\.number, options: .new, changeHandler: log.handler("number"))
    first.score = 8
    #expect(field.number == 80 && log.take() == ["number: setting, new: 80"])
    first.points = 90
    #expect(first.score == 9 && log.take() == ["number: setting, new: 90"])
    second.score = 2
    #expect(first.score == 9 && log.take() == [])
    token.invalidate()
    binding.invalidate()
  }

  // MARK: None

  @Test("B1 While the target's owner is nil, the binding does nothing, and has no errors")
  func noTarget() {
    let field = Field()
    field.text = "many"
    let binding = field.kvo.text.bind(
      to: desk.kvo.knob.level, transform: { [log] in try number($0, log) },
      onError: { [log] in log.note("\($0)") })
    field.text = "more"
    #expect(log.take() == [])
    desk.knob = Knob()
    #expect(log.take() == ["convert more", "Refusal()"])
    desk.knob = nil
    field.text = "7"
    #expect(log.take() == [])
    desk.knob = Knob()
    #expect(log.take() == ["convert 7"] && desk.knob?.level == 7)
    binding.invalidate()
  }

  @Test("B3 While the source's owner is nil, changes of the target have no effect, and no errors")
  func noSource() {
    let field = Field()
    let digits = KeyValueTransformer<Int?, String>(
      forward: { $0.map { "\($0)" } ?? "" },
      backward: { text in
        guard let number = Int(text) else { throw Refusal() }
        return number
      })
    let binding = desk.kvo.knob.gain.bindTwoWay(
      to: field.kvo.text, transformer: digits, onError: { [log] in log.note("\($0)") })
    field.text = "many"
    desk.performChanges { _ in field.text = "more" }
    #expect(field.text == "more" && log.take() == [])
    desk.knob = Knob()
    #expect(field.text == "1")
    field.text = "many"
    #expect(desk.knob?.gain == 1 && log.take() == ["Refusal()"])
    binding.invalidate()
  }

  @Test("B1 A path by string through a collection sets its elements, and those that it gets")
  func elements() throws {
    let (field, game) = (Field(), Game())
    let (first, second) = (Player(5), Player(1))
    let binding = field.kvo.number.bind(to: try game.kvo("players.score"))
    field.number = 3
    game.players = [first]
    #expect(first.score == 3)
    game.players.append(second)
    #expect(second.score == 3)
    field.number = 4
    #expect(first.score == 4 && second.score == 4)
    binding.invalidate()
  }
}

private struct Refusal: Error {}

private func number(_ text: String, _ log: ChangeLog) throws -> Int {
  log.note("convert \(text)")
  guard let number = Int(text) else { throw Refusal() }
  return number
}

@KeyValueObservable
private final class Amplifier {
  var volume = 50
  var label: String?
}

@KeyValueObservable
private final class Knob {
  /// A value that `didSet` limits to 10.
  var level = 0 {
    didSet { if level > 10 { level = 10 } }
  }
  var gain = 1
  var title = "-"

  func validateGain(_ value: inout Int) throws {
    if value < 0 { throw Refusal() }
  }
}

@KeyValueObservable
private final class Desk {
  var knob: Knob?
}

@KeyValueObservable
private final class Field {
  var number = 0
  var text = ""
}

@KeyValueObservable
private final class Player {
  var score: Int
  /// Depends on the score, by inference.
  var points: Int {
    get { score * 10 }
    set { score = newValue / 10 }
  }

  init(_ score: Int) {
    self.score = score
  }
}

@KeyValueObservable
private final class Game {
  var players: [Player] = []

  @DependsOn("players.score")
  var leader: Player? { players.max { $0.score < $1.score } }
}
