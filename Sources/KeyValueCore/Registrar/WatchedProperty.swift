/// One property of an object, and its watches.
struct WatchedProperty {
  let id: Int
  private(set) var watches = WatchList.none
  /// The sole audience of an assignment, if it needs nothing but the values.
  ///
  /// Reading it doesn't copy the watch.
  private(set) var sole: SoleAudience?
  let isAutomatic: Bool

  init(id: Int, isAutomatic: Bool) {
    self.id = id
    self.isAutomatic = isAutomatic
  }

  mutating func insert(_ watch: Watch) {
    watches.insert(watch)
    findSole()
  }

  mutating func remove(_ observance: Observance, _ hop: WatchedHop?) {
    watches.remove(observance, hop)
    findSole()
  }

  private mutating func findSole() {
    sole =
      if isAutomatic, case .one(let watch) = watches, watch.isPlain {
        SoleAudience(
          observance: .passUnretained(watch.observance),
          leaf: watch.hop.flatMap { $0.isOnRoot ? nil : .passUnretained($0.property) })
      } else {
        nil
      }
  }
}
