import KeyValueObserving

/// Events in words, with an object's name in place of its class.
struct Wording {
  let roster: Roster

  /// What happened: `Person 1.fullName: closure registered at View.swift:88 is told: …`.
  ///
  /// A change that has ended has its new value, too.
  func words(
    for event: KeyValueTrace.Event, endedBy end: KeyValueTrace.Event? = nil
  ) -> String {
    var text = event.description
    if let old = event.oldValue, let new = event.newValue ?? end?.newValue {
      // In the page's letters, which are not broken between lines.
      for suffix in [", was \(old)", ": \(old) -> \(new)"] where text.hasSuffix(suffix) {
        text.removeLast(suffix.count)
        text += ": \(old) → \(new)"
      }
    }
    guard text.hasPrefix(event.subject) else { return text }
    return subject(of: event) + text.dropFirst(event.subject.count)
  }

  /// The object and its key: `Person 1.fullName`.
  func subject(of event: KeyValueTrace.Event) -> String {
    guard let entry = roster.entry(of: event.object) else { return event.subject }
    return event.keyPath.isEmpty ? entry.name : "\(entry.name).\(event.keyPath)"
  }
}
