import KeyValueFuzzing

/// Creates and releases a great many observed objects and observations, and prints what is left.
struct LeakRun {
  let count: Int

  init(_ options: FuzzOptions) {
    count = options.programs ?? 1_000_000
  }

  /// Whether nothing is left.
  func run() throws -> Bool {
    let objects = try LeakCheck.objects(count)
    say("\(count) times two objects: \(objects) objects or handlers left")
    let observations = try LeakCheck.observations(count)
    say(
      "\(count) observations: \(observations.liveCount) handlers left, objects "
        + (observations.isIdle ? "idle" : "not idle"))
    return objects == 0 && observations.liveCount == 0 && observations.isIdle
  }
}
