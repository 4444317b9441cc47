/// The properties whose settings in a transaction are one change to journals.
///
/// A journal that needs only what a setting replaced first, and what the last one left, lets the first one last. It's
/// told nothing of the next ones, so that no value between them is kept, and a collection that's changed in place
/// isn't copied each time.
///
/// ```
/// Journal.changed         beginLastingSetting: the journal keeps the old value
/// RegistrarState          isLasting: further settings leave the journal out
/// settingEnds             something other than a setting is about to happen to the property
/// settingsEnd             the transaction ends, or a part begins that may be rolled back
/// ```
///
/// Confined to its thread, as the transaction.
struct LastingSettings {
  private var places: [PropertyPlace: ShortList<Journal>] = [:]
  /// Each journal once, in the order of the first settings.
  private(set) var allJournals: [Journal] = []

  var isEmpty: Bool { places.isEmpty }

  func journals(of place: PropertyPlace) -> ShortList<Journal> { places[place] ?? .none }

  /// Whether each of the journals has been told of a setting that lasts.
  func holds(_ place: PropertyPlace, for journals: [Journal]) -> Bool {
    guard let told = places[place] else { return false }
    return journals.allSatisfy { journal in told.contains { $0 === journal } }
  }

  mutating func insert(_ place: PropertyPlace, for journal: Journal) {
    places[place, default: .none].append(journal)
    if !allJournals.contains(where: { $0 === journal }) { allJournals.append(journal) }
  }

  mutating func remove(_ place: PropertyPlace, for journal: Journal) {
    guard var told = places[place] else { return }
    told.removeLast { $0 === journal }
    places[place] = told.isEmpty ? nil : told
    if places.isEmpty { allJournals = [] }
  }
}
