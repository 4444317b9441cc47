/// The open transaction of a thread, as changes see it.
protocol OpenTransaction: AnyObject, Sendable {
  /// Whether it has not ended; a change may outlast it.
  var isOpen: Bool { get }
  /// Whether values are being restored, of which observers hear nothing.
  var isRestoring: Bool { get }

  /// Notes a property's value for a part that may be rolled back, before the property changes.
  func noteOldValue(of object: AnyObject, _ watches: WatchList)

  /// Notes, before it happens, a change that an observance will hear of.
  func begin(_ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit)

  /// Notes that a change has happened; false where its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool

  /// Notes by which event a trace has told that an observance's call waits.
  func noteDeferral(_ event: UInt64, of observance: Observance)

  /// Defers an unannounced change to the end; false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool
}
