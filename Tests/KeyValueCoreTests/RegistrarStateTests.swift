import KeyValueTestSupport
import Testing

@testable import KeyValueCore

@Suite("RegistrarState")
struct RegistrarStateTests {
  private let properties = KeyValueSchema.schema(of: Person.self).properties.sorted {
    $0.id < $1.id
  }

  private func observance(
    _ options: KeyValueObservingOptions = [], policy: ObservancePolicy? = nil
  ) -> Observance {
    let path = try! ObservedPath(ParsedKeyPath("key"))
    return Observance(path, options: options, policy: policy) { _, _, _ in }
  }

  private func insert(
    _ observance: Observance, _ property: Property, isAutomatic: Bool = true,
    _ state: inout RegistrarState
  ) {
    state.insert(Watch(observance: observance, hop: nil), property, isAutomatic: isAutomatic)
  }

  private func sequences(_ watches: WatchList) -> [UInt64] {
    var sequences: [UInt64] = []
    watches.forEach { sequences.append($0.observance.number) }
    return sequences
  }

  /// The observances that a change of the property notifies.
  private func audience(_ state: RegistrarState, _ id: Int) -> String {
    var state = state
    let storage = ValueStorage(isTrivial: true)
    let registrar = UnsafeMutablePointer<KeyValueRegistrar>.allocate(capacity: 1)
    defer { registrar.deallocate() }
    let bracket = state.bracket(of: id, .passUnretained(storage), at: UnsafePointer(registrar))
    guard let bracket else { return "overlapping" }
    switch bracket.audience {
    case .nobody: return "nobody"
    case .one(let sole):
      // Balances the retain in `bracket`.
      sole.observance.release()
      return "one"
    case .several(let watches): return "\(sequences(watches).count) in a list"
    }
  }

  @Test("Each property has its own watches, in any order of insertion and removal")
  func separate() {
    var state = RegistrarState()
    let observances = properties.map { _ in observance() }
    for index in [3, 0, 5, 1, 4, 2] { insert(observances[index], properties[index], &state) }
    #expect(
      (0..<6).map { sequences(state.watches(of: properties[$0].id)) }
        == observances[..<6].map { [$0.number] })
    #expect(sequences(state.watches(of: properties[6].id)) == [])
    for index in [0, 4, 2] { state.remove(observances[index], nil, id: properties[index].id) }
    #expect(
      (0..<6).map { !state.watches(of: properties[$0].id).isEmpty }
        == [false, true, false, true, false, true])
    for index in [1, 3, 5] { state.remove(observances[index], nil, id: properties[index].id) }
    #expect(state.isEmpty)
  }

  @Test("A single plain observance is stored inline; several, or one with more needs, form a list")
  func sole() async {
    // In its own process, because activity of other tests' threads would count.
    await #expect(processExitsWith: .success) {
      RegistrarStateTests().checkSole()
    }
  }

  private func checkSole() {
    var state = RegistrarState()
    let (first, second) = (observance([.old, .new]), observance())
    let property = properties[0]
    #expect(audience(state, property.id) == "nobody")
    insert(first, property, &state)
    #expect(audience(state, property.id) == "one")
    insert(second, property, &state)
    #expect(audience(state, property.id) == "2 in a list")
    state.remove(first, nil, id: property.id)
    // A list remains a list until it's empty.
    #expect(audience(state, property.id) == "1 in a list")
    state.remove(second, nil, id: property.id)
    for options: KeyValueObservingOptions in [.prior, .elementChanges] {
      let observance = observance(options)
      insert(observance, property, &state)
      #expect(audience(state, property.id) == "1 in a list")
      state.remove(observance, nil, id: property.id)
    }
    #expect(state.isEmpty)
  }

  @Test("Assigning a key that notifies manually notifies no observers")
  func manual() {
    var state = RegistrarState()
    let observance = observance()
    insert(observance, properties[0], isAutomatic: false, &state)
    #expect(audience(state, properties[0].id) == "nobody")
    #expect(sequences(state.watches(of: properties[0].id)) == [observance.number])
  }

  @Test("A property being modified overlaps until the modification ends")
  func modifying() async {
    // In its own process, because activity of other tests' threads would count.
    await #expect(processExitsWith: .success) {
      RegistrarStateTests().checkModifying()
    }
  }

  private func checkModifying() {
    var state = RegistrarState()
    let observance = observance()
    insert(observance, properties[1], &state)
    state.beginModifying(properties[0].id)
    state.beginModifying(properties[1].id)
    #expect(audience(state, properties[0].id) == "overlapping")
    #expect(audience(state, properties[1].id) == "overlapping")
    state.endModifying(properties[1].id)
    state.endModifying(properties[1].id)
    #expect(audience(state, properties[0].id) == "overlapping")
    #expect(audience(state, properties[1].id) == "one")
    state.remove(observance, nil, id: properties[1].id)
    #expect(!state.isEmpty)
    state.endModifying(properties[0].id)
    #expect(state.isEmpty)
  }

  @Test("Several modifications end one at a time, in any order")
  func modifyingSeveral() {
    let ids = properties[..<4].map(\.id)
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      var state = RegistrarState()
      for id in ids { state.beginModifying(id) }
      var modified = Set(ids)
      for index in order {
        state.endModifying(ids[index])
        modified.remove(ids[index])
        #expect(Set(ids.filter { state.isModifying($0) }) == modified)
      }
      #expect(state.isEmpty)
    }
  }

  @Test("Watches added since are those that aren't in the frozen list")
  func late() {
    var state = RegistrarState()
    let (known, late, other) = (observance(), observance(), observance())
    insert(known, properties[0], &state)
    let frozen = state.watches(of: properties[0].id)
    let attachment = RegistrarState.attachmentCount
    #expect(state.watches(of: properties[0].id, since: attachment, besides: frozen).isEmpty)
    insert(late, properties[0], &state)
    insert(other, properties[1], &state)
    let found = state.watches(of: properties[0].id, since: attachment, besides: frozen)
    #expect(found.map(\.observance.number) == [late.number])
  }

  @Test("Ending a pair ends the innermost open pair of its thread and property")
  func pairs() {
    let names = ["outer", "other key", "inner", "elsewhere"]
    let marks = names.map { _ in BoxedBracket(Change(.none, attachment: 0), old: nil) }
    let here = ThreadIdentity.current
    let there = LockedValue<ThreadIdentity?>(nil)
    onAnotherThread { there.withLock { $0 = .current } }
    let elsewhere = there.withLock { $0! }
    var state = RegistrarState()
    for (index, (thread, id)) in [(here, 0), (here, 1), (here, 0), (elsewhere, 0)].enumerated() {
      state.push(.init(thread: thread, id: id, started: marks[index]))
    }
    #expect(state.openPairs == [0, 1, 0, 0] && !state.isEmpty)
    func pop(_ id: Int, _ thread: ThreadIdentity) -> String? {
      let started = state.pop(id, on: thread)?.started
      return marks.firstIndex { $0 === started }.map { names[$0] }
    }
    #expect([pop(0, here), pop(0, here), pop(0, here)] == ["inner", "outer", nil])
    #expect(
      [pop(1, elsewhere), pop(0, elsewhere), pop(1, here)] == [nil, "elsewhere", "other key"])
    #expect(state.isEmpty)
  }

  @Test("Observers are found by key path, with their context or any context, oldest first")
  func observers() {
    final class Observer {}
    let (observer, stranger) = (Observer(), Observer())
    let context = UnsafeMutableRawPointer(bitPattern: 8)
    var index = ObserverIndex()
    let observances = [nil, context, nil, context].map {
      observance(policy: ObservancePolicy(observer: observer, context: $0))
    }
    for observance in observances { index.insert(observance) }
    func found(
      _ observer: AnyObject, _ context: UnsafeMutableRawPointer??, _ keyPath: String = "key"
    ) -> Int? {
      let found = index.first(ObjectIdentifier(observer), keyPath, context: context) { _ in true }
      return observances.firstIndex { $0 === found }
    }
    #expect(
      [found(observer, nil), found(observer, .some(nil)), found(observer, context)] == [0, 0, 1])
    #expect([found(stranger, nil), found(observer, nil, "other")] == [nil, nil])
    for (number, rest) in [(0, [1, 2, 1]), (1, [2, 2, 3]), (2, [3, nil, 3])] as [(Int, [Int?])] {
      observances[number].end()
      index.remove(observances[number])
      #expect(
        [found(observer, nil), found(observer, .some(nil)), found(observer, context)] == rest)
    }
    observances[3].end()
    index.remove(observances[3])
    #expect(index.isEmpty)
  }

  @Test("R5 Observers that have died are dropped while others are added, without a change")
  func deadObservers() throws {
    let person = Person()
    let log = ChangeLog()
    let living = LoggingObserver("living", log)
    try person.addObserver(living, forKeyPath: "age")
    for _ in 0..<1_000 { try person.addObserver(LoggingObserver("dead", log), forKeyPath: "age") }
    let id = try #require(person.schema.property("age")).id
    var count = 0
    person._$kvoWithRegistrar { $0.watches(of: id).0 }.forEach { _ in count += 1 }
    #expect(count <= 34)
    person.age = 1
    #expect(log.take() == ["living age: setting"])
    try person.removeObserver(living, forKeyPath: "age")
  }
}
