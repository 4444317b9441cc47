/// The values once each, in order of first appearance.
func onceEach(_ values: [Any]) -> [Any] {
  var seen: Set<AnyHashable> = []
  return values.filter { seen.insert(identity(of: $0)).inserted }
}

/// The values as a set; objects that define no equality cannot be in one and come as an array of
/// objects once each.
func asSet(_ values: [Any]) -> Any {
  let hashable = values.compactMap { $0 as? AnyHashable }
  return hashable.count == values.count ? Set(hashable) as Any : onceEach(values)
}

/// What tells a value from others: its equality, or for an object that defines none its identity.
private func identity(of value: Any) -> AnyHashable {
  value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject))
}
