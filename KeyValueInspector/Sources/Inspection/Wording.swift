import KeyValueObserving

/// Events in words, with an object's name in place of its class.
struct Wording {
  let roster: Roster

  /// What happened: `Person 1.fullName: closure registered at View.swift:88 is told: …`.
  func words(for event: KeyValueTrace.Event) -> String {
    let text = event.description
    guard text.hasPrefix(event.subject) else { return text }
    return subject(of: event) + text.dropFirst(event.subject.count)
  }

  /// The object and its key: `Person 1.fullName`.
  func subject(of event: KeyValueTrace.Event) -> String {
    guard let entry = roster.entry(of: event.object) else { return event.subject }
    return event.keyPath.isEmpty ? entry.name : "\(entry.name).\(event.keyPath)"
  }
}
