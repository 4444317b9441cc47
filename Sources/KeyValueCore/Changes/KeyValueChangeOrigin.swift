/// Where a change was made.
public enum KeyValueChangeOrigin: Hashable, Sendable {
  /// In this graph.
  case local
  /// Elsewhere: the name of a writer.
  case remote(String)
}
