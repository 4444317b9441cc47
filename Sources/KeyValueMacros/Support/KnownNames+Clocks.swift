extension KnownNames {
  /// Whether a call such as `Date()` or `Date(timeIntervalSinceNow: 60)` reads the time.
  static func readsClock(creating type: String, labels: [String?]) -> Bool {
    ["Date", "NSDate"].contains(type) && (labels.isEmpty || labels == ["timeIntervalSinceNow"])
  }

  /// Functions that return the time.
  static let clockFunctions: Set<String> = [
    "time", "clock", "mach_absolute_time", "CFAbsoluteTimeGetCurrent", "CACurrentMediaTime",
  ]

  /// Methods that compare a date with the time.
  static let clockMethods: Set<String> = [
    "isDateInToday", "isDateInYesterday", "isDateInTomorrow",
  ]

  /// Properties of dates and processes that change as time passes.
  static let clockProperties: Set<String> = ["timeIntervalSinceNow", "systemUptime"]
}
