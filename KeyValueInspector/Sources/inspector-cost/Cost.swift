import Foundation

/// The processor time that changes take.
struct Cost {
  /// The time of a change on the thread that makes it.
  let microsecondsPerChange: Double
  /// The time of the process's other threads, per second.
  let millisecondsPerSecond: Double

  private static let changesPerStep = 25
  private static let stepsPerSecond = 100.0

  /// Measures a setting: 100 times a second, 25 changes.
  init(of setting: Setting, changing person: Person, seconds: Double) throws {
    var inChanges = 0.0
    var elsewhere = 0.0
    let steps = Int(seconds * Cost.stepsPerSecond)
    try setting.during {
      // The first changes fill caches, and look up call sites.
      for _ in 1...10 { Cost.step(person, &inChanges) }
      inChanges = 0
      let start = (
        process: Cost.now(CLOCK_PROCESS_CPUTIME_ID), thread: Cost.now(CLOCK_THREAD_CPUTIME_ID)
      )
      for _ in 1...steps { Cost.step(person, &inChanges) }
      elsewhere =
        Cost.now(CLOCK_PROCESS_CPUTIME_ID) - start.process
        - (Cost.now(CLOCK_THREAD_CPUTIME_ID) - start.thread)
    }
    microsecondsPerChange = inChanges / Double(steps * Cost.changesPerStep) * 1e6
    millisecondsPerSecond = elsewhere / seconds * 1e3
  }

  /// The median of each figure.
  init(medianOf costs: [Cost]) {
    microsecondsPerChange = costs.map(\.microsecondsPerChange).sorted()[costs.count / 2]
    millisecondsPerSecond = costs.map(\.millisecondsPerSecond).sorted()[costs.count / 2]
  }

  private static func step(_ person: Person, _ time: inout Double) {
    let start = now(CLOCK_THREAD_CPUTIME_ID)
    for _ in 1...changesPerStep { person.age += 1 }
    time += now(CLOCK_THREAD_CPUTIME_ID) - start
    Thread.sleep(forTimeInterval: 1 / stepsPerSecond)
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
