import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("N1. Initialisers that read a property before the object is complete")
struct InitializerReadTests {
  @Test("N1 a property may be read and changed in place before the last one has its value")
  func values() {
    let cart = Trolley(lines: [2, 1])
    #expect(cart.items == [1, 2, 0])
    #expect(cart.total == 3)
    #expect(cart.count == 2)
  }

  @Test("N1 changes after that are announced as ever")
  func announced() {
    let log = ChangeLog()
    let cart = Trolley(lines: [2, 1])
    let token = cart.observe(
      \.count, options: [.old, .new], changeHandler: log.handler("count"))
    cart.count += 1
    #expect(log.take() == ["count: setting, old: 2, new: 3"])
    token.invalidate()
    #expect(isIdle(cart))
  }
}

@KeyValueObservable
private class Basket {
  var items: [Int]
  var total: Int

  init(_ items: [Int]) {
    self.items = items.sorted()
    self.items.append(0)
    total = self.items.reduce(0, +)
  }
}

@KeyValueObservable
private final class Trolley: Basket {
  var lines: [Int]
  var count: Int

  init(lines: [Int]) {
    self.lines = lines
    count = self.lines.count
    super.init(lines)
  }
}
