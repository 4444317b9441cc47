// What a ported file calls on an object that's only known to be Foundation's: `(value as? Foundation.NSObject)`.
//
// Members of a protocol's extension, because those of a class's extension can't be overridden.
extension NSObjectProtocol where Self: Foundation.NSObject {
  /// The value of a key; of an object without this module's root, of the keys that Cocoa's values have.
  public func value(forKey key: String) -> Any? { Bridging.value(of: self, forKey: key) }

  /// The value at the end of a key path.
  public func value(forKeyPath keyPath: String) -> Any? {
    Bridging.value(of: self, forKeyPath: keyPath)
  }

  /// Sets the value of a key; an object without keys to set raises.
  public func setValue(_ value: Any?, forKey key: String) {
    Bridging.setValue(value, of: self, forKey: key)
  }

  /// Sets the value at the end of a key path; an object without keys to set raises.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    Bridging.setValue(value, of: self, forKeyPath: keyPath)
  }
}
