import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("WatchList")
struct WatchListTests {
  private func observance(_ options: KeyValueObservingOptions = []) -> Observance {
    Observance(try! ObservedPath(ParsedKeyPath("key")), options: options, sink: { _, _, _ in })
  }

  private func sequences(_ list: WatchList) -> [UInt64] {
    var sequences: [UInt64] = []
    list.forEach { sequences.append($0.observance.number) }
    return sequences
  }

  @Test("Watches are in registration order, even if inserted out of order")
  func order() {
    let observances = (0..<6).map { _ in observance() }
    var list = WatchList.none
    for index in [3, 0, 5, 1, 4, 2] { list.insert(Watch(observance: observances[index], hop: nil)) }
    #expect(sequences(list) == observances.map(\.number))
  }

  @Test("A copy is unaffected by later insertions and removals")
  func frozen() {
    let observances = (0..<4).map { _ in observance() }
    var list = WatchList.none
    for observance in observances[..<3] { list.insert(Watch(observance: observance, hop: nil)) }
    let copy = list
    list.remove(observances[1], nil)
    list.insert(Watch(observance: observances[3], hop: nil))
    #expect(sequences(copy) == observances[..<3].map(\.number))
    #expect(sequences(list) == [0, 2, 3].map { observances[$0].number })
  }

  @Test("A copy is unaffected by later insertions")
  func frozenBeforeInsertion() {
    let observances = (0..<3).map { _ in observance() }
    var list = WatchList.none
    for (count, observance) in observances.enumerated() {
      let copy = list
      list.insert(Watch(observance: observance, hop: nil))
      #expect(sequences(copy) == observances[..<count].map(\.number))
    }
    let copy = list
    list.insert(Watch(observance: observance(), hop: nil))
    #expect(sequences(copy) == observances.map(\.number))
  }

  @Test("Removing watches in any order keeps the others in order, and leaves an empty list")
  func removal() {
    let observances = (0..<100).map { _ in observance() }
    var list = WatchList.none
    for observance in observances { list.insert(Watch(observance: observance, hop: nil)) }
    // A fixed permutation: 37 has no factor in common with 100.
    var left = Set(0..<100)
    for step in 0..<100 {
      let index = step * 37 % 100
      list.remove(observances[index], nil)
      left.remove(index)
      #expect(sequences(list) == left.sorted().map { observances[$0].number })
    }
    #expect(list.isEmpty)
  }

  /// Hops at one property, as if attached one after another.
  private func hops(_ count: Int) throws -> [Hop] {
    let person = Person()
    let schema = person.schema
    let property = try #require(schema.property("age"))
    let traits = schema.traits(of: property)
    let path = try ParsedKeyPath("age").components
    return (1...count).map { number in
      let hop = Hop(
        object: person, schema, storage: nil, property: property, parent: nil, isSource: false,
        path: path, index: 0, isLenient: false, isElement: false, endsObservedPath: true, traits,
        observed: [], evaluated: [])
      hop.attachment = UInt64(number)
      return hop
    }
  }

  private func attachments(_ list: WatchList) -> [UInt64] {
    var attachments: [UInt64] = []
    list.forEach { attachments.append($0.attachment) }
    return attachments
  }

  @Test(
    "One observance's watches are removed in any order, and stay in the order of attaching",
    arguments: [1, 99, 37])
  func oneObservance(step: Int) throws {
    let observances = (0..<3).map { _ in observance() }
    let hops = try hops(101)
    var list = WatchList.none
    list.insert(Watch(observance: observances[0], hop: nil))
    for hop in hops[..<100] { list.insert(Watch(observance: observances[1], hop: hop)) }
    list.insert(Watch(observance: observances[2], hop: nil))
    var left = Set(0..<100)
    // Oldest first, newest first, and mixed: none of the steps has a factor in common with 100.
    for number in 0..<100 {
      if number == 60 {
        list.insert(Watch(observance: observances[1], hop: hops[100]))
        left.insert(100)
      }
      let index = number * step % 100
      list.remove(observances[1], hops[index])
      left.remove(index)
      #expect(attachments(list) == [0] + left.sorted().map { UInt64($0) + 1 } + [0])
    }
    list.remove(observances[1], hops[100])
    #expect(sequences(list) == [observances[0].number, observances[2].number])
  }

  /// With a cost that grows, it would take minutes.
  @Test(
    "One observance's many watches are removed without growing cost",
    .timeLimit(.minutes(TestVolume.patience)),
    arguments: [true, false])
  func manyOfOneObservance(isOldestFirst: Bool) throws {
    let observance = observance()
    let hops = try hops(TestVolume.either(200_000, few: 20_000))
    var list = WatchList.none
    for hop in hops { list.insert(Watch(observance: observance, hop: hop)) }
    for hop in isOldestFirst ? hops : hops.reversed() { list.remove(observance, hop) }
    #expect(list.isEmpty)
  }

  @Test("Removing an absent watch changes nothing")
  func absent() {
    let present = observance()
    var list = WatchList.one(Watch(observance: present, hop: nil))
    list.remove(observance(), nil)
    #expect(sequences(list) == [present.number])
  }

  @Test("The list's needs are those of the remaining watches, in any order of removal")
  func needs() {
    let options: [KeyValueObservingOptions] = [
      [], .old, .new, [.old, .new], .prior, .elementChanges,
    ]
    let observances = (0..<60).map { observance(options[$0 * 7 % 6]) }
    var list = WatchList.none
    for observance in observances { list.insert(Watch(observance: observance, hop: nil)) }
    var left = Set(0..<60)
    for step in 0..<60 {
      // From the front, the back and the middle in turn.
      let index = left.sorted()[[0, left.count - 1, left.count / 2][step % 3]]
      list.remove(observances[index], nil)
      left.remove(index)
      let expected = left.reduce(into: Needs()) { $0.formUnion(Needs(observances[$1].options)) }
      #expect(list.needs == expected)
    }
  }
}
