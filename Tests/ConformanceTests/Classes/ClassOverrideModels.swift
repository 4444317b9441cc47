import KeyValueObserving

/// A class with keys that subclasses in other files don't see.
@KeyValueObservable
class Poster {
  fileprivate var note = "poster"
  @NotifiesManually fileprivate var progress = 0
}
