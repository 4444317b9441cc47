import KeyValueObserving
import KeyValueTestSupport
import Testing

@testable import KeyValueCore

/// A link whose sum depends on what the link before it leads to: the link itself.
@KeyValueObservable
private final class Link {
  var value = 0
  var next: Link?
  weak var previous: Link?

  @DependsOn("value", "previous.next.value")
  var sum: Int { value + (previous?.next?.value ?? 0) }
}

@Suite("Hop")
struct HopTests {
  /// The hops at a property of an object, in the order of their watches.
  private func hops(_ object: some KeyValueObservable, _ key: String) throws -> [Hop] {
    let id = try #require(object.schema.property(key)).id
    var hops: [Hop] = []
    object._$kvoWithRegistrar { $0.watches(of: id).0 }.forEach { watch in
      if let hop = watch.hop { hops.append(hop) }
    }
    return hops
  }

  @Test("The hops at one property are numbered in the order of attaching")
  func numbers() throws {
    let (first, second) = (Link(), Link())
    first.next = second
    second.previous = first
    let token = try first.observe("next.sum") { _, _ in }
    let numbers = try hops(first, "next").map(\.attachment)
    #expect(numbers.count == 2 && Set(numbers).count == 2)
    #expect(numbers == numbers.sorted())
    withExtendedLifetime(token) {}
  }

  @Test("Echoes that are replaced, while what they echo stays, don't pile up")
  func echoes() throws {
    let (first, second) = (Link(), Link())
    first.next = second
    second.previous = first
    let token = try first.observe("next.sum") { _, _ in }
    let hop = try hops(first, "next")[0]
    #expect(hop.echoes.count == 1)
    for _ in 0..<1_000 { second.previous = first }
    #expect(hop.echoes.count <= 8)
    #expect(hop.echoes.count { $0.isLive } == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The hop at a path's end may move, however often its property has changed")
  func moving() throws {
    let (person, manager) = (Person(), Person())
    person.manager = manager
    let tokens = [
      try person.observe("manager.account") { _, _ in },
      // What is attached behind the account hears that it will change.
      try manager.observe("account.balance") { _, _ in },
    ]
    let hop = try hops(person, "manager")[0]
    #expect(hop.movableNext != nil)
    manager.account = Account()
    #expect(hop.movableNext != nil)
    withExtendedLifetime(tokens) {}
  }
}
