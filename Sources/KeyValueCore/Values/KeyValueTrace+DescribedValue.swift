extension KeyValueTrace.Value {
  static let none = KeyValueTrace.Value(storage: .none)
  static let redacted = KeyValueTrace.Value(storage: .redacted)

  /// How many elements of a collection are described.
  private static let describedElements = 3

  /// Keeps or describes a value.
  init<Given>(of value: Given) {
    self = withUnsafePointer(to: value) { KeyValueTrace.Value(at: $0) }
  }

  /// Keeps or describes a value, which isn't copied if it's a number.
  init<Given>(at address: UnsafePointer<Given>) {
    // In each case the types have just been found equal.
    let raw = UnsafeRawPointer(address)
    if Given.self == Int.self {
      storage = .integer(raw.load(as: Int.self))
    } else if Given.self == Double.self {
      storage = .floating(raw.load(as: Double.self))
    } else if Given.self == Bool.self {
      storage = .boolean(raw.load(as: Bool.self))
    } else if Given.self == String.self {
      storage = .string(raw.load(as: String.self))
    } else {
      storage = KeyValueTrace.Value.storage(of: address.pointee)
    }
  }

  @inline(never)
  private static func storage(of value: Any) -> Storage {
    guard let value = flattened(value) else { return .none }
    if isClass(type(of: value)) { return .object(.init(value as AnyObject)) }
    switch value {
    case let value as Int: return .integer(value)
    case let value as Double: return .floating(value)
    case let value as Bool: return .boolean(value)
    case let value as String: return .string(value)
    case let value as any ToMany: return list(value)
    case let value as any Keyed: return entries(value)
    default: return text(of: value)
    }
  }

  private static func list(_ collection: any ToMany) -> Storage {
    let elements = collection.anyElements
    let first = elements.prefix(describedElements).map { KeyValueTrace.Value(of: $0) }
    let described = first.map { "\($0)" }
    guard elements.count > describedElements else {
      let text = "[" + described.joined(separator: ", ") + "]"
      let short = shortened(text)
      return .list(
        short,
        isWhole: short.utf8.count == text.utf8.count && first.allSatisfy { $0.isKnownToEqual($0) },
        count: elements.count)
    }
    let more = "… \(elements.count) elements"
    return .list(
      "[" + (described + [more]).joined(separator: ", ") + "]", isWhole: false,
      count: elements.count)
  }

  private static func entries(_ dictionary: any Keyed) -> Storage {
    let pairs = dictionary.anyPairs
    guard pairs.count > describedElements else { return text(of: dictionary) }
    let described = pairs.prefix(describedElements).map { key, value in
      "\(KeyValueTrace.Value(of: key)): \(KeyValueTrace.Value(of: value))"
    }
    let shown = described.sorted().joined(separator: ", ")
    return .text("[\(shown), … \(pairs.count) elements]", isWhole: false)
  }

  private static func text(of value: Any) -> Storage {
    let text = plainDescription(value)
    let shortened = shortened(text)
    return .text(
      shortened, isWhole: shortened.utf8.count == text.utf8.count && isShownInFull(value))
  }

  /// Whether a value's text shows all of it: not an object's class alone, or what a type's own description
  /// chooses.
  private static func isShownInFull(_ value: Any) -> Bool {
    guard let value = flattened(value) else { return true }
    switch value {
    case is any BinaryInteger, is any BinaryFloatingPoint, is Bool, is String, is Character:
      return true
    case is any CustomStringConvertible, is any CustomDebugStringConvertible,
      is any TextOutputStreamable, is any CustomReflectable:
      return false
    default:
      let mirror = Mirror(reflecting: value)
      guard [.struct, .enum, .tuple].contains(mirror.displayStyle) else { return false }
      return mirror.children.allSatisfy { isShownInFull($0.value) }
    }
  }
}
