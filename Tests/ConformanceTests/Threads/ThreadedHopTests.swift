import Dispatch
import KeyValueObserving
import KeyValueTestSupport
import Synchronization
import Testing

/// A link to a pipe, which any thread may replace.
@KeyValueObservable
final class Main: Sendable {
  @KeyValueIgnored private let storage: Lock<Pipe>

  @NotifiesManually var pipe: Pipe {
    get { storage.withLock { $0 } }
    set { withChange(of: "pipe") { storage.replace(with: newValue) } }
  }

  init(_ pipe: Pipe) { storage = Lock(pipe) }
}

/// A list of gauges, which any thread may change.
@KeyValueObservable
final class Board: Sendable {
  @KeyValueIgnored private let storage: Lock<[Gauge]>

  @NotifiesManually var gauges: [Gauge] {
    get { storage.withLock { $0 } }
    set { withChange(of: "gauges") { storage.replace(with: newValue) } }
  }

  init(_ gauges: [Gauge]) { storage = Lock(gauges) }
}

@Suite("T. Threads: replaced and dying objects on a path")
struct ThreadedHopTests {
  private let tracker = LifetimeTracker()

  /// Counts calls from any thread.
  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    func add() { count.add(1, ordering: .relaxed) }
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
  }

  @Test("T1 R5 The observed object dies while other threads end the observation and set values")
  func rootDiesWhileEnding() {
    let gauge = Gauge()
    let pipe = Pipe(gauge)
    for _ in 0..<1_000 {
      let main = Slot<Main>(Main(pipe))
      let witness = tracker.instance()
      let token = main.content?.observe(\.pipe.gauge.level, options: [.old, .new]) { main, _ in
        // The object passed to the handler is alive until the handler returns.
        withExtendedLifetime((witness, main.pipe)) {}
      }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        switch thread {
        case 0: main.content = nil
        case 1: token?.invalidate()
        case 2: for step in 0..<5 { gauge.level = step }
        default: pipe.gauge = gauge
        }
      }
      #expect(isIdle(pipe, gauge))
      #expect(token?.object == nil)
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("T1 R5 The observed object dies while objects on its path are replaced")
  func rootDiesWhileMoving() {
    let gauges = [Gauge(), Gauge()]
    let pipes = [Pipe(gauges[0]), Pipe(gauges[1])]
    for _ in 0..<500 {
      let main = Slot<Main>(Main(pipes[0]))
      let witness = tracker.instance()
      let token = main.content?.observe(\.pipe.gauge.level, options: [.old, .new]) { _, _ in
        withExtendedLifetime(witness) {}
      }
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        for step in 0..<10 {
          switch thread {
          case 0: main.content?.pipe = pipes[step % 2]
          case 1: pipes[step % 2].gauge = gauges[(step + 1) % 2]
          default: if step == 5 { main.content = nil }
          }
        }
      }
      #expect(token?.isValid == false)
      #expect(pipes.allSatisfy { isIdle($0) } && gauges.allSatisfy { isIdle($0) })
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("T1 P2 After concurrent replacements in two places, only the final objects are followed")
  func twoPlaces() {
    for _ in 0..<200 {
      let gauges = (0..<4).map { _ in Gauge() }
      let pipes = [Pipe(gauges[0]), Pipe(gauges[1])]
      let main = Main(pipes[0])
      let calls = Counter()
      let token = main.observe(\.pipe.gauge.level, options: [.old, .new]) { _, _ in calls.add() }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<25 {
          switch thread {
          case 0: main.pipe = pipes[step % 2]
          case 1: pipes[0].gauge = gauges[step % 4]
          case 2: pipes[1].gauge = gauges[(step + 1) % 4]
          default: gauges[step % 4].level = step
          }
        }
      }
      _ = calls.take()
      let last = main.pipe.gauge
      for gauge in gauges where gauge !== last { gauge.level = -1 }
      for pipe in pipes where pipe !== main.pipe { pipe.gauge = gauges[0] }
      #expect(calls.take() == 0)
      last.level = -1
      main.pipe.gauge = gauges[0]
      #expect(calls.take() == 2)
      token.invalidate()
      #expect(isIdle(main) && pipes.allSatisfy { isIdle($0) } && gauges.allSatisfy { isIdle($0) })
    }
  }

  @Test(
    "T1 P5 Objects on the path die by replacement while another thread sets values through them")
  func pathDiesByReplacement() {
    for _ in 0..<300 {
      let main = Main(Pipe(Gauge()))
      let witness = tracker.instance()
      let token = main.observe(\.pipe.gauge.level, options: [.old, .new]) { _, _ in
        withExtendedLifetime(witness) {}
      }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<20 {
          switch thread {
          case 0: main.pipe = Pipe(Gauge())
          case 1: main.pipe.gauge = Gauge()
          case 2: main.pipe.gauge.level = step
          default: if step == 15 { token.invalidate() }
          }
        }
      }
      #expect(isIdle(main, main.pipe, main.pipe.gauge))
    }
    #expect(tracker.liveCount == 0)
  }

  @Test("T1 P7 Elements change and are replaced on threads while the sum's object dies or lives")
  func sumOfChangingElements() {
    for round in 0..<200 {
      let gauges = (0..<8).map { _ in Gauge() }
      let board = Slot<Board>(Board(gauges))
      let sum = Atomic<Int>(0)
      let token = board.content?.observe(\.gauges[sum: \.level], options: .new) { _, change in
        sum.store(change.newValue ?? -1, ordering: .relaxed)
      }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for step in 0..<20 {
          switch thread {
          case 0: board.content?.gauges = Array(gauges[(step % 4)...])
          case 1, 2: gauges[step % 8].level = step &* thread
          default: if step == 10, round % 2 == 0 { board.content = nil }
          }
        }
      }
      if let board = board.content {
        board.gauges = gauges
        #expect(sum.load(ordering: .relaxed) == gauges.reduce(0) { $0 + $1.level })
        gauges[3].level += 5
        #expect(sum.load(ordering: .relaxed) == gauges.reduce(0) { $0 + $1.level })
        token?.invalidate()
        #expect(isIdle(board))
      }
      #expect(gauges.allSatisfy { isIdle($0) })
    }
  }
}
