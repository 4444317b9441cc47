import KeyValueCore

// The keys that Cocoa finds on strings, numbers, dates and other values, because their methods can be called by name.

extension String: CodedValue {
  package func codedValue(forKey key: String) -> Any?? {
    PlainKeys.value(of: self as NSString, key)
  }
}
extension Data: CodedValue {
  package func codedValue(forKey key: String) -> Any?? {
    key == "length" ? NSNumber(value: count) : PlainKeys.value(of: self as NSData, key)
  }
}
extension Date: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self as NSDate, key) }
}
extension URL: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self as NSURL, key) }
}
extension NSString: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self, key) }
}
extension NSValue: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self, key) }
}
extension NSDate: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self, key) }
}
extension NSURL: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self, key) }
}
extension NSDictionary: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(of: self, key) }
}
extension Dictionary: CodedValue {
  package func codedValue(forKey key: String) -> Any?? {
    guard key.hasPrefix("@"), let dictionary = Bridging.object(self) as? NSDictionary else {
      return .none
    }
    return PlainKeys.value(of: dictionary, key)
  }
}

extension NSArray: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(ofCollection: self, key) }
}
extension NSSet: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(ofCollection: self, key) }
}
extension NSOrderedSet: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(ofCollection: self, key) }
}
extension Array: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(ofCollection: self, key) }
}
extension Set: CodedValue {
  package func codedValue(forKey key: String) -> Any?? { PlainKeys.value(ofCollection: self, key) }
}

/// A number, whose keys are those of its `NSNumber`.
private protocol CodedNumber: CodedValue {}
extension CodedNumber {
  package func codedValue(forKey key: String) -> Any?? {
    (Bridging.object(self) as? NSNumber).flatMap { PlainKeys.value(of: $0, key) }
  }
}
extension Bool: CodedNumber {}
extension Int: CodedNumber {}
extension Int8: CodedNumber {}
extension Int16: CodedNumber {}
extension Int32: CodedNumber {}
extension Int64: CodedNumber {}
extension UInt: CodedNumber {}
extension UInt8: CodedNumber {}
extension UInt16: CodedNumber {}
extension UInt32: CodedNumber {}
extension UInt64: CodedNumber {}
extension Double: CodedNumber {}
extension Float: CodedNumber {}
extension CGFloat: CodedNumber {}

enum PlainKeys {
  /// The value of a dictionary's own key, `@count`; `.none` if it's a key of its contents.
  static func value(of dictionary: NSDictionary, _ key: String) -> Any?? {
    switch key {
    case "@count": NSNumber(value: dictionary.count)
    case "@allKeys": NSArray(array: dictionary.allKeys)
    case "@allValues": NSArray(array: dictionary.allValues)
    case "@description": .some(dictionary.description)
    case "@hash": NSNumber(value: dictionary.hash)
    case "@self": .some(dictionary)
    default: nil
    }
  }

  /// The value of a collection's own key, `@lastObject`; `.none` if it's a key of the elements.
  static func value(ofCollection collection: Any, _ key: String) -> Any?? {
    guard key.hasPrefix("@"), let object = Bridging.object(collection) as? Foundation.NSObject
    else { return .none }
    return value(of: object, String(key.dropFirst()))
  }

  /// The value of a key, which may be nil; `.none` if Cocoa has no such key.
  static func value(of object: Foundation.NSObject, _ key: String) -> Any?? {
    switch key {
    case "self": return object
    case "description": return object.description
    case "hash": return NSNumber(value: object.hash)
    default: break
    }
    return switch object {
    case let string as NSString: value(of: string, key)
    case let number as NSNumber: value(of: number, key)
    case let date as NSDate: value(of: date, key)
    case let url as NSURL: value(of: url, key)
    case let array as NSArray: value(of: array, key)
    case let set as NSSet: value(of: set, key)
    case let set as NSOrderedSet: value(of: set, key)
    default: nil
    }
  }

  private static func value(of string: NSString, _ key: String) -> Any?? {
    switch key {
    case "length": NSNumber(value: string.length)
    case "intValue": NSNumber(value: string.intValue)
    case "integerValue": NSNumber(value: string.integerValue)
    case "longLongValue": NSNumber(value: string.longLongValue)
    case "floatValue": Bridging.object(string.floatValue)
    case "doubleValue": Bridging.object(string.doubleValue)
    case "boolValue": NSNumber(value: string.boolValue)
    case "uppercaseString", "localizedUppercaseString": string.uppercased
    case "lowercaseString", "localizedLowercaseString": string.lowercased
    case "capitalizedString", "localizedCapitalizedString": string.capitalized
    case "lastPathComponent": string.lastPathComponent
    case "pathExtension": string.pathExtension
    case "stringByDeletingPathExtension": string.deletingPathExtension
    case "stringByDeletingLastPathComponent": string.deletingLastPathComponent
    case "pathComponents": NSArray(array: string.pathComponents)
    default: nil
    }
  }

  private static func value(of array: NSArray, _ key: String) -> Any?? {
    switch key {
    case "firstObject": .some(array.firstObject)
    case "lastObject": .some(array.lastObject)
    default: nil
    }
  }

  private static func value(of set: NSSet, _ key: String) -> Any?? {
    switch key {
    case "anyObject": .some(set.anyObject())
    case "allObjects": NSArray(array: set.allObjects)
    default: nil
    }
  }

  private static func value(of set: NSOrderedSet, _ key: String) -> Any?? {
    // The live set of a key overrides these two.
    let elements = (0..<set.count).map { set.object(at: $0) }
    return switch key {
    case "firstObject": .some(elements.first)
    case "lastObject": .some(elements.last)
    case "array": NSArray(array: elements)
    case "set": NSSet(array: Bridging.members(elements))
    default: nil
    }
  }

  private static func value(of number: NSNumber, _ key: String) -> Any?? {
    switch key {
    case "charValue": NSNumber(value: number.int8Value)
    case "shortValue": NSNumber(value: number.int16Value)
    case "intValue": NSNumber(value: number.int32Value)
    case "integerValue", "longValue": NSNumber(value: number.intValue)
    case "longLongValue": NSNumber(value: number.int64Value)
    case "unsignedIntValue": NSNumber(value: number.uint32Value)
    case "unsignedIntegerValue", "unsignedLongValue": NSNumber(value: number.uintValue)
    case "unsignedLongLongValue": NSNumber(value: number.uint64Value)
    case "floatValue": Bridging.object(number.floatValue)
    case "doubleValue": Bridging.object(number.doubleValue)
    case "boolValue": NSNumber(value: number.boolValue)
    case "decimalValue": DecimalArithmetic.object(number)
    case "stringValue": number.stringValue
    default: nil
    }
  }

  private static func value(of date: NSDate, _ key: String) -> Any?? {
    switch key {
    case "timeIntervalSinceReferenceDate": Bridging.object(date.timeIntervalSinceReferenceDate)
    case "timeIntervalSince1970": Bridging.object(date.timeIntervalSince1970)
    case "timeIntervalSinceNow": Bridging.object(date.timeIntervalSinceNow)
    default: nil
    }
  }

  private static func value(of url: NSURL, _ key: String) -> Any?? {
    switch key {
    case "absoluteString": .some(url.absoluteString)
    case "path": .some(url.path)
    case "host": .some(url.host)
    case "scheme": .some(url.scheme)
    case "query": .some(url.query)
    case "fragment": .some(url.fragment)
    case "lastPathComponent": .some(url.lastPathComponent)
    case "pathExtension": .some(url.pathExtension)
    default: nil
    }
  }
}
