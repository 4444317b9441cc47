import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Getters that read a property's wrapper")
struct WrapperDependencyTests {
  @Test("D1 a getter that reads a wrapper or its projected value depends on the property")
  func reads() {
    #expect(PageTurner.keyPathsForValuesAffectingValue(forKey: "turns") == ["page"])
    #expect(PageTurner.keyPathsForValuesAffectingValue(forKey: "isUnread") == ["page"])
    let reader = PageTurner()
    let log = ChangeLog()
    let token = reader.observe(
      \.turns, options: [.old, .new], changeHandler: log.handler("turns"))
    reader.turn()
    #expect(log.take() == ["turns: setting, old: 0, new: 1"])
    token.invalidate()
    #expect(isIdle(reader))
  }
}

@propertyWrapper
private struct Counted {
  private(set) var projectedValue = 0
  var wrappedValue: Int { didSet { projectedValue += 1 } }

  init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
}

@KeyValueObservable
private final class PageTurner {
  @NotifiesManually @Counted var page = 1
  var turns: Int { $page }
  var isUnread: Bool { _page.projectedValue == 0 }

  func turn() { withChange(of: "page") { page += 1 } }
}
