/// One property of an object, and what watches it.
struct WatchedProperty {
  let id: Int
  private(set) var watches = WatchList.none
  /// The sole audience of an assignment, if telling it the values is all there is to do.
  ///
  /// It is at hand without copying the watch.
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
