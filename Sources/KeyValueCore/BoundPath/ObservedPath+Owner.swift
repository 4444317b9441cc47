// Which object a binding's target belongs to.
extension ObservedPath {
  /// The path to the object that has the last key, for a string path; nil if that's the root.
  ///
  /// A dictionary that has the key is a value of the object that holds it.
  func owner(on root: any KeyValueObservable) -> ObservedPath? {
    guard let holder else { return nil }
    return holder.isDictionary(on: root) ? holder.owner(on: root) : holder
  }

  /// Whether the last key of a string path is a dictionary's.
  func isEntry(on root: any KeyValueObservable) -> Bool {
    holder?.isDictionary(on: root) ?? false
  }

  /// The path without the last key, for a string path; nil if there's no other.
  private var holder: ObservedPath? { (parsed?.owner).map { ObservedPath($0) } }

  /// Whether the path leads to a dictionary, as far as the declared classes or the present value tell.
  private func isDictionary(on root: any KeyValueObservable) -> Bool {
    guard let parsed else { return false }
    if let property = KnownEnd(of: parsed, from: root.schema).property,
      unwrapped(property.valueType) is any StringKeyed.Type
    {
      return true
    }
    return value(of: root).map { stringKeyed($0) != nil } ?? false
  }
}
