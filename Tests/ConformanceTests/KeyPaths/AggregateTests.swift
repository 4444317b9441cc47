import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Price {
  var amount: Decimal?
  var weight: Double
  var anything: Any?

  init(_ amount: Decimal? = nil, weight: Double = 0) {
    self.amount = amount
    self.weight = weight
  }
}

@KeyValueObservable
private final class Basket {
  var prices: [Price] = []
}

/// An element that runs a closure while one of its keys is read.
@KeyValueObservable
private final class Teller {
  var count = 1
  @KeyValueIgnored var onRead: (() -> Void)?

  @DependsOn("count")
  var reading: Int {
    let reading = count
    onRead?()
    return reading
  }
}

@KeyValueObservable
private final class Tellers {
  var tellers: [Teller]

  init(_ tellers: [Teller]) {
    self.tellers = tellers
  }
}

@KeyValueObservable
private final class Tag {
  weak var price: Price?

  init(_ price: Price?) {
    self.price = price
  }
}

@KeyValueObservable
private final class Rack {
  var tags: [Tag]

  init(_ tags: [Tag]) {
    self.tags = tags
  }
}

@KeyValueObservable
private final class Folder: Comparable {
  var children: [Folder] = []
  weak var parent: Folder?

  static func == (left: Folder, right: Folder) -> Bool { left === right }
  static func < (left: Folder, right: Folder) -> Bool { left.children.count < right.children.count }
}

@KeyValueObservable
private final class Tally {
  var signed: Int128 = 0
  var unsigned: UInt128 = 0
}

@KeyValueObservable
private final class Tallies {
  var tallies: [Tally]

  init(_ tallies: [Tally]) {
    self.tallies = tallies
  }
}

/// An element with keys that depend on the collection that it's in.
@KeyValueObservable
private final class Partner {
  var salary: Int
  weak var firm: Partnership?

  @DependsOn("salary", "firm.partners")
  var share: Int { salary + headcount(of: firm?.partners) }
  @DependsOn("firm.partners")
  var successor: Partner? { last(of: firm?.partners) }
  var prospect: Int { successor?.salary ?? 0 }

  @DependsOn("salary", "firm.seniors")
  var rank: Int { salary + headcount(of: firm?.seniors) }
  @DependsOn("firm.seniors.salary")
  var pool: Int { firm?.seniors.reduce(0) { $0 + $1.salary } ?? 0 }

  init(_ salary: Int, _ firm: Partnership) {
    self.salary = salary
    self.firm = firm
  }
}

@KeyValueObservable
private final class Partnership {
  var partners: [Partner] = []
  var least = 0
  var seniors: [Partner] { partners.filter { $0.salary >= least } }
}

private func headcount(of partners: [Partner]?) -> Int { partners?.count ?? 0 }

private func last(of partners: [Partner]?) -> Partner? { partners?.last }

/// An element with keys that depend on another collection, and on an object that only this collection retains.
@KeyValueObservable
private final class Sailor {
  var age: Int
  weak var ship: Ship?
  weak var guest: Passenger?

  @DependsOn("age", "ship.passengers", "guest.weight")
  var share: Int { age + count(ship?.passengers) + (guest?.weight ?? 0) }
  @DependsOn("age", "ship.passengers", "ship.crew.guest.weight")
  var around: Int { age + count(ship?.passengers) + weights(of: ship?.crew) }

  init(_ age: Int, _ ship: Ship) {
    self.age = age
    self.ship = ship
  }
}

@KeyValueObservable
private final class Passenger {
  var weight: Int

  init(_ weight: Int) {
    self.weight = weight
  }
}

@KeyValueObservable
private final class Ship {
  var crew: [Sailor] = []
  var passengers: [Passenger] = []
}

private func count(_ passengers: [Passenger]?) -> Int { passengers?.count ?? 0 }

private func weights(of crew: [Sailor]?) -> Int {
  (crew ?? []).reduce(0) { $0 + ($1.guest?.weight ?? 0) }
}

/// A hashable object whose death runs a closure.
private final class Mark: Hashable {
  private let onDeath: () -> Void

  init(onDeath: @escaping () -> Void) {
    self.onDeath = onDeath
  }

  deinit { onDeath() }

  static func == (left: Mark, right: Mark) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Parcel {
  var mark: AnyHashable

  init(_ mark: AnyHashable) {
    self.mark = mark
  }
}

@KeyValueObservable
private final class Pile {
  var parcels: [Parcel]

  init(_ parcels: [Parcel]) {
    self.parcels = parcels
  }
}

@Suite("P7. Maintained aggregates")
struct AggregateTests {
  private let log = ChangeLog()
  private let basket = Basket()

  /// Observes an operator's path and keeps the last value delivered.
  private final class Latest {
    var value: Any?
    var token: KeyValueObservation?

    init(_ object: some KeyValueObservable, _ keyPath: String) throws {
      token = try object.observe(keyPath, options: [.initial, .new]) { [unowned self] _, change in
        value = change.newValue ?? nil
      }
    }
  }

  @Test("P7 A floating-point sum doesn't drift over thousands of updates")
  func noDrift() throws {
    let sum = try Latest(basket, "prices.@sum.weight")
    let average = try Latest(basket, "prices.@avg.weight")
    basket.prices = [Price(weight: 0.1), Price(weight: 0.2), Price(weight: 0.3)]
    var generator = SeededGenerator(seed: 3)
    let changing = Price(weight: 1e16)
    basket.prices.append(changing)
    for _ in 0..<5_000 {
      changing.weight = Double.random(in: -1e16...1e16, using: &generator)
    }
    for exponent in [300, -300, 15, -15] {
      changing.weight = Double(sign: .plus, exponent: exponent, significand: 1.1)
      changing.weight = -changing.weight
    }
    basket.mutableArrayValue(for: \.prices).removeLast()
    #expect(sum.value as? Double == 0.6)
    #expect(average.value as? Double == 0.6 / 3)
  }

  @Test("P7 Infinities and NaN leave no trace after they are replaced")
  func infinities() throws {
    let (sum, least, most) = (
      try Latest(basket, "prices.@sum.weight"), try Latest(basket, "prices.@min.weight"),
      try Latest(basket, "prices.@max.weight")
    )
    let prices = [1, 2, 5, 3, 7].map { Price(weight: $0) }
    basket.prices = prices
    prices[1].weight = .infinity
    #expect(sum.value as? Double == .infinity)
    #expect(most.value as? Double == .infinity)
    prices[0].weight = -.infinity
    #expect((sum.value as? Double)?.isNaN == true)
    prices[1].weight = 2
    #expect(sum.value as? Double == -.infinity)
    prices[0].weight = 1
    #expect([sum, least, most].map { $0.value as? Double } == [18, 1, 7])
    prices[1].weight = .nan
    #expect((sum.value as? Double)?.isNaN == true)
    prices[3].weight = 0.5
    prices[0].weight = 9
    prices[1].weight = 8
    #expect([sum, least, most].map { $0.value as? Double } == [29.5, 0.5, 9])
  }

  @Test("P7 Extrema are correct after NaN is set and replaced, in any order")
  func notANumber() throws {
    let (least, most) = (
      try Latest(basket, "prices.@min.weight"), try Latest(basket, "prices.@max.weight")
    )
    let prices = (0..<12).map { Price(weight: Double($0)) }
    basket.prices = prices
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let price = prices.randomElement(using: &generator) ?? prices[0]
      price.weight =
        Bool.random(using: &generator) ? .nan : Double(Int.random(in: 0..<100, using: &generator))
      let numbers = prices.map(\.weight).filter { !$0.isNaN }
      #expect(least.value as? Double == numbers.min())
      #expect(most.value as? Double == numbers.max())
      #expect(try basket.value(forKeyPath: "prices.@max.weight") as? Double == numbers.max())
    }
    for (index, price) in prices.enumerated() { price.weight = Double(index) }
    #expect(least.value as? Double == 0)
    #expect(most.value as? Double == 11)
  }

  @Test("P7 An element that changes while its value is read counts with the newer value")
  func changesWhileRead() throws {
    let teller = Teller()
    let tellers = [teller, Teller()]
    let owner = Tellers(tellers)
    let sum = try Latest(owner, "tellers.@sum.reading")
    let most = try Latest(owner, "tellers.@max.reading")
    teller.onRead = {
      teller.onRead = nil
      teller.count = 10
    }
    teller.count = 5
    #expect(teller.onRead == nil && teller.reading == 10)
    owner.tellers[1].count = 2
    #expect([sum.value, most.value].map { $0 as? Int } == [12, 10])
  }

  /// Expects the value that key-value coding reads, after each step.
  private func expectReadValues(
    _ firm: Partnership, _ keyPath: String, _ steps: [(String, () -> Void)]
  ) throws {
    let latest = try Latest(firm, keyPath)
    for (name, step) in steps {
      step()
      let read = try firm.value(forKeyPath: keyPath)
      #expect(described(latest.value) == described(read), "\(keyPath) after \(name)")
    }
  }

  @Test(
    "P7 D2 A key that depends on the collection itself is read in every element when that changes",
    arguments: ["@sum", "@avg", "@min", "@max", "@unionOfObjects"], ["share", "prospect"])
  func dependsOnCollection(operation: String, key: String) throws {
    let firm = Partnership()
    firm.partners = [Partner(10, firm), Partner(20, firm)]
    let proxy = firm.mutableArrayValue(for: \.partners)
    try expectReadValues(
      firm, "partners.\(operation).\(key)",
      [
        ("append through the proxy", { proxy.append(Partner(30, firm)) }),
        ("a change of the last", { firm.partners[2].salary = 31 }),
        ("append", { firm.partners.append(Partner(40, firm)) }),
        ("a change of the new last", { firm.partners[3].salary = 41 }),
        ("assigned", { firm.partners = firm.partners.reversed() }),
        ("remove through the proxy", { proxy.remove(at: 3) }),
        ("removeFirst", { firm.partners.removeFirst() }),
        (
          "a transaction",
          {
            firm.performChanges {
              $0.partners.append(Partner(50, firm))
              proxy.insert(Partner(60, firm), at: 0)
              $0.partners[1].salary = 1
            }
          }
        ),
        ("a change afterwards", { firm.partners.last?.salary = 51 }),
        ("removeAll", { firm.partners.removeAll() }),
      ])
    #expect(firm.isIdle)
  }

  @Test("P7 The value told after an append has what the other elements gain by it")
  func sumOfShares() {
    let firm = Partnership()
    firm.partners = [Partner(10, firm), Partner(20, firm)]
    let token = firm.observe(
      \.partners[sum: \.share], options: [.old, .new], changeHandler: log.handler("shares"))
    firm.mutableArrayValue(for: \.partners).append(Partner(30, firm))
    #expect(log.take() == ["shares: setting, old: 34, new: 69"])
    token.invalidate()
  }

  @Test(
    "P7 D2 A key that depends on the computed collection itself is read when a source of that changes",
    arguments: ["@sum", "@max", "@unionOfObjects"], ["rank", "pool"])
  func dependsOnComputedCollection(operation: String, key: String) throws {
    let firm = Partnership()
    firm.partners = [10, 20, 30].map { Partner($0, firm) }
    let proxy = firm.mutableArrayValue(for: \.partners)
    try expectReadValues(
      firm, "seniors.\(operation).\(key)",
      [
        ("one less", { firm.least = 15 }), ("one more", { firm.least = 5 }),
        ("an element's source", { firm.partners[0].salary = 1 }),
        ("append", { proxy.append(Partner(40, firm)) }),
        ("a change of the new one", { firm.partners[3].salary = 41 }),
        ("two less", { firm.least = 25 }), ("removal", { firm.partners.removeLast() }),
        ("death in a change in place", { firm.partners.replaceSubrange(1..., with: []) }),
        ("death of the rest", { firm.partners.removeAll() }),
      ])
    #expect(firm.isIdle)
  }

  @Test(
    "P7 An element's part that dies in a change in place is left to the end of the change",
    arguments: ["crew.@sum.share", "crew.@max.share", "crew.@sum.around"])
  func partDiesInChange(keyPath: String) throws {
    let ship = Ship()
    ship.crew = [Sailor(1, ship), Sailor(2, ship)]
    for salary in [10, 20] {
      ship.passengers.append(Passenger(salary))
      ship.crew[ship.passengers.count - 1].guest = ship.passengers.last
    }
    let token = try ship.observe(
      keyPath, options: [.old, .new], changeHandler: log.handler("value"))
    let before = described(try ship.value(forKeyPath: keyPath))
    ship.passengers.removeAll()
    let after = described(try ship.value(forKeyPath: keyPath))
    #expect(before != after)
    #expect(log.take() == ["value: setting, old: \(before), new: \(after)"])
    ship.crew.removeLast()
    let last = described(try ship.value(forKeyPath: keyPath))
    #expect(log.take() == ["value: setting, old: \(after), new: \(last)"])
    token.invalidate()
    #expect(ship.isIdle)
  }

  @Test("P7 P5 A weakly referenced part of an element stops counting when it dies")
  func weakPart() throws {
    let kept = Price(weight: 3)
    var heavy: Price? = Price(weight: 40)
    let tags = [heavy, kept].map { Tag($0) }
    let rack = Rack(tags)
    let sum = try Latest(rack, "tags.@sum.price.weight")
    let most = try Latest(rack, "tags.@max.price.weight")
    #expect([sum.value, most.value].map { $0 as? Double } == [43, 40])
    heavy = nil
    #expect([sum.value, most.value].map { $0 as? Double } == [3, 3])
    #expect(heavy == nil)
    withExtendedLifetime(kept) {}
  }

  @Test(
    "P7 R5 An operator whose value is made of objects keeps none of them alive",
    arguments: ["@unionOfObjects", "@distinctUnionOfObjects", "@min", "@max"])
  func keepsNoObject(operation: String) throws {
    var root: Folder? = Folder()
    let leaf = Folder()
    leaf.parent = root
    root?.children = [leaf]
    let token = try root?.observe("children.\(operation).parent") { _, _ in }
    weak let former = root
    root = nil
    #expect(former == nil)
    #expect(token?.isValid == false)
  }

  @Test("P7 N10 The death of a value that leaves a union of AnyHashable may change another element")
  func dyingValue() throws {
    let two = Parcel(2)
    let one = Parcel(AnyHashable(Mark { two.mark = 3 }))
    let pile = Pile([one, two])
    let token = try pile.observe(
      "parcels.@unionOfObjects.mark", options: .new, changeHandler: log.handler("marks"))
    one.mark = 1
    #expect(log.take() == ["marks: setting, new: [1, 3]", "marks: setting, new: [1, 3]"])
    token.invalidate()
    #expect(isIdle(pile, one, two))
  }

  @Test("P7 K6 A typed sum of 128-bit integers has their type, as far as that holds it")
  func wideIntegers() {
    let (one, two) = (Tally(), Tally())
    let owner = Tallies([one, two])
    let options: KeyValueObservingOptions = [.old, .new]
    let tokens = [
      owner.observe(
        \.tallies[sum: \.signed], options: options, changeHandler: log.handler("signed")),
      owner.observe(
        \.tallies[sum: \.unsigned], options: options, changeHandler: log.handler("unsigned")),
    ]
    one.signed = Int128.max
    two.signed = -1
    two.signed = Int128.min
    one.unsigned = UInt128.max - 1
    two.unsigned = 1
    one.unsigned = 0
    #expect(
      log.take() == [
        "signed: setting, old: 0, new: \(Int128.max)",
        "signed: setting, old: \(Int128.max), new: \(Int128.max - 1)",
        "signed: setting, old: \(Int128.max - 1), new: -1",
        "unsigned: setting, old: 0, new: \(UInt128.max - 1)",
        "unsigned: setting, old: \(UInt128.max - 1), new: \(UInt128.max)",
        "unsigned: setting, old: \(UInt128.max), new: 1",
      ])
    two.unsigned = UInt128.max
    #expect(owner.kvo.tallies[sum: \.signed].value == -1)
    #expect(owner.kvo.tallies[sum: \.unsigned].value == UInt128.max)
    for token in tokens { token.invalidate() }
    #expect(isIdle(owner, one, two))
  }

  @Test("P7 Decimal aggregates stay exact through thousands of updates, including nil")
  func decimals() throws {
    let sum = try Latest(basket, "prices.@sum.amount")
    let most = try Latest(basket, "prices.@max.amount")
    let cent = try #require(Decimal(string: "0.01"))
    basket.prices = (0..<10).map { _ in Price(cent) } + [Price(nil)]
    for number in 0..<2_000 {
      basket.prices[number % 10].amount = cent * Decimal(number)
    }
    basket.prices[10].amount = Decimal(string: "1e20")
    #expect(most.value as? Decimal == Decimal(string: "1e20"))
    basket.prices[10].amount = nil
    // The sum of 1990 to 1999, in cents.
    #expect(sum.value as? Decimal == Decimal(string: "199.45"))
    #expect(most.value as? Decimal == Decimal(string: "19.99"))
    for price in basket.prices { price.amount = nil }
    #expect(described(sum.value) == "0")
    #expect(most.value == nil)
    let typed = KeyValuePath<Basket, Decimal>(\.prices[sum: \.amount])
    var values: [Decimal?] = []
    let token = basket.observe(typed, options: .new) { _, change in values.append(change.newValue) }
    basket.prices[0].amount = cent
    basket.prices.removeFirst()
    #expect(values == [cent, 0])
    token.invalidate()
  }

  @Test("P7 A Decimal that isn't a number, or that makes the sum inexact, leaves no trace")
  func inexactDecimals() throws {
    let sum = try Latest(basket, "prices.@sum.amount")
    let average = try Latest(basket, "prices.@avg.amount")
    let prices = [Price(2), Price(Decimal.nan)]
    basket.prices = prices
    #expect((sum.value as? Decimal)?.isNaN == true)
    prices[1].amount = 3
    #expect(sum.value as? Decimal == 5)
    #expect(average.value as? Double == 2.5)
    // Once no such number is left, the sum is maintained again.
    for price in prices { price.amount = nil }
    #expect(described(sum.value) == "0")
    let (large, small) = (Decimal(string: "1e30"), Decimal(string: "1e-10"))
    prices[0].amount = large
    prices[1].amount = small
    prices[0].amount = 0
    #expect(sum.value as? Decimal == small)
    // The sum of all three is exact, but not that of the two that are left.
    for price in prices { price.amount = nil }
    basket.prices.append(Price(large.map { -$0 }))
    prices[0].amount = large
    prices[1].amount = small
    #expect(sum.value as? Decimal == small)
    basket.prices.removeLast()
    prices[0].amount = nil
    #expect(sum.value as? Decimal == small)
  }

  @Test("P7 An average is finite though the sum isn't, and a sum beyond 128 bits is still exact")
  func exceeding() throws {
    let (sum, average) = (
      try Latest(basket, "prices.@sum.weight"), try Latest(basket, "prices.@avg.weight")
    )
    basket.prices = [Price(weight: 1e308), Price(weight: 1e308)]
    #expect(sum.value as? Double == .infinity)
    #expect(average.value as? Double == 1e308)
    basket.prices.append(Price(weight: -.infinity))
    #expect(average.value as? Double == -.infinity)
    basket.prices.removeLast()
    #expect(average.value as? Double == 1e308)
    basket.prices = [Price(), Price(), Price()]
    try ViolationLog.record { _ in
      let sum = try Latest(basket, "prices.@sum.anything")
      let average = try Latest(basket, "prices.@avg.anything")
      let largest = UInt128.max
      for price in basket.prices { price.anything = largest }
      #expect(sum.value == nil)
      #expect(average.value as? Double == 0x1p128)
      for price in basket.prices { price.anything = Int128.min }
      #expect(average.value as? Double == -0x1p127)
      basket.prices[0].anything = Int128.max
      basket.prices[1].anything = 3
      #expect(sum.value as? Int == 2)
      let price = basket.prices[0]
      basket.prices = [price, price]
      #expect(sum.value == nil)
      #expect(average.value as? Double == 0x1p127)
      price.anything = 4
      price.anything = Int128.min
      price.anything = 4
      #expect(sum.value as? Int == 8)
    }
  }

  @Test("P7 nil leaves count as rule K6 defines, while they are set and cleared")
  func missing() throws {
    let (sum, average, least) = (
      try Latest(basket, "prices.@sum.anything"), try Latest(basket, "prices.@avg.anything"),
      try Latest(basket, "prices.@min.anything")
    )
    let prices = [Price(), Price()]
    basket.prices = prices
    func values() -> String {
      [sum, average, least].map { described($0.value) }.joined(separator: " ")
    }
    #expect(values() == "0 0.0 nil")
    prices[0].anything = 4
    #expect(values() == "4 2.0 4")
    prices[1].anything = 0.5
    #expect(values() == "4.5 2.25 0.5")
    prices[0].anything = nil
    #expect(values() == "0.5 0.25 0.5")
    prices[1].anything = 2
    #expect(values() == "2 1.0 2")
    basket.prices = []
    #expect(values() == "0 0.0 nil")
  }

  @Test(
    "P7 An observed aggregate equals the value that key-value coding reads, for every kind of value",
    arguments: ["@sum", "@avg", "@min", "@max"])
  func agreement(operation: String) throws {
    let kinds: [[Any?]] = [
      [1, 2, nil], [1, 2.5, UInt8(3)], [true, false], ["b", "a"], [1, "a"], [nil, nil],
      [Int.max, Int.max, 1], [Float(0.1), 0.2], [Frame(), 1], [Int.max, 1, -5.0],
    ]
    let keyPath = "prices.\(operation).anything"
    for values in kinds {
      basket.prices = []
      let latest = try Latest(basket, keyPath)
      let proxy = basket.mutableArrayValue(for: \.prices)
      for value in values {
        let price = Price()
        proxy.append(price)
        price.anything = value
        #expect(
          described(latest.value) == described(try? basket.value(forKeyPath: keyPath)),
          "\(operation) of \(basket.prices.map { described($0.anything) })")
      }
      while !proxy.isEmpty {
        proxy.removeFirst()
        #expect(
          described(latest.value) == described(try? basket.value(forKeyPath: keyPath)),
          "\(operation) of \(basket.prices.map { described($0.anything) })")
      }
    }
  }

  @Test("P7 An element counts once per occurrence, through every way to change the array")
  func multiplicity() throws {
    let (sum, average) = (
      try Latest(basket, "prices.@sum.weight"), try Latest(basket, "prices.@avg.weight")
    )
    let (one, two) = (Price(weight: 1), Price(weight: 2))
    let proxy = basket.mutableArrayValue(for: \.prices)
    proxy.append(contentsOf: [one, one, two])
    #expect(sum.value as? Double == 4)
    one.weight = 3
    #expect(sum.value as? Double == 8)
    proxy[2] = one
    #expect(sum.value as? Double == 9)
    proxy.replaceSubrange(0..<2, with: [two, two])
    #expect(sum.value as? Double == 7)
    proxy.swapAt(0, 2)
    proxy.move(from: 0, to: 2)
    #expect(sum.value as? Double == 7)
    basket.prices += [one, two, one]
    #expect(sum.value as? Double == 15)
    #expect(average.value as? Double == 2.5)
    basket.prices.removeAll { $0 === one }
    #expect(sum.value as? Double == 6)
    proxy.remove(at: RangeSet([0..<1, 2..<3]))
    #expect(sum.value as? Double == 2)
    proxy.removeAll()
    #expect(described(sum.value) == "0")
  }
}
