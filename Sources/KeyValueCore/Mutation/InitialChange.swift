/// The announcement of one assignment in an initialiser or a `deinit`.
///
/// Don't use it directly: macro-generated code creates one if the object may be observed already.
/// The assignment goes to the property's storage, so `willSet` and `didSet` don't run, as in plain
/// Swift. Observers are notified all the same.
public struct _KeyValueInitialChange {
  private let mutation: ManualMutation
  private let started: ManualMutation.Started?

  /// Delivers the priors that observers asked for.
  public init?(of object: some KeyValueObservable, _ key: String) {
    guard let property = object.schema.property(key),
      object.schema.traits(of: property).isAutomatic
    else { return nil }
    mutation = ManualMutation(object, property, .setting)
    started = mutation.start()
  }

  /// Notifies observers that the property has changed.
  public func finish() {
    mutation.finish(started)
  }
}
