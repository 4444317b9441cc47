import KeyValueCore

// Key-value coding and observing of Foundation's collections.

extension NSArray {
  /// Each element's value for a key, `NSNull` for nil; with a leading `@`, the array's own value.
  public func value(forKey key: String) -> Any? {
    Bridging.object(Exception.reading(self) { try codedValue(forKey: key) })
  }

  /// Each element's value at the end of a key path, or a collection operator's result.
  public func value(forKeyPath keyPath: String) -> Any? {
    Bridging.object(
      Exception.reading(self) { try codedValue(forKeyPath: keyPath) })
  }

  /// Sets a key of each element.
  public func setValue(_ value: Any?, forKey key: String) {
    for object in self { Bridging.setValue(value, of: object, forKey: key) }
  }

  /// Sets the value at the end of a key path from each element.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    for object in self { Bridging.setValue(value, of: object, forKeyPath: keyPath) }
  }

  /// Registers an observer with several elements.
  public func addObserver(
    _ observer: NSObject, toObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
    options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
  ) {
    for object in models(at: indexes) {
      object.addObserver(observer, forKeyPath: keyPath, options: options, context: context)
    }
  }

  /// Removes an observer from several elements.
  public func removeObserver(
    _ observer: NSObject, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
    context: UnsafeMutableRawPointer?
  ) {
    for object in models(at: indexes) {
      object.removeObserver(observer, forKeyPath: keyPath, context: context)
    }
  }

  /// Removes an observer from several elements, whatever its context.
  public func removeObserver(
    _ observer: NSObject, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String
  ) {
    for object in models(at: indexes) { object.removeObserver(observer, forKeyPath: keyPath) }
  }

  /// Cocoa raises an exception: an array has no observable keys.
  @available(
    *, unavailable,
    message: "an array can't be observed; use addObserver(_:toObjectsAt:forKeyPath:)"
  )
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}

  private func models(at indexes: IndexSet) -> [NSObject] {
    Exception.check(indexes, count)
    return indexes.map { Bridging.model(object(at: $0)) }
  }
}

extension NSSet {
  /// Each element's value for a key.
  public func value(forKey key: String) -> Any? {
    Bridging.object(Exception.reading(self) { try codedValue(forKey: key) })
  }

  /// Each element's value at the end of a key path, or a collection operator's result.
  public func value(forKeyPath keyPath: String) -> Any? {
    Bridging.object(
      Exception.reading(self) { try codedValue(forKeyPath: keyPath) })
  }

  /// Sets a key of each element.
  public func setValue(_ value: Any?, forKey key: String) {
    NSArray(array: allObjects).setValue(value, forKey: key)
  }

  /// Sets the value at the end of a key path from each element.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    NSArray(array: allObjects).setValue(value, forKeyPath: keyPath)
  }
}

extension NSSet {
  /// Cocoa raises an exception: a set has no observable keys.
  @available(*, unavailable, message: "a set can't be observed; observe the key that holds it")
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}
}

extension NSOrderedSet {
  /// Cocoa raises an exception: an ordered set has no observable keys.
  @available(
    *, unavailable, message: "an ordered set can't be observed; observe the key that holds it"
  )
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {}

  /// Each element's value for a key, without duplicates.
  public func value(forKey key: String) -> Any? {
    Bridging.object(Exception.reading(self) { try codedValue(forKey: key) })
  }

  /// Each element's value at the end of a key path, or a collection operator's result.
  public func value(forKeyPath keyPath: String) -> Any? {
    Bridging.object(Exception.reading(self) { try codedValue(forKeyPath: keyPath) })
  }

  /// Sets a key of each element.
  public func setValue(_ value: Any?, forKey key: String) {
    NSArray(array: array).setValue(value, forKey: key)
  }

  /// Sets the value at the end of a key path from each element.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    NSArray(array: array).setValue(value, forKeyPath: keyPath)
  }
}

extension NSDictionary {
  /// The value for a key; with a leading `@`, the dictionary's own.
  public func value(forKey key: String) -> Any? {
    guard key.hasPrefix("@") else { return object(forKey: key as NSString) }
    if let own = PlainKeys.value(of: self, key) { return own }
    Exception.unknownKey.raise("a dictionary has no key '\(key.dropFirst())' of its own.")
  }

  /// The value at the end of a key path.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyCoding.value(forKeyPath: keyPath) { value(forKey: $0) }
  }

  /// The values for several keys, `NSNull` for a missing one.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    KeyCoding.values(forKeys: keys) { value(forKey: $0) }
  }
}

extension NSMutableDictionary {
  /// Sets the values for several keys, in sorted order; `NSNull` removes one.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    KeyCoding.setValues(keyedValues) { setValue($0, forKey: $1) }
  }

  /// Sets the value for a key; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) {
    if let value {
      setObject(value, forKey: key as NSString)
    } else {
      removeObject(forKey: key as NSString)
    }
  }

  /// Sets the value at the end of a key path.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return setValue(value, forKey: keyPath) }
    guard let owner = self.value(forKey: parts[0]) else { return }
    if let dictionary = owner as? [AnyHashable: Any] {
      // Foundation returns a copy of a dictionary in a collection, so a changed one takes its place.
      let copy = NSMutableDictionary(dictionary: dictionary)
      copy.setValue(value, forKeyPath: parts[1])
      setValue(copy, forKey: parts[0])
    } else {
      Bridging.setValue(value, of: owner, forKeyPath: parts[1])
    }
  }
}

extension Bridging {
  /// An element that has keys.
  static func model(_ object: Any) -> NSObject {
    guard let object = object as? NSObject else {
      Exception.unknownKey.raise(
        "\(type(of: object)) is no subclass of FoundationKVO's NSObject, so it has no keys to set.")
    }
    return object
  }

  /// Sets a key path from an object, an element of a collection or a dictionary's value.
  ///
  /// An element that is a dictionary can't be set, because Foundation returns a copy of it.
  static func setValue(_ value: Any?, of object: Any, forKeyPath keyPath: String) {
    switch object {
    case let object as NSObject: object.setValue(value, forKeyPath: keyPath)
    case let array as NSArray: array.setValue(value, forKeyPath: keyPath)
    case let set as NSSet: set.setValue(value, forKeyPath: keyPath)
    case let orderedSet as NSOrderedSet: orderedSet.setValue(value, forKeyPath: keyPath)
    case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKeyPath: keyPath)
    case let defaults as UserDefaults: defaults.setValue(value, forKeyPath: keyPath)
    default:
      Exception.unknownKey.raise(
        "\(type(of: object)) has no keys to set, so '\(keyPath)' leads nowhere.")
    }
  }

  static func value(of object: Any, forKeyPath keyPath: String) -> Any? {
    switch object {
    case let object as NSObject: return object.value(forKeyPath: keyPath)
    case let array as NSArray: return array.value(forKeyPath: keyPath)
    case let set as NSSet: return set.value(forKeyPath: keyPath)
    case let orderedSet as NSOrderedSet: return orderedSet.value(forKeyPath: keyPath)
    case let dictionary as NSDictionary: return dictionary.value(forKeyPath: keyPath)
    case let defaults as UserDefaults: return defaults.value(forKeyPath: keyPath)
    case let value as any CodedValue:
      let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
      guard let first = parts.first, let found = value.codedValue(forKey: first) else { break }
      return found.flatMap { parts.count == 1 ? $0 : self.value(of: $0, forKeyPath: parts[1]) }
    default: break
    }
    Exception.unknownKey.raise(
      "\(type(of: object)) has no key '\(keyPath.prefix { $0 != "." })', so '\(keyPath)' leads nowhere."
    )
  }
}
