/// A key path that another key of the same object depends on.
struct DependencyPath: Hashable {
  enum Origin {
    /// Inferred from the getter's syntax: components that aren't keys are dropped, and a component
    /// that isn't an object ends the path.
    case inferred
    /// Written as a key path, which the compiler checks: the first component must be a key, and a
    /// component that isn't an object ends the path.
    case checked
    /// Written as a string or returned by a method: every component must be valid.
    case declared
  }

  let string: String
  let components: [PathComponent]
  let origin: Origin

  init(_ string: String, _ origin: Origin) {
    self.string = string
    self.origin = origin
    components = ParsedKeyPath(unchecked: string).components
  }

  /// Whether a component that isn't observable ends the path; otherwise it's an error.
  var isLenient: Bool { origin != .declared }
}
