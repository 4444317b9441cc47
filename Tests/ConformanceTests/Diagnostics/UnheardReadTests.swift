#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Getters that read objects of classes without the macro.
  @Suite("L3. The dependency audit: objects that do not notify")
  struct UnheardReadTests {
    @Test("L3 A stored property of an object without the macro is reported once per key and path")
    func stored() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let yard = Yard()
        let tokens = [
          yard.observe(\.summary) { _, _ in }, yard.observe(\.load, options: .initial) { _, _ in },
          try Depot(yard).observe("yard.sizes") { _, _ in },
        ]
        #expect(
          violations.take() == [
            "tolerated: Yard.load reads 'crane.load' of an object of Crane, " + unheard("Crane"),
            "tolerated: Yard.sizes reads 'ships.size' of an object of Ship, " + unheard("Ship"),
          ])
        for token in tokens { token.invalidate() }
      }
    }

    @Test("L3 Computed properties, members of collections and @DependsOn() are not reported")
    func silent() async {
      await #expect(processExitsWith: .success) {
        let violations = ViolationLog.install()
        let yard = Yard()
        let tokens = [
          yard.observe(\.double) { _, _ in }, yard.observe(\.count) { _, _ in },
          yard.observe(\.known) { _, _ in }, yard.observe(\.spareLoad) { _, _ in },
        ]
        #expect(violations.take() == [])
        for token in tokens { token.invalidate() }
      }
    }
  }

  private func unheard(_ type: String) -> String {
    "which is not @KeyValueObservable, so it is not notified when that object changes. Annotate \(type) "
      + "with @KeyValueObservable, or write @DependsOn() if what is read does not change."
  }

  private class Hoist { var load = 1 }

  private final class Crane: Hoist {
    var double: Int { load * 2 }
  }

  private final class Ship { var size = 1 }

  @KeyValueObservable
  private final class Yard {
    let crane = Crane()
    var spare: Crane?
    var ships = [Ship()]
    var load: Int { crane.load }
    var summary: String { "\(load)" }
    var sizes: [Int] { ships.map { $0.size } }
    var double: Int { crane.double }
    var count: Int { ships.count }
    @DependsOn() var known: Int { crane.load }
    var spareLoad: Int { spare?.load ?? 0 }
  }

  @KeyValueObservable
  private final class Depot {
    var yard: Yard
    init(_ yard: Yard) { self.yard = yard }
  }
#endif
