/// A key path whose changes change the value of another key of the same object.
struct DependencyPath: Hashable {
  enum Source {
    /// Read off the getter's syntax: what is no key is dropped, what is no object ends the path.
    case inferred
    /// Written as a key path, so the compiler has checked it: what is no object ends the path.
    case checked
    /// Written as a string, or answered by a method: every component must work.
    case declared
  }

  let string: String
  let components: [String]
  let source: Source

  init(_ string: String, _ source: Source) {
    self.string = string
    self.source = source
    components =
      ParsedKeyPath(
        string,
        string.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      ).components
  }

  /// Whether a component that cannot be observed ends the path instead of being an error.
  var isLenient: Bool { source != .declared }
}
