import KeyValueObserving
import KeyValueTestSupport
import Testing

/// A cabinet with two numbers, whose observer says so when it is told of anything.
private func observed(_ body: (KeyValueMutableArray<Int>) -> Void) {
  let cabinet = Cabinet()
  cabinet.numbers = [1, 2]
  let token = cabinet.observe(\.numbers, options: [.old, .new, .prior]) { _, _ in print("told") }
  body(cabinet.mutableArrayValue(for: \.numbers))
  token.invalidate()
}

/// The trap's words, where nobody was told of anything before it.
private func words(_ result: ExitTest.Result?) throws -> String {
  let result = try #require(result)
  let output = text(result.standardOutputContent)
  #expect(!output.contains("told"), "\(output)")
  return text(result.standardErrorContent)
}

@Suite("C7. Indexes out of range")
struct ProxyIndexTests {
  @Test("C7 inserting past the end, and before the beginning")
  func insertion() async throws {
    let past = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(9, at: 3) }
    }
    #expect(
      try words(past).contains("Cabinet.numbers has 2 elements, so there can be no insertion at"))
    let before = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [8, 9], at: -1) }
    }
    #expect(
      try words(before).contains("Cabinet.numbers has 2 elements, so there can be no insertion at"))
  }

  @Test("C7 inserting at indexes that would not be contiguous, or are not as many")
  func insertionAtIndexes() async throws {
    let gap = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [8, 9], at: RangeSet([0..<1, 4..<5])) }
    }
    #expect(
      try words(gap).contains(
        "Cabinet.numbers has 2 elements, so there can be no insertion at"))
    let few = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.insert(contentsOf: [9], at: RangeSet(0..<2)) }
    }
    #expect(try words(few).contains("1 elements were to be inserted at 2 indexes"))
  }

  @Test("C7 removing what is not there")
  func removal() async throws {
    let one = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.remove(at: 2) }
    }
    #expect(try words(one).contains("Cabinet.numbers has 2 elements, so there can be no"))
    let several = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.remove(at: RangeSet([0..<1, 2..<3])) }
    }
    #expect(
      try words(several).contains("Cabinet.numbers has 2 elements, so there can be no removal at"))
    let last = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let playlist = Playlist()
      let token = try playlist.observe("full", options: .prior) { _, _ in print("told") }
      try playlist.mutableArrayValue(forKey: "full").removeLast()
      token.invalidate()
    }
    #expect(try words(last).contains("Playlist.full has 0 elements, so there can be no"))
  }

  @Test("C7 replacing what is not there")
  func replacement() async throws {
    let one = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0[2] = 9 }
    }
    #expect(
      try words(one).contains("Cabinet.numbers has 2 elements, so there can be no replacement at 2")
    )
    let range = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.replaceSubrange(1..<3, with: [7]) }
    }
    #expect(
      try words(range).contains("Cabinet.numbers has 2 elements, so there can be no replacement at")
    )
    let swap = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.swapAt(0, 2) }
    }
    #expect(
      try words(swap).contains("Cabinet.numbers has 2 elements, so there can be no replacement at"))
  }

  @Test("C7 moving from or to where nothing is: not even the removal is announced")
  func move() async throws {
    let target = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.move(from: 0, to: 2) }
    }
    #expect(
      try words(target).contains(
        "Cabinet.numbers has 2 elements, so there can be no insertion at 2"))
    let source = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { $0.move(from: 2, to: 0) }
    }
    #expect(try words(source).contains("Cabinet.numbers has 2 elements, so there can be no"))
  }

  @Test("C7 reading what is not there")
  func reading() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      observed { _ = $0[-1] }
    }
    #expect(
      try words(result).contains("Cabinet.numbers has 2 elements, so there can be no read at"))
  }

  @Test("C7 an element that the collection cannot hold traps before anybody is told")
  func wrongElement() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      let cabinet = Cabinet()
      let token = cabinet.observe(\.numbers, options: .prior) { _, _ in print("told") }
      try cabinet.mutableArrayValue(forKey: "numbers").append("one")
      token.invalidate()
    }
    #expect(try words(result).contains("\"one\" was given to a collection of Int"))
  }

  @Test("C7 a typed proxy of what cannot be set traps with the words of the string variant")
  func readOnly() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      _ = Cabinet().mutableArrayValue(for: \.sealed)
    }
    #expect(try words(result).contains("Cabinet.sealed can be read but not set."))
  }
}
