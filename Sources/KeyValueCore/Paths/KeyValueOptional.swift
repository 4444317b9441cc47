/// `Optional` as a constraint; no other type conforms.
public protocol KeyValueOptional: ExpressibleByNilLiteral {
  /// The wrapped value's type.
  associatedtype Wrapped
}
