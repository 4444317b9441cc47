/// Recognises a property's key paths, whatever class they begin at.
///
/// A key path's root type is part of its equality, so `\Manager.firstName` and `\Person.firstName`
/// differ. Here both begin at the class that declares the property, appended to one fixed stored
/// path. That makes a property's key paths equal for subclasses, overrides and generic subclasses.
struct PropertyIdentity {
  let index: Int
  /// The property's key path, from the class that declares it.
  let keyPath: AnyKeyPath
  /// The class that declares it.
  var owner: Any.Type { type(of: keyPath).rootType }
  /// Whether a key path is one of the property's.
  let names: (AnyKeyPath) -> Bool

  init<Root: AnyObject, Value>(_ keyPath: KeyPath<Root, Value>, index: Int) {
    self.index = index
    self.keyPath = keyPath
    let anchored = (\Anchor<Root>.root).appending(path: keyPath)
    names = { candidate in
      guard type(of: candidate).valueType == Value.self else { return false }
      return (\Anchor<Root>.root).appending(
        path: rerooted(candidate, to: KeyPath<Root, Value>.self))
        == anchored
    }
  }
}

private struct Anchor<Root> {
  let root: Root
}

/// Reinterprets a key path's root as one of its superclasses.
///
/// Sound because the result is only appended and compared, never read through, and a key path's
/// layout doesn't depend on its root. A checked cast would fail, because the classes differ.
private func rerooted<Target: AnyKeyPath>(_ keyPath: AnyKeyPath, to type: Target.Type) -> Target {
  Unmanaged<Target>.fromOpaque(Unmanaged.passUnretained(keyPath).toOpaque()).takeUnretainedValue()
}
