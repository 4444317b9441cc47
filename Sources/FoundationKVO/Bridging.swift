import KeyValueCore

/// Converts values between the Swift types that classes declare and the Cocoa types of key-value coding and
/// change dictionaries.
enum Bridging {
  /// A value as Cocoa represents it: scalars as `NSNumber`, ranges and geometry as `NSValue`, an enumeration
  /// as its raw number, collections as Foundation's, nil as nil.
  static func object(_ value: Any?) -> Any? {
    guard let value = flattened(value) else { return nil }
    if let number = number(value) { return number }
    switch value {
    case let range as NSRange: return NSValue(range: range)
    case let point as CGPoint: return NSValue(point: point)
    case let size as CGSize: return NSValue(size: size)
    case let rect as CGRect: return NSValue(rect: rect)
    case let value as any RawRepresentable: return number(value.rawValue) ?? value
    case _ where type(of: value) is AnyClass: return value
    case let array as any OrderedToMany: return NSArray(array: array.anyElements.map(present))
    case let set as any UnorderedToMany: return NSSet(array: members(set.anyElements))
    case let dictionary as [AnyHashable: Any]:
      return NSDictionary(
        dictionary: dictionary.reduce(into: [AnyHashable: Any]()) {
          $0[$1.key] = present($1.value)
        })
    default: return value
    }
  }

  /// The same, with `NSNull` for nil, as dictionaries store it.
  static func present(_ value: Any?) -> Any { object(value) ?? NSNull() }

  /// Values as the elements of Foundation's set types.
  static func members(_ values: some Sequence<Any?>) -> [Any] {
    values.map { value in
      let member = present(value)
      guard let number = member as? NSDecimalNumber else { return member }
      return HashableDecimalNumber(decimal: number.decimalValue)
    }
  }

  /// A value as a class may declare it.
  ///
  /// Numbers stay `NSNumber`; setting converts them to the property's type. A mutable string stays the object that
  /// a key of its class holds, and casts to `String`.
  static func swift(_ value: Any?) -> Any? {
    switch value {
    case is NSNumber: value
    case is NSNull: nil
    case let value as NSValue: unpacked(value)
    case let string as NSString: string is NSMutableString ? value : string as String
    default: value
    }
  }

  /// The empty value that nil becomes for a property of this type, which isn't optional; nil if there is none.
  static func bridgedNil(of type: Any.Type) -> Any? {
    switch type {
    case is AnyClass: nil
    case is String.Type: ""
    case is Data.Type: Data()
    case let collection as any ToMany.Type: collection.empty
    case let dictionary as any Keyed.Type: dictionary.converting([String: Any]())
    default: nil
    }
  }

  private static func number(_ value: Any) -> NSNumber? {
    // Casts bridge, so the type shows whether a value is already an object.
    if type(of: value) is NSNumber.Type { return value as? NSNumber }
    return switch value {
    case let value as Bool: NSNumber(value: value)
    case let value as Int: NSNumber(value: value)
    case let value as Double: floating(value) { NSNumber(value: value) }
    case let value as Float: floating(Double(value)) { NSNumber(value: value) }
    case let value as Int8: NSNumber(value: value)
    case let value as Int16: NSNumber(value: value)
    case let value as Int32: NSNumber(value: value)
    case let value as Int64: NSNumber(value: value)
    case let value as UInt: NSNumber(value: value)
    case let value as UInt8: NSNumber(value: value)
    case let value as UInt16: NSNumber(value: value)
    case let value as UInt32: NSNumber(value: value)
    case let value as UInt64: NSNumber(value: value)
    case let value as CGFloat: floating(Double(value)) { NSNumber(value: Double(value)) }
    case let value as Decimal: HashableDecimalNumber(decimal: value)
    default: nil
    }
  }

  /// A floating-point number, printed as Cocoa prints it.
  ///
  /// Foundation for Linux prints a number without a fraction as `5.0`, Cocoa as `5`, and `NSNumber` can't be
  /// subclassed. So such a number is boxed as an integer, which is equal to it and casts to the same types.
  private static func floating(_ value: Double, _ box: () -> NSNumber) -> NSNumber {
    #if canImport(Darwin)
      return box()
    #else
      let isNegativeZero = value == 0 && value.sign == .minus
      // From this value on, Cocoa prints an exponent.
      guard abs(value) < 1e16, !isNegativeZero, let whole = Int64(exactly: value) else {
        return box()
      }
      return NSNumber(value: whole)
    #endif
  }

  private static func decimal(_ value: Any) -> Decimal? {
    value is NSDecimalNumber || type(of: value) == Decimal.self ? value as? Decimal : nil
  }

  private static func unpacked(_ value: NSValue) -> Any {
    switch String(cString: value.objCType) {
    case String(cString: NSValue(range: NSRange()).objCType): value.rangeValue
    case String(cString: NSValue(point: .zero).objCType): value.pointValue
    case String(cString: NSValue(size: .zero).objCType): value.sizeValue
    case String(cString: NSValue(rect: .zero).objCType): value.rectValue
    default: value
    }
  }

  /// A value without its optionals.
  static func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any Wrapping else { return value }
    return flattened(optional.wrapped)
  }

  /// `NSNull` as an element of a set: on Linux, two of its objects have different hash values.
  // Checked by hand: the object has no state.
  nonisolated(unsafe) static let null = AnyHashable(NSNull())

  /// A value as an element of a set, nil as `NSNull`; the result is nil if no set can hold it.
  ///
  /// Numbers are `NSNumber`s, because on Linux a number and its `NSNumber` have different hash values. A case of an
  /// enumeration is its raw number, as in the set that `value(forKey:)` returns. Other objects stay the same objects.
  static func element(_ value: Any) -> AnyHashable? {
    guard let value = swift(flattened(value)) else { return null }
    if let decimal = decimal(value) { return AnyHashable(decimal) }
    let raw = (value as? any RawRepresentable).flatMap { number($0.rawValue) }
    return (number(value) ?? raw).map { AnyHashable($0) } ?? value as? AnyHashable
  }

  /// What compares an element of a set with others; nil if no set can hold it.
  ///
  /// It's for comparisons only: an object of Foundation's is the value that it stands for, `Date` for `NSDate`,
  /// because the two have different hash values on Linux.
  static func hashable(_ value: Any) -> AnyHashable? { unboxed(value) ?? element(value) }

  /// The value that an object of Foundation's stands for; nil for other values, for numbers and for collections.
  private static func unboxed(_ object: Any) -> AnyHashable? {
    #if canImport(Darwin)
      // An object and its value are equal there.
      return nil
    #else
      // Foundation makes a Swift set of a proxy empty, so collections stay objects.
      guard type(of: object) is AnyClass, !(type(of: object) is NSValue.Type),
        let object = object as? any _StructBridgeable,
        !(object is any ToMany || object is any Keyed)
      else { return nil }
      return object._bridgeToAny() as? AnyHashable
    #endif
  }

  /// What compares values as the elements of a set.
  static func hashables(_ values: some Sequence<Any>) -> Set<AnyHashable> {
    Set(values.compactMap { hashable($0) })
  }

  /// What compares the elements of a set.
  static func hashables(_ elements: Set<AnyHashable>) -> Set<AnyHashable> {
    hashables(elements.lazy.map(\.base))
  }

  /// Whether two elements of a collection are equal.
  static func areEqual(_ left: Any, _ right: Any) -> Bool { key(left) == key(right) }

  /// A value that is equal for equal elements of a collection: objects without equality are compared by
  /// identity, decimals with other numbers by their digits.
  static func key(_ element: Any) -> AnyHashable {
    if let decimal = decimal(element) {
      let number = NSNumber(value: Double("\(decimal)") ?? .nan)
      return DecimalArithmetic.exactly(number) == decimal
        ? AnyHashable(number) : AnyHashable(decimal)
    }
    return hashable(element) ?? AnyHashable(Identity(object: element as AnyObject))
  }

  private struct Identity: Hashable {
    let object: AnyObject

    static func == (left: Identity, right: Identity) -> Bool { left.object === right.object }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
  }
}

// One key of an object that may be of any type, with the object's own method: a dot in the key is a part of its name.
extension Bridging {
  /// The value of a key; raises if the object has no such key.
  static func value(of object: Any, forKey key: String) -> Any? {
    switch object {
    case let object as NSObject: return object.value(forKey: key)
    case let array as NSArray: return array.value(forKey: key)
    case let set as NSSet: return set.value(forKey: key)
    case let orderedSet as NSOrderedSet: return orderedSet.value(forKey: key)
    case let dictionary as NSDictionary: return dictionary.value(forKey: key)
    case let defaults as UserDefaults: return defaults.value(forKey: key)
    case let value as any CodedValue:
      guard let found = value.codedValue(forKey: key) else { break }
      return found
    default: break
    }
    Exception.unknownKey.raise(
      "\(type(of: object)) has no key '\(key)'. Use a key of the value's class in Cocoa.")
  }

  /// Sets a key; raises if the object has no keys to set.
  static func setValue(_ value: Any?, of object: Any, forKey key: String) {
    switch object {
    case let object as NSObject: object.setValue(value, forKey: key)
    case let array as NSArray: array.setValue(value, forKey: key)
    case let set as NSSet: set.setValue(value, forKey: key)
    case let orderedSet as NSOrderedSet: orderedSet.setValue(value, forKey: key)
    case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKey: key)
    case let defaults as UserDefaults: defaults.setValue(value, forKey: key)
    default:
      Exception.unknownKey.raise(
        "\(type(of: object)) has no keys to set, so '\(key)' can't be set. Set the key that holds the object."
      )
    }
  }
}

/// An optional of any type.
private protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  fileprivate var wrapped: Any? { map { $0 as Any } }
}

// An element that's nil in a collection of optionals.
extension NSNull: NullObject {}

extension NSDecimalNumber: NumberObject {
  package var exactNumber: any Numeric { decimalValue }
}
