import KeyValueFuzzing

/// Runs programs until one fails, or until the time or the number of programs is used up.
struct FuzzRun {
  let options: FuzzOptions

  init(_ options: FuzzOptions) {
    self.options = options
  }

  /// Whether all programs passed.
  func run() -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    let first = options.seed ?? UInt64.random(in: 0..<1_000_000_000)
    let isSingle = options.seed != nil && options.programs == nil && options.minutes == nil
    let end = options.minutes.map { start + .seconds($0 * 60) }
    let limit = isSingle ? 1 : options.programs ?? (end == nil ? 1000 : Int.max)
    var stepCount = 0
    var count = 0
    say("seeds from \(first), \(options.operations) operations each")
    while count < limit, end.map({ clock.now < $0 }) ?? true {
      let seed = first &+ UInt64(count)
      if options.isVerbose { say("seed \(seed)") }
      let program = Fuzzer.program(seed: seed, length: options.operations)
      if let failure = Fuzzer.check(program) {
        report(failure)
        return false
      }
      stepCount += program.size
      count += 1
      if count % 10_000 == 0 {
        say("\(count) programs, \(stepCount) operations, next seed \(seed + 1)")
      }
    }
    let seconds = (clock.now - start).components.seconds
    say(
      "seeds \(first)..<\(first &+ UInt64(count)): \(count) programs, \(stepCount) operations, "
        + "\(seconds) s, no difference")
    return true
  }

  private func report(_ failure: Fuzzer.Failure) {
    say("seed \(failure.program.seed) fails; shrinking")
    let shrinker = Shrinker { Fuzzer.check($0) != nil }
    let smallest = shrinker.shrink(failure.program)
    say(Fuzzer.check(smallest) ?? failure)
    say("replay: kvo-fuzz --seed \(failure.program.seed) --operations \(options.operations)")
  }
}
