/// Reports a tolerated mistake once for each class and key, because the mistake is in a declaration.
///
/// Once in the process, and once in each scope that has a handler of its own.
enum ReportOnce {
  struct Subject: Hashable {
    fileprivate let topic: String
    fileprivate let type: ObjectIdentifier
    fileprivate let key: String
  }

  private static let reported = LockedValue<Set<Subject>>([])

  /// Reports unless this topic was reported before for the class and key.
  ///
  /// `isProblem` says whether it explains that nothing was told to other observers.
  static func tolerated(
    _ topic: String, of type: Any.Type, _ key: String, isProblem: Bool = true,
    _ description: () -> String
  ) {
    guard isFirst(topic, of: type, key) else { return }
    KeyValueViolation.report(.tolerated, description(), isProblem: isProblem)
  }

  /// Whether this is the first check or report of the topic for the class and key.
  static func isFirst(_ topic: String, of type: Any.Type, _ key: String) -> Bool {
    let subject = Subject(topic: topic, type: ObjectIdentifier(type), key: key)
    if let scope = ViolationScope.current {
      return scope.reported.withLock { $0.insert(subject).inserted }
    }
    return reported.withLock { $0.insert(subject).inserted }
  }
}
