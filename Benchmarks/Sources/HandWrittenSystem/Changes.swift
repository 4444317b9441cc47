import BenchmarkSupport

// W15: sets of one object that are reported as one. Unsupported: other objects, priors, collections,
// and rolling back.
// W16: an assigned array, reported as the run in which it differs. Unsupported: more than one run, and
// reporting a move as a move.
// W17: the values as an asynchronous sequence. Unsupported: a second iterator, ending with the object,
// and counting dropped values.

private final class Together {
  var value = 0 {
    didSet {
      if depth == 0 {
        tell(oldValue)
      } else if first == nil {
        first = oldValue
      }
    }
  }
  private var depth = 0
  private var first: Int?
  private var observers: [(Int, Int) -> Void] = []

  func observe(_ observer: @escaping (Int, Int) -> Void) { observers.append(observer) }

  func performChanges(_ body: (Together) -> Void) {
    depth += 1
    body(self)
    depth -= 1
    guard depth == 0, let old = first else { return }
    first = nil
    tell(old)
  }

  private func tell(_ old: Int) { for observer in observers { observer(old, value) } }
}

private final class Compared {
  var numbers: [Int] {
    didSet {
      let run = changedRun(oldValue, numbers)
      for observer in observers { observer(oldValue[run.old], numbers[run.new]) }
    }
  }
  private var observers: [(ArraySlice<Int>, ArraySlice<Int>) -> Void] = []

  init(_ numbers: [Int]) { self.numbers = numbers }

  func observe(_ observer: @escaping (ArraySlice<Int>, ArraySlice<Int>) -> Void) {
    observers.append(observer)
  }
}

private final class Streamed {
  var value = 0 {
    didSet { for continuation in continuations { continuation.yield(value) } }
  }
  private var continuations: [AsyncStream<Int>.Continuation] = []

  func values() -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield(value)
    continuations.append(continuation)
    return stream
  }
}

@inline(never) private func set(_ object: Together, _ value: Int) { object.value = value }
@inline(never) private func set(_ object: Streamed, _ value: Int) { object.value = value }
@inline(never) private func setTogether(_ object: Together, from first: Int) {
  object.performChanges { object in
    for index in 0..<Workload.setsTogether { set(object, first + index) }
  }
}
@inline(never) private func assign(_ list: Compared, _ numbers: [Int]) { list.numbers = numbers }

let changeContenders: [Contender] = [
  Contender(.transaction, System.handWritten) { operations, tally in
    let object = Together()
    object.observe { tally.record(old: $0, new: $1) }
    return nanoseconds {
      for step in 0..<operations { setTogether(object, from: Workload.setsTogether * step + 1) }
    }
  },
  Contender(.elementChanges, System.handWritten) { operations, tally in
    let arrays = shortAndLong
    let list = Compared(arrays[0])
    list.observe { left, entered in
      if let element = entered.first {
        tally.record(old: entered.startIndex, new: element)
      } else if let element = left.first {
        tally.record(old: left.startIndex, new: -element)
      }
    }
    return nanoseconds { for step in 1...operations { assign(list, arrays[step & 1]) } }
  },
  Contender(.sequence, System.handWritten) {
    { operations in waiting { await values(operations) } }
  },
]

private func values(_ operations: Int) async -> Reading {
  let object = Streamed()
  let tally = Tally()
  var values = object.values().makeAsyncIterator()
  _ = await values.next()
  let stopwatch = Stopwatch()
  for step in 1...operations {
    set(object, step)
    guard let value = await values.next() else { break }
    tally.record(value)
  }
  return Reading(total: stopwatch.nanoseconds, tally)
}
