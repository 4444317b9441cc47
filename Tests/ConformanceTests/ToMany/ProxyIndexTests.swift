import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Passes a proxy of two numbers to the body; an observer prints when it is notified.
private func observed(_ body: (KeyValueMutableArray<Int>) -> Void) {
  let cabinet = Cabinet()
  cabinet.numbers = [1, 2]
  let token = cabinet.observe(\.numbers, options: [.old, .new, .prior]) { _, _ in print("told") }
  body(cabinet.mutableArrayValue(for: \.numbers))
  token.invalidate()
}

/// Expects a trap with exactly this message, before any observer is notified.
private func expectSilentTrap(
  _ result: ExitTest.Result?, says message: String, at place: SourceLocation = #_sourceLocation
) throws {
  let output = text(try #require(result, sourceLocation: place).standardOutputContent)
  #expect(!output.contains("told"), "\(output)", sourceLocation: place)
  try expectTrap(result, says: message, at: place)
}

@Suite("C7. Indexes out of range")
struct ProxyIndexTests {
  @Test("C7 Inserting past the end or before the beginning traps")
  func insertion() async throws {
    let past = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(9, at: 3) }
    }
    try expectSilentTrap(
      past,
      says: "Cabinet.numbers has 2 elements, so there can be no insertion at 3.")
    let before = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [8, 9], at: -1) }
    }
    try expectSilentTrap(
      before,
      says: "Cabinet.numbers has 2 elements, so there can be no insertion at -1.")
  }

  @Test("C7 Inserting at indexes that leave a gap, or whose number differs, traps")
  func insertionAtIndexes() async throws {
    let gap = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [8, 9], at: RangeSet([0..<1, 4..<5])) }
    }
    try expectSilentTrap(
      gap,
      says: "Cabinet.numbers has 2 elements, so there can be no insertion at 0–4.")
    let few = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [9], at: RangeSet(0..<2)) }
    }
    try expectSilentTrap(
      few,
      says: "1 elements were to be inserted at 2 indexes; give one index for each.")
  }

  @Test("C7 Removing at an index out of range traps")
  func removal() async throws {
    let one = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.remove(at: 2) }
    }
    try expectSilentTrap(
      one,
      says: "Cabinet.numbers has 2 elements, so there can be no removal at 2.")
    let several = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.remove(at: RangeSet([0..<1, 2..<3])) }
    }
    try expectSilentTrap(
      several,
      says: "Cabinet.numbers has 2 elements, so there can be no removal at 0–2.")
    let last = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let playlist = Playlist()
      let token = try playlist.observe("full", options: .prior) { _, _ in print("told") }
      try playlist.mutableArrayValue(forKey: "full").removeLast()
      token.invalidate()
    }
    try expectSilentTrap(
      last,
      says: "Playlist.full has 0 elements, so there can be no removal at -1.")
  }

  @Test("C7 So does removing at the greatest index, and removing a negative number of elements")
  func removalOfNonsense() async throws {
    let notFound = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.remove(at: .max) }
    }
    try expectSilentTrap(
      notFound,
      says: "Cabinet.numbers has 2 elements, so there can be no removal at \(Int.max).")
    let negative = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.removeLast(-1) }
    }
    try expectSilentTrap(
      negative,
      says: "Cabinet.numbers has 2 elements, so there can be no removal at -1 places.")
  }

  @Test("C7 Replacing at an index out of range traps")
  func replacement() async throws {
    let one = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0[2] = 9 }
    }
    try expectSilentTrap(
      one,
      says: "Cabinet.numbers has 2 elements, so there can be no replacement at 2.")
    let range = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.replaceSubrange(1..<3, with: [7]) }
    }
    try expectSilentTrap(
      range,
      says: "Cabinet.numbers has 2 elements, so there can be no replacement at 1–2.")
    let few = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.replace(at: RangeSet(0..<2), with: [7]) }
    }
    try expectSilentTrap(
      few, says: "1 elements were to replace those at 2 indexes; give one for each.")
    let swap = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.swapAt(0, 2) }
    }
    try expectSilentTrap(
      swap,
      says: "Cabinet.numbers has 2 elements, so there can be no replacement at 0–2.")
  }

  @Test("C7 Moving from or to an index out of range traps before the removal is announced")
  func move() async throws {
    let target = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.move(from: 0, to: 2) }
    }
    try expectSilentTrap(
      target,
      says: "Cabinet.numbers has 2 elements, so there can be no insertion at 2.")
    let source = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.move(from: 2, to: 0) }
    }
    try expectSilentTrap(
      source,
      says: "Cabinet.numbers has 2 elements, so there can be no removal at 2.")
  }

  @Test("C7 Reading at an index out of range traps")
  func reading() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { _ = $0[-1] }
    }
    try expectSilentTrap(
      result,
      says: "Cabinet.numbers has 2 elements, so there can be no read at -1.")
  }

  @Test("C7 An element that the collection can't hold traps before any observer is notified")
  func wrongElement() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let cabinet = Cabinet()
      let token = cabinet.observe(\.numbers, options: .prior) { _, _ in print("told") }
      try cabinet.mutableArrayValue(forKey: "numbers").append("one")
      token.invalidate()
    }
    try expectSilentTrap(
      result,
      says: "\"one\" was given to Cabinet.numbers, a collection of Int; convert it to Int first.")
    let missing = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let cabinet = Cabinet()
      let token = cabinet.observe(\.numbers, options: .prior) { _, _ in print("told") }
      try cabinet.mutableArrayValue(forKey: "numbers").append(Int?.none as Any)
      token.invalidate()
    }
    try expectSilentTrap(
      missing,
      says: "nil was given to Cabinet.numbers, a collection of Int, which can't hold nil. Leave it "
        + "out, or declare the elements as Int?.")
  }

  @Test("C7 An element of the wrong type traps also where the collection holds optionals")
  func wrongOptionalElement() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let gaps = Gaps()
      let token = gaps.observe(\.numbers, options: .prior) { _, _ in print("told") }
      try gaps.mutableArrayValue(forKey: "numbers").append("one")
      token.invalidate()
    }
    try expectSilentTrap(
      result,
      says: "\"one\" was given to Gaps.numbers, a collection of Optional<Int>; convert it to "
        + "Optional<Int> first.")
    let gaps = Gaps()
    try gaps.mutableArrayValue(forKey: "numbers").append(2.0)
    #expect(gaps.numbers == [1, nil, 2])
  }

  @Test("C7 A typed proxy of a read-only key traps with the string variant's message")
  func readOnly() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      _ = Cabinet().mutableArrayValue(for: \.sealed)
    }
    try expectSilentTrap(
      result,
      says: "Cabinet.sealed can be read but not set: it has no setter, and the class has no "
        + "insertObject(_:inSealedAt:) and removeObject(fromSealedAt:) to change it through.")
    let guarded = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      _ = Cabinet().mutableArrayValue(for: \.guarded)
    }
    try expectSilentTrap(
      guarded,
      says: "Cabinet.guarded can be read but not set: its setter is private, and the class has no "
        + "insertObject(_:inGuardedAt:) and removeObject(fromGuardedAt:) to change it through.")
  }
}

@KeyValueObservable
private final class Gaps {
  var numbers: [Int?] = [1, nil]
}
