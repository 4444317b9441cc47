/// How a property holds the object it refers to.
public enum KeyValueOwnership: Sendable, Hashable {
  /// The property keeps the object alive.
  case strong
  /// The property becomes nil when the object dies.
  case weak
  /// The property doesn't keep the object alive and must not outlive it.
  case unowned
}
