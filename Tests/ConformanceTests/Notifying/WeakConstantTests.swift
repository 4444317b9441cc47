import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Keeper {
  var name: String

  init(_ name: String) { self.name = name }
}

/// Refers weakly to an object, and to no other one afterwards.
@KeyValueObservable
private final class Kennel {
  weak let keeper: Keeper?
  var label: String { keeper?.name ?? "nobody" }
  var isKept: Bool { keeper != nil }

  init(of keeper: Keeper?) { self.keeper = keeper }
}

@Suite("P5. Observed weak constants")
struct WeakConstantTests {
  private let log = ChangeLog()

  @Test("P5 D1 the death of a weak constant's object is one change, and one of each dependent key")
  func death() {
    var keeper: Keeper? = Keeper("Ada")
    let kennel = Kennel(of: keeper)
    let tokens = [
      kennel.observe(\.keeper, options: .new, changeHandler: log.handler("keeper")),
      kennel.observe(\.label, options: .new, changeHandler: log.handler("label")),
      kennel.observe(\.isKept, options: .new, changeHandler: log.handler("kept")),
    ]
    keeper?.name = "Bea"
    #expect(log.take() == ["label: setting, new: \"Bea\""])
    keeper = nil
    #expect(
      Set(log.take()) == [
        "keeper: setting, new: nil", "label: setting, new: \"nobody\"", "kept: setting, new: false",
      ])
    for token in tokens { token.invalidate() }
    #expect(isIdle(kennel))
  }
}
