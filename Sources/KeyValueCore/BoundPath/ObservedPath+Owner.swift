// Which object a binding's target belongs to, and what else a string path tells of it.
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

  /// The path to the dictionary of an object that a string path leads to an entry of; the path itself if it leads
  /// to no entry.
  func whole(on root: any KeyValueObservable) -> ObservedPath {
    guard let holder, holder.isDictionary(on: root) else { return self }
    return holder.whole(on: root)
  }

  /// Whether a string path leads through a collection, so that its value is made of those of the elements.
  func isOfElements(on root: any KeyValueObservable) -> Bool {
    guard let holder else { return false }
    return holder.isCollection(on: root) || holder.isOfElements(on: root)
  }

  /// The path without the last key, for a string path; nil if there's no other.
  private var holder: ObservedPath? { (parsed?.owner).map { ObservedPath($0) } }

  private func isDictionary(on root: any KeyValueObservable) -> Bool {
    leads(from: root, to: { $0 is any StringKeyed.Type }, { stringKeyed($0) != nil })
  }

  private func isCollection(on root: any KeyValueObservable) -> Bool {
    leads(from: root, to: { $0 is any ToMany.Type }, { $0 is any ToMany })
  }

  /// Whether the path leads to a value of a kind, as far as the declared classes or the present value tell.
  private func leads(
    from root: any KeyValueObservable, to isOfKind: (Any.Type) -> Bool,
    _ isValueOfKind: (Any) -> Bool
  ) -> Bool {
    guard let parsed else { return false }
    if let property = KnownEnd(of: parsed, from: root.schema).property,
      isOfKind(unwrapped(property.valueType))
    {
      return true
    }
    return value(of: root).map(isValueOfKind) ?? false
  }
}
