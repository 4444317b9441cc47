import KeyValueObserving
import KeyValueTesting
import Testing

@Suite("E3. Expected changes and values within a time")
struct LaterExpectationTests {
  @Test("E3 Changes that a task makes later are awaited, those of an object and of a graph too")
  func later() async throws {
    let counter = Counter()
    await expectChanges(of: counter.kvo.count, within: .seconds(60)) {
      Task { counter.count = 1 }
    } are: {
      change(counter.kvo.count, old: 0, new: 1)
    }
    await expectChanges(of: counter, within: .seconds(60)) {
      Task { counter.count = 2 }
    } are: {
      change(counter.kvo.count, old: 1, new: 2)
    }
    let company = Company()
    let log = try log(of: company)
    await expectChanges(of: log, within: .seconds(60)) {
      company.name = "A"
    } are: {
      change(company.kvo.name, new: "A")
    }
    try await expectChanges(ofGraph: company, within: .seconds(60)) {
      company.name = "B"
    } are: {
      change(company.kvo.name, new: "B")
    }
  }

  @Test("E3 Many values are compared each with its own, not with all")
  func manyValues() async {
    let (values, source) = AsyncStream<Int>.makeStream()
    await expectValues(of: values, within: .seconds(60), startsWithValue: false) {
      for value in 0..<10_000 { source.yield(value) }
    } are: {
      Array(0..<10_000)
    }
  }

  @Test("E3 A change that doesn't come within the time is a failure")
  func tooLate() async {
    let counter = Counter()
    let line = #line + 2
    let found = await failures {
      await expectChanges(of: counter.kvo.count, within: .milliseconds(1)) {
        counter.count = 1
      } are: {
        change(counter.kvo.count, new: 1)
        change(counter.kvo.count, new: 2)
      }
    }
    let message = """
      The changes aren't the ones described (- described, + announced):
        change(Counter.count, old: 0, new: 1)
      - change(Counter.count, new: 2)  // LaterExpectationTests.swift:\(line + 4)
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E3 A limit of no time ends each wait")
  func zero() async {
    let counter = Counter()
    let changes = ChangeList(of: counter.kvo.count)
    var nextCount = 0
    for _ in 0..<2_000 {
      await expectChanges(of: counter.kvo.count, within: .zero) {
      } are: {
      }
      // It waits for a first value, and then for the end.
      await expectValues(of: AsyncStream<Int> { _ in }, within: .zero) {
      } are: {
        []
      }
      if await changes.next(within: .zero) != nil { nextCount += 1 }
    }
    #expect(nextCount == 0)
    let line = #line + 3
    let found = await failures {
      for _ in 0..<10 {
        await expectViolation(.undefinedKey, within: .zero) {}
      }
    }
    let message = """
      The violation isn't the one described (- described, + reported):
      - undefinedKey
      """
    #expect(found == (0..<10).flatMap { _ in failure(message, at: line) })
    // What's there already needs no time.
    await expectChanges(of: counter.kvo.count, within: .zero) {
      counter.count = 1
    } are: {
      change(counter.kvo.count, old: 0, new: 1)
    }
    let next = await changes.next(within: .zero)
    #expect(next?.description == "change(Counter.count, old: 0, new: 1)")
  }

  @MainActor
  @Test("E3 On the main actor, what other tasks of it do is awaited")
  func mainActor() async {
    let window = Window()
    await expectChanges(of: window.kvo.title, within: .seconds(60)) {
      Task { window.title = "Engines" }
    } are: {
      change(window.kvo.title, new: "Engines")
    }
    // Without a description, the whole time is waited.
    await expectChanges(of: window.kvo.title, within: .milliseconds(1)) {
    } are: {
    }
  }

  @Test("E3 A sequence's values, from the one that it begins with")
  func values() async {
    let counter = Counter()
    await expectValues(of: counter.kvo.count.values(), within: .seconds(60)) {
      counter.count = 1
    } are: {
      [0, 1]
    }
    await expectValues(
      of: counter.kvo.count.changes(options: .new), within: .seconds(60), startsWithValue: false
    ) {
      counter.count = 2
      counter.count = 3
    } are: {
      [counter.changed(to: 2), counter.changed(to: 3)]
    }
    let line = #line + 2
    let found = await failures {
      await expectValues(of: counter.kvo.count.values(), within: .milliseconds(100)) {
        counter.count = 4
      } are: {
        [3, 5, 4, 6]
      }
    }
    let message = """
      The sequence's values aren't the ones listed (- listed, + received):
        3
      - 5
        4
      - 6
      """
    #expect(found == failure(message, at: line))
  }

  @Test("E3 A sequence that ends isn't awaited any longer, and its error is a failure")
  func ends() async throws {
    let sequence = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: KeyValueCodingError.undefinedKey("x", of: Employee()))
    }
    let line = #line + 2
    let found = try await failures {
      try await expectValues(of: sequence, within: .seconds(60)) {
      } are: {
        [1, 2]
      }
    }
    let error = """
      The sequence ends with an error: Employee has no key 'x'.
      """
    let message = """
      The sequence's values aren't the ones listed (- listed, + received):
        1
      - 2
      """
    #expect(found == failure(error, at: line) + failure(message, at: line))
  }

  @Test("E3 An error with which a sequence answers its cancellation is no failure")
  func cancelledSequence() async throws {
    let found = try await failures {
      let (ended, end) = AsyncStream<Void>.makeStream()
      try await expectValues(of: One(life: Life(end)), within: .seconds(60)) {
      } are: {
        [1]
      }
      // Only the loop over the sequence still has it.
      for await _ in ended {}
    }
    #expect(found == [])
  }

  // It ends with the time limit if it waits.
  @Test(
    "E3 A task that's cancelled doesn't wait, whether it's cancelled before or meanwhile",
    .timeLimit(.minutes(10)))
  func cancelled() async {
    let early = Task {
      await failures {
        let counter = Counter()
        await expectChanges(of: counter.kvo.count, within: .seconds(3_600)) {
          while !Task.isCancelled { await Task.yield() }
        } are: {
          change(counter.kvo.count, new: 1)
        }
      }
    }
    early.cancel()
    #expect(await early.value.count == 1)
    let (started, start) = AsyncStream<Void>.makeStream()
    let late = Task {
      await failures {
        let counter = Counter()
        await expectChanges(of: counter.kvo.count, within: .seconds(3_600)) {
          start.finish()
        } are: {
          change(counter.kvo.count, new: 1)
        }
      }
    }
    for await _ in started {}
    late.cancel()
    #expect(await late.value.count == 1)
  }
}

/// A sequence of one value, which throws an error when it's cancelled.
private struct One: AsyncSequence, Sendable {
  typealias Element = Int

  let life: Life

  struct AsyncIterator: AsyncIteratorProtocol {
    var isFirst = true

    mutating func next() async throws -> Int? {
      if isFirst {
        isFirst = false
        return 1
      }
      // Cancellation ends it.
      let (never, source) = AsyncStream<Never>.makeStream()
      for await _ in never {}
      withExtendedLifetime(source) {}
      try Task.checkCancellation()
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

/// Ends a stream when it's released.
private final class Life: Sendable {
  private let end: AsyncStream<Void>.Continuation

  init(_ end: AsyncStream<Void>.Continuation) {
    self.end = end
  }

  deinit { end.finish() }
}

/// A class whose objects several threads may use, one after the other.
@KeyValueObservable
final class Counter: @unchecked Sendable {
  var count = 0

  /// A change as a sequence has it.
  func changed(to count: Int) -> KeyValueObservedChange<Int> {
    var changes: [KeyValueObservedChange<Int>] = []
    let other = Counter()
    let observation = other.kvo.count.observe(options: .new) { changes.append($1) }
    other.count = count
    observation.invalidate()
    return changes[0]
  }
}
