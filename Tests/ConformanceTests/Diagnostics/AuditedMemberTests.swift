#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Members of values on a typed path that read observable objects.
  @Suite("L3. The dependency audit, members that read objects")
  struct AuditedMemberTests {
    @Test("L3 A member that reads an object is reported once for each path, at registration")
    func tails() {
      ViolationLog.record { violations in
        let log = ChangeLog()
        let owner = Owner()
        let tokens = (0..<2).map { _ in
          owner.observe(\.wallet.total, options: .new, changeHandler: log.handler("total"))
        }
        #expect(violations.take() == [report("wallet._", "Owner.wallet", nil)])
        let other = owner.observe(\.wallet.view.total, changeHandler: log.handler("view"))
        #expect(violations.take() == [report("wallet._._", "Owner.wallet", nil)])
        let summed = owner.observe(\.accounts.total, changeHandler: log.handler("summed"))
        #expect(violations.take() == [report("accounts._", "Owner.accounts", "accounts.balance")])
        owner.wallet.account.balance = 2
        #expect(log.take() == [])
        owner.wallet = Wallet()
        let total = "total: setting, new: 1"
        #expect(log.take() == [total, total, "view: setting"])
        #expect(violations.take() == [])
        withExtendedLifetime((tokens, other, summed)) {}
      }
    }

    @Test("L3 What a member reads later, on another branch, is reported then")
    func later() {
      ViolationLog.record { violations in
        let owner = Owner()
        owner.wallet.isOpen = false
        let token = owner.observe(\.wallet.total, options: .new) { _, _ in }
        #expect(violations.take() == [])
        owner.wallet.isOpen = true
        #expect(violations.take() == [report("wallet._", "Owner.wallet", nil)])
        withExtendedLifetime(token) {}
      }
    }

    @Test("L3 A member on the way to a key is reported, if it reads an object")
    func onTheWay() {
      ViolationLog.record { violations in
        let owner = Owner()
        let token = owner.observe(\.wallet.largest.name, options: .new) { _, _ in }
        #expect(violations.take() == [report("wallet._.name", "Owner.wallet", nil)])
        withExtendedLifetime(token) {}
      }
    }

    @Test("L3 Members that read no object, or only what the path follows, are not reported")
    func followed() {
      ViolationLog.record { violations in
        let owner = Owner()
        let other = Owner()
        let tokens = [
          owner.observe(\.wallet.isOpen, options: .new) { _, _ in },
          owner.observe(\.wallet.account.balance, options: .new) { _, _ in },
          owner.observe(\.accounts.count, options: .new) { _, _ in },
          owner.observe(\.accounts.first?.balance, options: .new) { _, _ in },
          owner.observe(\.double.description, options: .new) { _, _ in },
          owner.observe(\.level.description, options: .new) { _, _ in },
          owner.observe(\.holder.balance, options: .new) { _, _ in },
        ]
        let binding = owner.kvo.limit.bind(to: other.kvo.limit)
        owner.limit = 3
        owner.accounts[0].balance = 3
        #expect(violations.take() == [])
        withExtendedLifetime((tokens, binding)) {}
      }
    }

    @Test("L3 A binding from a member that reads an object is reported")
    func binding() {
      ViolationLog.record { violations in
        let (owner, other) = (Owner(), Owner())
        let binding = owner.kvo.wallet.total.bind(to: other.kvo.limit)
        #expect(other.limit == 1)
        #expect(violations.take() == [report("wallet._", "Owner.wallet", nil)])
        withExtendedLifetime(binding) {}
      }
    }
  }

  private func report(_ path: String, _ holder: String, _ way: String?) -> String {
    let wayOut =
      way.map { "Observe a computed property of Owner that depends on \"\($0)\"." }
      ?? "No keys of Owner lead to that object. Keep it in a property of Owner, and observe a computed "
      + "property of Owner that depends on the path through it."
    return
      "tolerated: The path '\(path)' reads Account.balance through a member of \(holder) that is no key, so "
      + "it is not notified when that changes. \(wayOut)"
  }

  private protocol Holding { var balance: Int { get } }

  @KeyValueObservable
  private final class Account: Holding {
    var name = "a"
    var balance = 1
  }

  private struct Wallet {
    var account = Account()
    var isOpen = true
    var total: Int { isOpen ? account.balance : 0 }
    var view: View { View(account: account) }
    var largest: Account { account.balance > 0 ? account : Account() }

    struct View {
      let account: Account
      var total: Int { account.balance }
    }
  }

  extension [Account] {
    fileprivate var total: Int { reduce(0) { $0 + $1.balance } }
  }

  @KeyValueObservable
  private final class Owner {
    var wallet = Wallet()
    var accounts = [Account()]
    var limit = 0
    var double: Int { limit * 2 }
    @NotifiesManually var level: Int {
      get { limit }
      set { withChange(of: "level") { limit = newValue } }
    }
    var holder: any Holding = Account()
  }
#endif
