extension KeyValueTrace.Findings {
  init(of trace: KeyValueTrace, avalancheLimit: Int) {}
}

extension KeyValueTrace.Findings: CustomStringConvertible {
  /// The findings as text.
  public var description: String { "" }
}
