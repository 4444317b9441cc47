import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("B. The object that a target's key belongs to")
struct TargetOwnerTests {
  private let log = ChangeLog()
  private let desk = Desk()

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
