#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// The ways that the audit finds from a getter's object to what it read.
  @Suite("L3. The dependency audit, ways to an object")
  struct AuditedWayTests {
    @Test("L3 Two ways to the same key are two reports")
    func twoWays() {
      ViolationLog.record { violations in
        let pair = AccountPair()
        let token = pair.kvo.total.observe { _, _ in }
        let report =
          "tolerated: AccountPair.total read Account.balance, which it is not known to depend on, so it is "
          + "not notified when that changes. Write @DependsOn"
        #expect(
          violations.take() == [report + "(\"first.balance\").", report + "(\"second.balance\")."])
        token.invalidate()
      }
    }

    @Test("L3 Elements of an array are one report")
    func elements() {
      ViolationLog.record { violations in
        let list = AccountList()
        let token = list.kvo.total.observe { _, _ in }
        #expect(
          violations.take() == [
            "tolerated: AccountList.total read Account.balance, which it is not known to depend on, so it is "
              + "not notified when that changes. Write @DependsOn(\"all.balance\")."
          ])
        token.invalidate()
      }
    }

    @Test("L3 A collection that no path leads through is named with its type")
    func contiguous() {
      ViolationLog.record { violations in
        let row = AccountRow()
        let token = row.kvo.total.observe { _, _ in }
        #expect(
          violations.take() == [
            "tolerated: AccountRow.total read Account.balance, which it is not known to depend on, so it is "
              + "not notified when that changes. AccountRow.row is of type ContiguousArray<Account>, through "
              + "which no path leads. Declare it as an array, or write @DependsOn() if total need not follow "
              + "its elements."
          ])
        token.invalidate()
      }
    }
  }

  /// Reads accounts where the macro doesn't see it.
  private enum Auditor {
    static func sum(_ accounts: some Sequence<Account>) -> Double {
      accounts.reduce(0) { $0 + $1.balance }
    }
  }

  @KeyValueObservable
  private final class AccountPair {
    var first = Account(balance: 1)
    var second = Account(balance: 2)
    @DependsOn("first", "second") var total: Double { Auditor.sum([first, second]) }
  }

  @KeyValueObservable
  private final class AccountList {
    var all = [Account(balance: 1), Account(balance: 2)]
    @DependsOn("all") var total: Double { Auditor.sum(all) }
  }

  @KeyValueObservable
  private final class AccountRow {
    var row: ContiguousArray<Account> = [Account(balance: 1), Account(balance: 2)]
    @DependsOn("row") var total: Double { Auditor.sum(row) }
  }
#endif
