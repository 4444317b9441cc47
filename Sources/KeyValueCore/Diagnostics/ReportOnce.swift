import Synchronization

/// Reports what is tolerated once for each class and key, because it concerns what is declared and not
/// one object.
enum ReportOnce {
  private struct Subject: Hashable {
    let topic: String
    let type: ObjectIdentifier
    let key: String
  }

  private static let reported = LockedValue<Set<Subject>>([])

  /// Reports unless the same was reported before.
  ///
  /// - Parameter topic: Keeps reports about the same key apart that say different things.
  static func tolerated(
    _ topic: String, of type: Any.Type, _ key: String, _ description: () -> String
  ) {
    let subject = Subject(topic: topic, type: ObjectIdentifier(type), key: key)
    guard reported.withLock({ $0.insert(subject).inserted }) else { return }
    KeyValueViolation.report(.tolerated, description())
  }
}
