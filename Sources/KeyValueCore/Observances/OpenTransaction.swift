/// A thread's open transaction, as changes see it.
protocol OpenTransaction: AnyObject, Sendable {
  /// Whether the transaction hasn't ended; a change may outlast it.
  var isOpen: Bool { get }
  /// Whether values are being restored, which observers aren't notified of.
  var isRestoring: Bool { get }

  /// Records a property's value before it changes, for a part that may be rolled back.
  func noteOldValue(of object: AnyObject, _ watches: WatchList)

  /// Whether the observance is notified at the end of a change that has been recorded.
  func holds(_ observance: Observance) -> Bool

  /// Whether the changes of a hop's collection are followed at the transaction's end.
  func hasPostponed(_ hop: WatchedHop) -> Bool

  /// Leaves it to the transaction's end to follow the changes of a hop's collection.
  func postpone(_ hop: WatchedHop, _ follow: @escaping () -> Void)

  /// Records a change before it happens, for an observance that will be notified of it.
  func begin(_ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit)

  /// Records that a change has happened; false if its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool

  /// Records the trace event that reports the deferral of an observance's call.
  func noteDeferral(_ event: UInt64, of observance: Observance)

  /// Defers an unannounced change to the transaction's end; false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool
}
