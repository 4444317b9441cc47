import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("D. Getters that call helpers of the class")
struct HelperDependencyTests {
  @Test("D1 what a helper reads of its argument notifies, though another parameter has a default")
  func heard() {
    let log = ChangeLog()
    let statement = Statement()
    let token = statement.observe(
      \.heading, options: [.old, .new], changeHandler: log.handler("heading"))
    statement.account?.owner = "Grace"
    #expect(log.take() == [#"heading: setting, old: "Ada", new: "Grace""#])
    token.invalidate()
    #expect(isIdle(statement))
  }
}

@KeyValueObservable
private final class Account {
  var owner = "Ada"
}

@KeyValueObservable
private final class Statement {
  var account: Account? = Account()
  var heading: String { title(of: account) }

  private func title(of account: Account?, short: Bool = false) -> String {
    short ? "…" : account?.owner ?? "none"
  }
}
