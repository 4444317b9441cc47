// Reflection over stored properties is the only way to the name of a value's member where a key path
// carries none; Apple's systems keep it in the key path and keep the reflection to themselves.
#if !canImport(Darwin)
  @_spi(Reflection) import Swift
#endif

/// The name of the member that a key path of one component names, where the platform knows it.
///
/// Only used to print a path: a member without a name at run time, such as a computed one, is `_`.
func memberName<Base, Value>(_ keyPath: KeyPath<Base, Value>) -> String {
  #if canImport(Darwin)
    return keyPath._kvcKeyPathString ?? "_"
  #else
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
