/// The limit for this library's measurement of a workload.
public enum Target: Sendable {
  /// A multiple of another system's measurement of the same workload.
  case ratio(to: String, atMost: Double)
  /// A difference from another system's measurement of the same workload.
  case difference(from: String, atMost: Double)
  /// A multiple of this library's measurement of another workload.
  case growth(from: String, atMost: Double)
  /// An absolute number.
  case value(atMost: Double)
}
