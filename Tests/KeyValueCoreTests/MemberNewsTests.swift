import KeyValueObserving
import Testing

@testable import KeyValueCore

@KeyValueObservable
private final class Sticker: Equatable {
  var name: String

  init(_ name: String) {
    self.name = name
  }

  static func == (left: Sticker, right: Sticker) -> Bool { left.name == right.name }
}

@Suite("MemberNews")
struct MemberNewsTests {
  private final class Model {
    var value = 0
    /// Called once, by the next reading, which doesn't see what it sets.
    var onRead: (() -> Void)?

    func read() -> Int {
      let value = value
      let action = onRead
      onRead = nil
      action?()
      return value
    }
  }

  private let model = Model()

  private func makeNews() -> MemberNews<Model, Int> { MemberNews({ $0.read() }, of: model) }

  @Test("A value is new if it differs from that of the last reading")
  func changes() {
    let news = makeNews()
    #expect(!news.isNew(of: model))
    model.value = 1
    #expect(news.isNew(of: model))
    #expect(!news.isNew(of: model))
  }

  private struct Sample: Equatable {
    var level = Double.nan
    var count = 0
  }

  @Test("B3 A value that doesn't equal itself is new if its data differ")
  func notEqualToItself() {
    final class Plant { var sample = Sample() }
    let plant = Plant()
    let level = MemberNews({ (plant: Plant) in plant.sample.level }, of: plant)
    let sample = MemberNews({ (plant: Plant) in plant.sample }, of: plant)
    #expect(!level.isNew(of: plant) && !sample.isNew(of: plant))
    plant.sample.count = 1
    #expect(!level.isNew(of: plant) && sample.isNew(of: plant))
    plant.sample.level = 1
    #expect(level.isNew(of: plant) && sample.isNew(of: plant))
  }

  @Test("B3 An observable object is new if it's another one, even an equal one")
  func otherObject() {
    final class Plant { var tag = Sticker("a") }
    let plant = Plant()
    let news = MemberNews({ (plant: Plant) in plant.tag }, of: plant)
    #expect(!news.isNew(of: plant))
    plant.tag = Sticker("a")
    #expect(news.isNew(of: plant))
  }

  @Test("T1 A reading that a later one overtakes is news, and isn't compared with the next one")
  func overtaken() {
    let (news, model) = (makeNews(), model)
    model.value = 1
    var inner: Bool?
    model.onRead = {
      model.value = 0
      inner = news.isNew(of: model)
    }
    #expect(news.isNew(of: model))
    #expect(inner == false)
    #expect(!news.isNew(of: model))
  }
}
