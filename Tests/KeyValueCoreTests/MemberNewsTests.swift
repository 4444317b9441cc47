import Testing

@testable import KeyValueCore

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
