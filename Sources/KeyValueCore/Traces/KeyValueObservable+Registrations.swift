extension KeyValueObservable {
  /// What's registered on the object: whole paths and parts of them, change logs and recorders.
  ///
  /// Each text has the class and the path at which the observer's path begins, the observer, and where it was
  /// registered: `Person.fullName: closure registered at View.swift:88`.
  package var registrationTexts: [String] {
    let (watches, journals) =
      _$kvoWithRegistrar { $0.storage()?.read { ($0.allWatches(), $0.journals?.journals ?? []) } }
      ?? ([], [])
    var seen: Set<UInt64> = []
    let observances =
      watches.map(\.observance)
      .filter { $0.isActive && $0.isObserverAlive && seen.insert($0.number).inserted }
      .sorted { $0.number < $1.number }
    let texts = observances.map { observance in
      let owner = observance.object?.schema.name ?? "?"
      let path = observance.keyPath.isEmpty ? owner : "\(owner).\(observance.keyPath)"
      return "\(path): \(observance.registration)"
    }
    return texts + journals.map { _ in "\(schema.name): a change log, or a recorder of the graph" }
  }
}
