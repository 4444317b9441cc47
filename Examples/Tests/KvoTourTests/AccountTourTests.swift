import Testing

@Suite("The tour: registration and values")
struct AccountTourTests {
  @Test("A person observes an account's balance and interest rate")
  func account() throws {
    let text = try printed("account")
    #expect(
      text == #"""
        account: a person observes an account's balance and interest rate (page Observing)
          > person observes balance and interestRate, each with a context, old and new
          > account.balance = 150
              the balance's context: balance setting, old: 100.0, new: 150.0
          > account.balance += 25
              the balance's context: balance setting, old: 150.0, new: 175.0
          > account.interestRate = 0.03
              the rate's context: interestRate setting, old: 0.02, new: 0.03
          > account.balance = 175, its current value
              the balance's context: balance setting, old: 175.0, new: 175.0
          > setValue(200, forKey: "balance")
              the balance's context: balance setting, old: 175.0, new: 200.0
          > person stops observing; account.balance = 0
        """#)
  }

  @Test("With initial, registering delivers the current value")
  func initial() throws {
    let text = try printed("initial")
    #expect(
      text == """
        initial: a callback with the current value (page Observing)
          > observe balance with initial and new
              balance setting, new: 100.0
          > account.balance = 150
              balance setting, new: 150.0
          > observe interestRate with initial and old: there is no old value before the first change
              interestRate setting
          > account.interestRate = 0.03
              interestRate setting, old: 0.02
        """)
  }

  @Test("With prior, the observer is called before and after each change")
  func prior() throws {
    let text = try printed("prior")
    #expect(
      text == """
        prior: a callback before the change and one after it (page Observing)
          > observe balance with prior, old and new
          > account.balance = 150
              balance setting, old: 100.0, prior; account.balance is 100.0
              balance setting, old: 100.0, new: 150.0; account.balance is 150.0
          > account.balance *= 2
              balance setting, old: 150.0, prior; account.balance is 150.0
              balance setting, old: 150.0, new: 300.0; account.balance is 300.0
        """)
  }
}
