import KeyValueObserving
import KeyValueTestSupport
import Testing

#if (DEBUG || KVO_AUDIT) && os(Linux)
  @Suite("L3. Getters that classes without the macro override")
  struct OverrideAuditTests {
    private let report =
      "tolerated: Taxed overrides 'net' and is not @KeyValueObservable, so observers of 'net' are not "
      + "notified when its variables change: tax. Annotate Taxed."

    @Test(
      "L3 an override in a class with variables is reported once, also for an element that enters")
    func variables() {
      ViolationLog.record { violations in
        let basket = Basket()
        let total = basket.kvo.items[sum: \.net].observe { _, _ in }
        #expect(violations.take() == [])
        basket.items.append(Taxed())
        #expect(violations.take() == [report])
        basket.items.append(Taxed())
        let taxed: Item = Taxed()
        let item = taxed.kvo.net.observe { _, _ in }
        #expect(violations.take() == [])
        total.invalidate()
        item.invalidate()
      }
    }

    @Test("L3 so is one of an observed object, and of a stored key") func observed() {
      ViolationLog.record { violations in
        let item: Item = Taxed()
        let tokens = [item.kvo.net.observe { _, _ in }, item.kvo.label.observe { _, _ in }]
        #expect(violations.take() == [report])
        let renamed: Item = Renamed()
        let other = renamed.kvo.label.observe { _, _ in }
        #expect(
          violations.take() == [
            "tolerated: Renamed overrides 'label' and is not @KeyValueObservable, so observers of 'label' "
              + "are not notified when its variables change: prefix. Annotate Renamed."
          ])
        for token in tokens + [other] { token.invalidate() }
      }
    }

    @Test("L3 constants, other keys and annotated classes are not reported") func others() {
      ViolationLog.record { violations in
        let items: [Item] = [Marked(), Annotated(), Variable(), Watching()]
        let tokens =
          items.map { $0.kvo.net.observe { _, _ in } }
          + items.map { $0.kvo.label.observe { _, _ in } }
        #expect(violations.take() == [])
        for token in tokens { token.invalidate() }
      }
    }
  }

  @KeyValueObservable
  private class Item {
    var price = 1
    var label = "a"
    var net: Int { price }
  }

  @KeyValueObservable
  private final class Basket { var items: [Item] = [] }

  private final class Taxed: Item {
    var tax = 2
    override var net: Int { price + tax }
  }

  private final class Renamed: Item {
    var prefix = "x"
    override var label: String {
      get { prefix + super.label }
      set { super.label = newValue }
    }
  }

  private final class Marked: Item {
    let mark = 2
    override var net: Int { price + mark }
  }

  @KeyValueObservable
  private final class Annotated: Item {
    var tax = 2
    override var net: Int { price + tax }
  }

  private final class Variable: Item { var tax = 2 }

  private final class Watching: Item {
    var count = 2
    override var label: String { didSet { count += 1 } }
  }
#endif
