import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("Hop")
struct HopTests {
  @Test("The hop at a path's end may move, however often its property has changed")
  func moving() throws {
    let (person, manager) = (Person(), Person())
    person.manager = manager
    let tokens = [
      try person.observe("manager.account") { _, _ in },
      // What is attached behind the account hears that it will change.
      try manager.observe("account.balance") { _, _ in },
    ]
    let id = try #require(person.schema.property("manager")).id
    var first: Hop?
    person._$kvoWithRegistrar { $0.watches(of: id).0 }.forEach { first = $0.hop }
    let hop = try #require(first)
    #expect(hop.movableNext != nil)
    manager.account = Account()
    #expect(hop.movableNext != nil)
    withExtendedLifetime(tokens) {}
  }
}
