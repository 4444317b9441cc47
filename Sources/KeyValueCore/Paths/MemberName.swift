// If a key path carries no names, reflection over stored properties is the only way to find a
// member's name. On Apple's platforms the reflection is private, and the key path of an Objective-C member keeps
// the name.
#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// The name of the member that a key path of one component names, where the platform knows it.
///
/// Used only to print a path. A member without a name at run time, such as a computed one, is `_`.
func memberName<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> String {
  #if canImport(Darwin)
    return keyPath._kvcKeyPathString ?? memberNameOfClass(keyPath) ?? "_"
  #else
    if Base.self is AnyClass { return memberNameOfClass(keyPath) ?? "_" }
    guard let offset = MemoryLayout<Base>.offset(of: keyPath) else { return "_" }
    var name = "_"
    _ = _forEachField(of: Base.self) { field, fieldOffset, type, _ in
      guard fieldOffset == offset, type == Value.self else { return true }
      name = String(cString: field)
      return false
    }
    return name
  #endif
}

/// The name of a class's member, which only a key path to a stored final property carries.
private func memberNameOfClass(_ keyPath: AnyKeyPath) -> String? {
  KeyPathSpelling(keyPath).components.last?.name
}
