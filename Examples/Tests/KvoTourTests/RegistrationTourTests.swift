import Testing

@Suite("The tour: registrations")
struct RegistrationTourTests {
  @Test("Registrations are removed by context; removing one too many is an error")
  func removal() throws {
    let text = try printed("removal")
    #expect(
      text == """
        removal: registrations are removed by context; removing one too many is an error (page Observing)
          > observe balance with the first context, with the second, and with none
          > account.balance = 1
              listener in the first context: balance setting, new: 1.0
              listener in the second context: balance setting, new: 1.0
              listener: balance setting, new: 1.0
          > remove the one with the second context; account.balance = 2
              listener in the first context: balance setting, new: 2.0
              listener: balance setting, new: 2.0
          > remove the one with the second context again
              error: Account has no such observer for 'balance' to remove: Listener is not registered for it, or not with this context.
          > remove the oldest, without naming a context; account.balance = 3
              listener: balance setting, new: 3.0
          > remove the last one; account.balance = 4
          > remove one more
              error: Account has no such observer for 'balance' to remove: Listener is not registered for it, or not with this context.
        """)
  }

  @Test("observationInfo lists an object's registrations")
  func observationInfo() throws {
    let text = try printed("observationInfo")
    #expect(
      text == #"""
        observationInfo: an object lists its registrations (page Observing)
          > account.observationInfo
              nothing is registered
          > an observer object for balance (old, new, a context), a closure for interestRate
              balance by Listener, options [.new, .old], the first context
              interestRate by closure, options [.prior]
          > account.removeObserver(listener, forKeyPath: "balance")
              interestRate by closure, options [.prior]
          > observation.invalidate()
              nothing is registered
        """#)
  }
}
