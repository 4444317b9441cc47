import KeyValueObserving

/// Events in words, with an object's name in place of its class.
struct Wording {
  let roster: Roster

  /// What happened: `Person 1.fullName: closure registered at View.swift:88 is told: …`.
  ///
  /// A change that has ended includes its new value.
  func words(
    for event: KeyValueTrace.Event, endedBy end: KeyValueTrace.Event? = nil
  ) -> String {
    // The line has the object's address after its class.
    if event.kind == .died, let entry = roster.entry(of: event.object) {
      return "\(entry.name) dies"
    }
    var text = event.description
    func replaceSuffix(_ suffix: String, with words: String) {
      guard text.hasSuffix(suffix) else { return }
      text.removeLast(suffix.count)
      text += words
    }
    switch (event.oldValue, event.newValue ?? end?.newValue) {
    case (let old?, let new?):
      // Unlike `->`, the page's arrow is never broken across lines.
      let words = ": \(self.words(for: old, of: event)) → \(self.words(for: new, of: event))"
      replaceSuffix(", was \(old)", with: words)
      replaceSuffix(": \(old) -> \(new)", with: words)
    case (let old?, nil):
      replaceSuffix(", was \(old)", with: ", was \(words(for: old, of: event))")
    case (nil, let new?): replaceSuffix(": \(new)", with: ": \(words(for: new, of: event))")
    case (nil, nil): break
    }
    guard text.hasPrefix(event.subject) else { return text }
    return subject(of: event) + text.dropFirst(event.subject.count)
  }

  private func words(for value: KeyValueTrace.Value, of event: KeyValueTrace.Event) -> String {
    roster.words(for: value, of: event.id)
  }

  /// The object and its key: `Person 1.fullName`.
  func subject(of event: KeyValueTrace.Event) -> String {
    guard let entry = roster.entry(of: event.object) else { return event.subject }
    return event.keyPath.isEmpty ? entry.name : "\(entry.name).\(event.keyPath)"
  }
}
