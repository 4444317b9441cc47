/// A dictionary, whatever the types of its keys and values.
package protocol Keyed {
  /// The keys and values, with nil for a nil value.
  var anyPairs: [(key: Any, value: Any?)] { get }
  /// A dictionary of this type with another one's keys and values, each converted as a value that's set by
  /// key; nil if it can't hold one of them, or if two keys become one.
  static func converting(_ value: any Keyed) -> Any?
  static var anyKeyType: Any.Type { get }
  static var anyValueType: Any.Type { get }
  /// A dictionary of this type with exactly these keys and values; nil if it can't hold one of them, or if two
  /// keys are equal.
  static func making(_ pairs: [(key: Any, value: Any?)]) -> Any?
}

extension Keyed {
  package static func converting(_ value: any Keyed) -> Any? { nil }
  package static var anyKeyType: Any.Type { Any.self }
  package static var anyValueType: Any.Type { Any.self }
  package static func making(_ pairs: [(key: Any, value: Any?)]) -> Any? { nil }
}

extension Dictionary: Keyed {
  package var anyPairs: [(key: Any, value: Any?)] {
    map { (AnyHashable($0.key).base, flattened($0.value)) }
  }

  package static var anyKeyType: Any.Type { Key.self }
  package static var anyValueType: Any.Type { Value.self }

  package static func making(_ pairs: [(key: Any, value: Any?)]) -> Any? {
    var dictionary = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs {
      guard let key = key as? Key,
        let value = value.map({ $0 as? Value }) ?? nilValue(of: Value.self),
        dictionary.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return dictionary
  }

  package static func converting(_ value: any Keyed) -> Any? {
    let pairs = value.anyPairs
    var dictionary = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs {
      guard let key: Key = convertedElement(key),
        let value: Value = value.map(convertedElement) ?? nilValue(of: Value.self),
        dictionary.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return dictionary
  }
}
