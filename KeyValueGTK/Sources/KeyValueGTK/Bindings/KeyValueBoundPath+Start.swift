import KeyValueObserving

extension KeyValueBoundPath {
  /// The object that the path begins at; nil if the path can't be observed.
  var start: (any KeyValueObservable)? {
    // Only an observation tells what it observes.
    let observation = observe { _, _ in }
    defer { observation.invalidate() }
    return observation.object
  }
}
