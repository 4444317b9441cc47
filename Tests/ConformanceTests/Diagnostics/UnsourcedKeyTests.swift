#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Computed keys without known dependencies, and customisation points that are not called.
  @Suite("L3. The dependency audit: keys without a source")
  struct UnsourcedKeyTests {
    @Test("L3 A computed key that depends on no key is reported once, also at the end of a path")
    func reported() throws {
      try ViolationLog.record { violations in
        let mill = Mill()
        let tokens = [
          mill.observe(\.speed) { _, _ in }, mill.observe(\.speed, options: .initial) { _, _ in },
          try Valley(mill).observe("mill.speed") { _, _ in },
        ]
        #expect(
          violations.take() == [
            "tolerated: Mill.speed is computed and is not known to depend on any key, so its observers are "
              + "never notified. Write @DependsOn with what it depends on, or @DependsOn() if it does not "
              + "change or if the class announces its changes."
          ])
        for token in tokens { token.invalidate() }
      }
    }

    @Test("L3 Constants, keys that the class notifies manually and @DependsOn() are not reported")
    func silent() {
      ViolationLog.record { violations in
        let mill = Mill()
        let tokens = [
          mill.observe(\.kind) { _, _ in }, mill.observe(\.label) { _, _ in },
          mill.observe(\.announced) { _, _ in }, mill.observe(\.known) { _, _ in },
          mill.observe(\.manual) { _, _ in }, mill.observe(\.stated) { _, _ in },
          mill.observe(\.height) { _, _ in },
        ]
        #expect(violations.take() == [])
        for token in tokens { token.invalidate() }
      }
    }

    #if os(Linux)
      @Test("L3 A customisation point in an extension is reported once, and only for its own key")
      func extensions() throws {
        try ViolationLog.record { violations in
          let mill = BigMill()
          for _ in 0..<2 {
            let tokens = [
              mill.observe(\.height) { _, _ in }, mill.observe(\.width) { _, _ in },
              mill.observe(\.kind) { _, _ in },
            ]
            for token in tokens { token.invalidate() }
            var value: Any? = 1
            try mill.validateValue(&value, forKey: "width")
            try mill.validateValue(&value, forKey: "height")
          }
          #expect(
            violations.take() == [
              misplaced("BigMill.keyPathsForValuesAffectingHeight()"),
              misplaced("Mill.automaticallyNotifiesObserversOfWidth()"),
              misplaced("Mill.validateWidth(_:)"),
            ])
        }
      }

      @Test("L3 A validator in an extension is reported once a binding validates, on either side")
      func validators() {
        ViolationLog.record { violations in
          let (mill, other) = (BigMill(), BigMill())
          mill.kvo.width.bind(to: other.kvo.width).invalidate()
          #expect(violations.take() == [misplaced("Mill.automaticallyNotifiesObserversOfWidth()")])
          mill.kvo.value.bind(to: other.kvo.width, validates: true).invalidate()
          #expect(violations.take() == [misplaced("Mill.validateWidth(_:)")])
          mill.kvo.value.bind(to: other.kvo.width, validates: true).invalidate()
          #expect(violations.take() == [])
        }
        ViolationLog.record { violations in
          let (mill, other) = (BigMill(), Mill())
          mill.kvo.width.bindTwoWay(to: other.kvo.value, validates: true).invalidate()
          #expect(
            violations.take() == [
              misplaced("Mill.validateWidth(_:)"),
              misplaced("Mill.automaticallyNotifiesObserversOfWidth()"),
            ])
        }
      }
    #endif
  }

  private func misplaced(_ function: String) -> String {
    "tolerated: \(function) is declared in an extension, where @KeyValueObservable does not see it, so it is not "
      + "called. Move it into the class."
  }

  private enum Wind { nonisolated(unsafe) static var speed = 1 }

  @KeyValueObservable
  private class Mill {
    let name = "Kinderdijk"
    var width = 1
    var height = 1
    var value = 1
    var speed: Int { Wind.speed }
    var kind: String { "mill" }
    var label: String { "\(name), a mill" }
    var announced: Int { Wind.speed }
    @DependsOn() var known: Int { Wind.speed }
    @NotifiesManually var manual: Int {
      get { Wind.speed }
      set { Wind.speed = newValue }
    }
    var stated: Int { Wind.speed }
    class func keyPathsForValuesAffectingStated() -> Set<String> { ["width"] }
    func validateHeight(_ height: inout Int) throws {}
    func announce() { withChange(of: \.announced) { Wind.speed += 1 } }
  }

  extension Mill {
    class func automaticallyNotifiesObserversOfWidth() -> Bool { false }
    fileprivate func validateWidth(_ width: inout Int) throws { width = 0 }
  }

  @KeyValueObservable
  private final class BigMill: Mill {
    var storeys = 1
  }

  extension BigMill {
    static func keyPathsForValuesAffectingHeight() -> Set<String> { ["storeys"] }
  }

  @KeyValueObservable
  private final class Valley {
    var mill: Mill
    init(_ mill: Mill) { self.mill = mill }
  }
#endif
