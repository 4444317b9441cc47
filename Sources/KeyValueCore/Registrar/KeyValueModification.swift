/// An in-place modification in progress, from the beginning of a `_modify` access to its end.
///
/// Each accessor's stack frame holds one, so it's small and has only one reference to release.
public struct KeyValueModification {
  let id: Int
  private(set) var stage = Stage.unobserved
  /// The attachment count at the beginning.
  private(set) var attachment: UInt64 = 0
  /// The only observance to notify, which asks only for values; retained.
  private(set) var sole: SoleAudience?
  /// How the property is read for the sole audience; the schema never releases it.
  private(set) var storage: Unmanaged<ValueStorage>?
  /// The sole audience's old value, if it's trivial.
  var old = TrivialValue()
  /// The sole audience's old value in a box, or the announcement to any other audience.
  var kept: AnyObject?

  enum Stage {
    /// The object was idle at the beginning.
    case unobserved
    /// The property had no observances at the beginning, or isn't announced automatically.
    case silent
    /// One observance is notified, with values only.
    case sole
    /// A change set is notified.
    case announced
  }

  /// What the caller has to do before the property is modified.
  enum Beginning {
    /// Nothing: the property is already marked.
    case marked
    /// Nothing: the property is already being modified.
    case overlapping
    /// Read the old value, which the sole audience asks for, then mark the property.
    case readsOld
    /// Read the old values and deliver the priors that the observances ask for, then mark the property.
    case announces(WatchList)
    /// Mark the property; the object has no storage yet to hold the mark.
    case unheld
  }

  init(_ id: Int) {
    self.id = id
  }

  /// Records what the beginning of the modification found.
  @inline(__always)
  mutating func begin(_ stage: Stage, _ attachment: UInt64) {
    self.stage = stage
    self.attachment = attachment
  }

  @inline(__always)
  mutating func begin(
    _ sole: SoleAudience, _ storage: Unmanaged<ValueStorage>, _ attachment: UInt64
  ) {
    begin(.sole, attachment)
    self.sole = sole
    self.storage = storage
  }
}
