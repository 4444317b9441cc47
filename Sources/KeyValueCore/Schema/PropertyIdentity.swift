/// Recognises the key paths that name one property, whatever class they are rooted at.
///
/// A key path's root type is part of its equality, so `\Manager.firstName` and `\Person.firstName`
/// differ. Both are compared here as rooted at the class that declares the property and appended to
/// one fixed stored path, which makes the key paths of one property equal for subclasses, overrides
/// and generic subclasses alike.
struct PropertyIdentity {
  let index: Int
  private let matches: (AnyKeyPath) -> Bool

  init<Root: AnyObject, Value>(_ keyPath: KeyPath<Root, Value>, index: Int) {
    self.index = index
    let anchored = (\Anchor<Root>.root).appending(path: keyPath)
    matches = { candidate in
      guard type(of: candidate).valueType == Value.self else { return false }
      return (\Anchor<Root>.root).appending(
        path: rerooted(candidate, to: KeyPath<Root, Value>.self))
        == anchored
    }
  }

  func names(_ keyPath: AnyKeyPath) -> Bool {
    matches(keyPath)
  }
}

private struct Anchor<Root> {
  let root: Root
}

/// Reinterprets a key path's root as one of its superclasses.
///
/// Sound because the result is only appended and compared, never read through, and a key path's
/// object layout does not depend on its root. A checked cast would fail: the classes do differ.
private func rerooted<Target: AnyKeyPath>(_ keyPath: AnyKeyPath, to type: Target.Type) -> Target {
  Unmanaged<Target>.fromOpaque(Unmanaged.passUnretained(keyPath).toOpaque()).takeUnretainedValue()
}
