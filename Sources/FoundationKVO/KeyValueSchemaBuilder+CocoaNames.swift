import KeyValueCore

extension KeyValueSchemaBuilder {
  /// Adds a key's Cocoa name, which depends on the key: in Cocoa, `isFinished` is the getter of `finished`.
  func addCocoaName<Root: NSObject>(of key: String, _ keyPath: KeyPath<Root, Bool>) {
    let name = key.dropFirst(2)
    let writable = keyPath as? ReferenceWritableKeyPath<Root, Bool>
    computed(
      name.prefix(1).lowercased() + name.dropFirst(), keyPath, declared: [key],
      get: { $0[keyPath: keyPath] },
      set: writable.map { writable in { $0[keyPath: writable] = $1 } })
  }
}
