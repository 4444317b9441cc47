/// An in-place modification in progress, from the beginning of a `_modify` access to its end.
///
/// It lies in the frame of each accessor, so it is small and has one reference to release.
public struct KeyValueModification {
  let id: Int
  private(set) var stage = Stage.unobserved
  /// How many attachments there had been at the beginning.
  private(set) var attachment: UInt64 = 0
  /// The observance that alone has to be told, and only of values; retained.
  private(set) var sole: SoleAudience?
  /// How the property is read, where the sole audience asks for values; a schema keeps it for ever.
  private(set) var storage: Unmanaged<ValueStorage>?
  /// The sole audience's old value, where that is trivial.
  var old = TrivialValue()
  /// The sole audience's old value in a box, or what any other audience is told of.
  var kept: AnyObject?

  enum Stage {
    /// The object was idle at the beginning.
    case unobserved
    /// The property had no observances at the beginning, or it announces nothing by itself.
    case silent
    /// One observance is told, of values alone.
    case sole
    /// A change set is told.
    case announced
  }

  /// What has to be done before the property may be modified.
  enum Beginning {
    /// Nothing; the property is marked.
    case marked
    /// The property is being modified already.
    case overlapping
    /// The sole audience asks for the old value. Then the property is marked.
    case readsOld
    /// The observances may ask for old values and priors. Then the property is marked.
    case announces(WatchList)
    /// The object has nothing to hold the mark. Then the property is marked.
    case unheld
  }

  init(_ id: Int) {
    self.id = id
  }

  /// Notes what the beginning of the modification has found.
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
