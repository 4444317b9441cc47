import Foundation

/// What key-value coding does with several keys or a path, for an object that reads and sets one key.
enum KeyCoding {
  /// The values of several keys, `NSNull` for a missing one.
  static func values(forKeys keys: [String], _ read: (String) -> Any?) -> [String: Any] {
    Dictionary(keys.map { ($0, read($0) ?? NSNull()) }, uniquingKeysWith: { $1 })
  }

  /// Sets several keys, in sorted order; `NSNull` sets nil.
  static func setValues(_ keyedValues: [String: Any], _ set: (Any?, String) -> Void) {
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
      set(value is NSNull ? nil : value, key)
    }
  }

  /// The value at the end of a path whose first component is a key.
  static func value(forKeyPath keyPath: String, _ read: (String) -> Any?) -> Any? {
    let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
    guard let first = parts.first, let value = read(first) else { return nil }
    return parts.count == 2 ? Bridging.value(of: value, forKeyPath: parts[1]) : value
  }
}
