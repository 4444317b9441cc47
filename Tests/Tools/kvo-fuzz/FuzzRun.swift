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
      if fails(program) {
        report(program)
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

  private func fails(_ program: Program) -> Bool {
    options.hasLogs ? Fuzzer.checkLogs(program) != nil : Fuzzer.check(program) != nil
  }

  private func report(_ program: Program) {
    say("seed \(program.seed) fails; shrinking")
    let smallest = Shrinker(fails: fails).shrink(program)
    let failure: Any? = options.hasLogs ? Fuzzer.checkLogs(smallest) : Fuzzer.check(smallest)
    say(failure ?? "The shortest program doesn't fail again:\n\(smallest)")
    let logs = options.hasLogs ? " --logs" : ""
    say("replay: kvo-fuzz\(logs) --seed \(program.seed) --operations \(options.operations)")
  }
}
