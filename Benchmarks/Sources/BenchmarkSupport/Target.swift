/// What this library's measurement of a workload is to be at most.
public enum Target: Sendable {
  /// So many times what another system needs for the same workload.
  case ratio(to: String, atMost: Double)
  /// So much more than another system needs for the same workload.
  case difference(from: String, atMost: Double)
  /// So many times what this library needs for another workload.
  case growth(from: String, atMost: Double)
  /// So much in all.
  case value(atMost: Double)
}
