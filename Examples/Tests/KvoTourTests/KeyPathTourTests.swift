import Testing

@Suite("The tour: key paths, classes and lifetimes")
struct KeyPathTourTests {
  @Test("A key path is observed through an object that is replaced, and through nil")
  func keyPath() throws {
    let text = try printed("keyPath")
    #expect(
      text == """
        keyPath: a key path through an object that is replaced, and through nil (page Observing)
          > observe account.balance with old and new
          > person.account.balance = 150
              account.balance setting, old: 100.0, new: 150.0
          > person.account = an account with 500
              account.balance setting, old: 150.0, new: 500.0
          > the first account's balance = 1: it is no longer observed
          > person.account.balance = 600
              account.balance setting, old: 500.0, new: 600.0
          > person.account = nil
              account.balance setting, old: 600.0, new: nil
          > person.account = an account with 700
              account.balance setting, old: nil, new: 700.0
          > person.account.balance = 800
              account.balance setting, old: 700.0, new: 800.0
        """)
  }

  @Test("A subclass and its superclass observe the same key path independently")
  func subclass() throws {
    let text = try printed("subclass")
    #expect(
      text == """
        subclass: a subclass and its superclass observe the same key path independently (page Observing)
          > the superclass registers for balance, then the subclass does
          > account.balance = 150
              the superclass: balance setting, new: 150.0
              the subclass: balance setting, old: 100.0, new: 150.0
          > the subclass stops; account.balance = 200
              the superclass: balance setting, new: 200.0
          > the superclass stops; account.balance = 250
        """)
  }

  @Test("Observation doesn't change an object's class")
  func typeOf() throws {
    let text = try printed("typeOf")
    #expect(
      text == """
        typeOf: observation does not change an object's class (page Observing)
          > before
              type(of: person) is Person
          > observed
              type(of: person) is Person
          > in a callback
              type(of: person) is Person
          > after
              type(of: person) is Person
        """)
  }

  @Test("Releasing an observer or a token ends its observation")
  func observerDies() throws {
    let text = try printed("observerDies")
    #expect(
      text == #"""
        observerDies: releasing an observer ends its observation (page Observing)
          > a listener observes name with new
          > person.name = "Grace"
              listener: name setting, new: "Grace"
          > the listener is released; person.name = "Barbara"
              registered: 0
          > a closure observes name with new
          > person.name = "Frances"
              closure: name setting, new: "Frances"
          > the observation is released; person.name = "Radia"
              registered: 0
          > the person is released, too
              the person is gone
        """#)
  }

  @Test("Releasing an observed object ends its observations")
  func observedDies() throws {
    let text = try printed("observedDies")
    #expect(
      text == #"""
        observedDies: releasing an observed object ends its observations (page Observing)
          > observe name with new
          > person.name = "Grace"
              name setting, new: "Grace"
              observation.isValid is true
          > the person is released
              the person is gone
              observation.isValid is false
          > observation.invalidate() has no effect
        """#)
  }

  @Test("An object that observes itself is released like any other")
  func selfObserverDies() throws {
    let text = try printed("selfObserverDies")
    #expect(
      text == """
        selfObserverDies: an object that observes itself is released like any other (page Observing)
          > create a diary, which observes its own page with old and new
          > diary.page = 2
              page setting, old: 1, new: 2
          > the diary is released
              the diary is gone
        """)
  }
}
