import Testing

@Suite("The tour: manual notification")
struct ManualTourTests {
  @Test("A manual notification can compare with the old value first")
  func openingBalance() throws {
    let text = try printed("openingBalance")
    #expect(
      text == """
        openingBalance: manual notification, with and without comparing the old value (page Manual notification)
          > observe openingBalance with old and new
          > account.openingBalance = 10: a plain assignment is silent
          > open(with: 20) calls will and did
              openingBalance setting, old: 10.0, new: 20.0
          > open(with: 20) again: an equal value also notifies
              openingBalance setting, old: 20.0, new: 20.0
          > openIfDifferent(with: 20) compares first
          > openIfDifferent(with: 30)
              openingBalance setting, old: 20.0, new: 30.0
        """)
  }

  @Test("An operation that changes two keys nests their calls of will and did")
  func nestedKeys() throws {
    let text = try printed("nestedKeys")
    #expect(
      text == """
        nestedKeys: one operation changes two keys; the pairs are nested (page Manual notification)
          > observe openingBalance and itemChanged with prior, old and new
          > will openingBalance, will itemChanged, both change, did itemChanged, did openingBalance
              openingBalance setting, old: 0.0, prior
              itemChanged setting, old: 0, prior
              itemChanged setting, old: 0, new: 1
              openingBalance setting, old: 0.0, new: 100.0
        """)
  }

  @Test("Each key notifies automatically or manually, and subclasses inherit that")
  func switches() throws {
    let text = try printed("switches")
    #expect(
      text == """
        switches: each key notifies automatically or manually, and subclasses inherit that (page Manual notification)
          automatic notifies automatically
          manual notifies manually
          own notifies manually
          > observe all three with new
          > derived.automatic = 1
              automatic setting, new: 1
          > derived.manual = 1, which the superclass made manual
          > derived.own = 1, which the subclass made manual
          > the same between will and did
              manual setting, new: 2
              own setting, new: 2
        """)
  }
}
