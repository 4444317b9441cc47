import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Findings of kvo-fuzz, each as the smallest program that reproduces it.
///
/// See Documentation/Reliability.md.
@Suite("Findings of the fuzzer")
struct FuzzFindingsTests {
  private let log = ChangeLog()

  @Test("P7 R3 An aggregate registered inside a prior includes the new value")
  func aggregateRegisteredInPrior() throws {
    let element = Particle()
    let list = Particle()
    list.parts = [element]
    var late: KeyValueObservation?
    let token = element.observe(\.mass, options: .prior) { [log] _, _ in
      if late == nil {
        late = list.observe(
          \.parts[sum: \.mass], options: [.old, .new], changeHandler: log.handler("sum"))
      }
    }
    element.mass = 7
    #expect(log.take() == [])
    list.parts.append(element)
    #expect(log.take() == ["sum: setting, old: 7, new: 14"])
    token.invalidate()
    late?.invalidate()
  }

  @Test(
    "N2 An observer registered in the prior of an inherited collection's proxy misses that change")
  func registeredInPriorOfSetter() {
    let special = SpecialParticle()
    var late: KeyValueObservation?
    let token = special.observe(\.parts, options: .prior) { [log] special, _ in
      if late == nil {
        late = special.observe(\.parts, options: .new, changeHandler: log.handler("late"))
      }
    }
    special.mutableArrayValue(for: \.weights).append(1)
    special.mutableArrayValue(for: \.parts).append(Particle())
    #expect(log.take() == [])
    special.parts = []
    #expect(log.take() == ["late: setting, new: []"])
    token.invalidate()
    late?.invalidate()
  }

  @Test("P7 D4 An element that a proxy removes is counted once if a cycle reaches it twice")
  func membershipOfEcho() throws {
    let loop = Particle()
    loop.next = loop
    loop.parts = [loop, loop]
    let token = try loop.observe(
      "next.parts.load", options: .new, changeHandler: log.handler("loads"))
    loop.mutableArrayValue(for: \.parts).remove(at: 0)
    #expect(log.take() == ["loads: setting, new: [0]"])
    loop.mass = 1
    #expect(log.take() == ["loads: setting, new: [1]"])
    token.invalidate()
    loop.next = nil
    loop.parts = []
  }

  @Test("P5 N5 The death of an object that refers weakly to itself notifies once")
  func deathOfWeakLoop() throws {
    let list = Particle()
    var element: Particle? = Particle()
    element?.twin = element
    list.parts = [element].compactMap { $0 }
    element = nil
    let token = try list.observe(
      "parts.@max.twinMass", options: .new, changeHandler: log.handler("max"))
    list.parts = []
    #expect(log.take() == ["max: setting, new: nil"])
    token.invalidate()
  }

  @Test("P5 N5 A weak object's death, caused by a replacement earlier on the path, notifies once")
  func deathBehindAnExchange() throws {
    let list = Particle()
    var leader: Particle? = Particle()
    list.next = leader
    list.twin = leader
    leader?.parts = [list]
    leader = nil
    // The path leads through the leader twice, the second time weakly.
    let tokens = try ["next.mass", "next.parts.twin.mass", "next.parts.twin.load"].map { path in
      try list.observe(path, options: .new, changeHandler: log.handler(path))
    }
    list.next = nil
    #expect(
      log.take() == [
        "next.mass: setting, new: nil", "next.parts.twin.mass: setting, new: nil",
        "next.parts.twin.load: setting, new: nil",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("P7 N5 A remaining element's contribution follows a death during a replacement")
  func deathInsideAnExchange() throws {
    let list = Particle()
    let remaining = Particle()
    var leader: Particle? = Particle()
    leader?.mass = 3
    remaining.twin = leader
    list.parts = [remaining, leader].compactMap { $0 }
    leader = nil
    let token = try list.observe(
      "parts.@sum.twin.mass", options: [.old, .new], changeHandler: log.handler("sum"))
    list.parts = [remaining]
    #expect(log.take() == ["sum: setting, old: 3, new: 0"])
    list.parts.append(Particle())
    #expect(log.take() == ["sum: setting, old: 0, new: 0"])
    token.invalidate()
  }

  @Test("An announced change of a manual key of an unobserved object is rolled back")
  func rollbackOfManualKey() {
    let particle = Particle()
    particle.charge = 1
    #expect(throws: Refusal.self) {
      try particle.performChanges(rollingBack: true) {
        $0.willChangeValue(forKey: "charge")
        $0.charge = 5
        $0.didChangeValue(forKey: "charge")
        throw Refusal()
      }
    }
    #expect(particle.charge == 1)
  }

  @Test("Rolling back an announced change of a computed key reports no violation")
  func rollbackOfComputedKey() {
    ViolationLog.record { violations in
      let particle = Particle()
      let token = particle.observe(\.pull, options: .old) { _, _ in }
      #expect(throws: Refusal.self) {
        try particle.performChanges(rollingBack: true) {
          $0.willChangeValue(forKey: "pull")
          $0.didChangeValue(forKey: "pull")
          throw Refusal()
        }
      }
      #expect(violations.take() == [])
      token.invalidate()
    }
  }

  @Test("M1 A manual pair that begins in a rolled-back part of a transaction notifies at its did")
  func pairOutlivesRollback() {
    let particle = Particle()
    let tokens = [
      particle.observe(\.charge, options: [.old, .new], changeHandler: log.handler("charge")),
      particle.observe(\.pull, options: [.old, .new], changeHandler: log.handler("pull")),
    ]
    KeyValueTransaction.perform {
      #expect(throws: Refusal.self) {
        try particle.performChanges(rollingBack: true) {
          $0.willChangeValue(forKey: "charge")
          throw Refusal()
        }
      }
      particle.charge = 5
      particle.didChangeValue(forKey: "charge")
      #expect(log.take() == ["charge: setting, old: 0, new: 5", "pull: setting, old: 0, new: 10"])
    }
    #expect(log.take() == [])
    for token in tokens { token.invalidate() }
  }

  @Test("A binding that ends while it forwards a value doesn't forward a nested change")
  func bindingEndedWhilePassing() {
    let source = Particle()
    let target = Particle()
    let binding = source.kvo.mass.bind(to: target.kvo.mass)
    let token = target.observe(\.mass) { target, _ in
      guard target.mass == 1 else { return }
      source.mass = 2
      binding.invalidate()
    }
    source.mass = 1
    #expect(source.mass == 2 && target.mass == 1)
    token.invalidate()
  }

  @Test("A two-way binding that ends while it sets a value doesn't write the validated value back")
  func bindingEndedBeforeReturning() {
    let source = Particle()
    let target = Particle()
    let binding = source.kvo.mass.bindTwoWay(to: target.kvo.charge, validates: true)
    let token = source.observe(\.mass) { _, _ in binding.invalidate() }
    target.withChange(of: \.charge) { target.charge = 200 }
    #expect(source.mass == 100 && target.charge == 200)
    token.invalidate()
  }

  @Test("K5 A path through a set's unhashable objects reads a set of the values behind them")
  func setOfUnhashable() throws {
    let badge = Badge()
    let folder = Folder()
    folder.cards = [Card(badge), Card(badge), Card(Badge()), Card(nil)]
    #expect(try folder.value(forKeyPath: "cards.badge.title") as? Set<AnyHashable> == ["none"])
    badge.title = "gold"
    #expect(
      try folder.value(forKeyPath: "cards.badge.title") as? Set<AnyHashable> == ["none", "gold"])
    #expect(try folder.value(forKeyPath: "cards.badge.@count") as? Int == 2)
    let badges = try folder.value(forKeyPath: "cards.badge") as? [Badge] ?? []
    #expect(badges.count == 2 && badges.contains { $0 === badge })
  }

  @Test("N2 An observer registered during a change in a transaction receives the correct old value")
  func registeredInPriorInTransaction() {
    let list = Particle()
    let (first, second) = (Particle(), Particle())
    var late: KeyValueObservation?
    let token = list.observe(\.parts, options: .prior) { list, change in
      guard late == nil, change.isPrior else { return }
      late = list.observe(\.parts, options: .old) { [log] _, change in
        log.note("late: \(change.kind), old: \(change.oldValue?.count ?? -1)")
      }
      list.mutableArrayValue(for: \.parts).append(second)
    }
    list.performChanges { $0.mutableArrayValue(for: \.parts).insert(first, at: 0) }
    #expect(list.parts.count == 2)
    #expect(log.take() == ["late: setting, old: 0"])
    token.invalidate()
    late?.invalidate()
  }

  @Test("K3 R5 Setting by key path doesn't keep an object on the way alive that the set releases")
  func setReleasesObjectOnTheWay() throws {
    let holder = Particle()
    var root: Particle? = Particle()
    weak let observed = root
    root?.twin = holder
    holder.next = root
    let token = try root?.observe(
      "twin.next.mass", options: .new, changeHandler: log.handler("mass"))
    root = nil
    observed?.mass = 1
    #expect(log.take() == ["mass: setting, new: 1"])
    try holder.setValue(nil, forKeyPath: "next.twin.next")
    #expect(log.take() == [])
    #expect(observed == nil)
    token?.invalidate()
  }

  @Test("L1 The violation handler is unchanged after any number of violations")
  func manyViolations() {
    ViolationLog.record { violations in
      let particle = Particle()
      for _ in 0..<100_000 {
        particle.didChangeValue(forKey: "mass")
        _ = violations.take()
      }
    }
  }
}

private struct Refusal: Error {}

@KeyValueObservable
private class Particle {
  var mass = 0
  @NotifiesManually var charge = 0
  @DependsOn("charge") var pull: Int { 2 * charge }
  var next: Particle?
  weak var twin: Particle?
  var parts: [Particle] = []
  var weights: [Int] = []
  func validateMass(_ mass: inout Int) { mass = min(mass, 100) }
  @DependsOn("next.total") var load: Int { next?.total ?? 0 }
  @DependsOn("parts.mass") var total: Int { parts.reduce(0) { $0 + $1.mass } }
  @DependsOn("twin.mass") var twinMass: Int { twin?.mass ?? 0 }
}

@KeyValueObservable
private final class Badge {
  var title = "none"
}

@KeyValueObservable
private final class Card: Hashable {
  var badge: Badge?

  init(_ badge: Badge?) { self.badge = badge }

  static func == (left: Card, right: Card) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Folder {
  var cards: Set<Card> = []
}

@KeyValueObservable
private final class SpecialParticle: Particle {}
