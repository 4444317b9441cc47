extension KnownNames {
  /// Types that hold a value which changes without notice.
  static let stateTypes: Set<String> = [
    "Mutex", "Atomic", "AtomicLazyReference", "ManagedAtomic", "UnsafeAtomic", "LockIsolated",
    "OSAllocatedUnfairLock", "NIOLockedValueBox", "NSCache", "NSMapTable", "NSHashTable",
    "NSMutableArray", "NSMutableDictionary", "NSMutableSet", "NSMutableString", "UserDefaults",
    "NSUbiquitousKeyValueStore", "CurrentValueSubject", "UIPasteboard", "NSPasteboard",
    "UnsafeMutablePointer", "ManagedBuffer",
  ]

  /// Whether the type is a known value type of the standard library or a system framework, or a
  /// class that only computes from its arguments.
  static func isValueType(_ name: String) -> Bool {
    valueTypes.contains(name) || services.contains(name)
      || serviceEndings.contains { name.hasSuffix($0) }
  }

  private static let valueTypes: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32",
    "UInt64", "UInt128", "Float", "Float16", "Float32", "Float64", "Float80", "Double", "CGFloat",
    "Decimal", "Bool", "String", "Substring", "Character", "Unicode", "StaticString", "Void",
    "Never", "Optional", "Array", "ArraySlice", "ContiguousArray", "Set", "Dictionary",
    "OrderedSet", "OrderedDictionary", "Deque", "Range", "ClosedRange", "PartialRangeFrom",
    "PartialRangeUpTo", "PartialRangeThrough", "RangeSet", "Result", "Duration", "InlineArray",
    "ContinuousClock", "SuspendingClock", "ObjectIdentifier", "CollectionOfOne", "EmptyCollection",
    "KeyValuePairs", "Regex", "SIMD2", "SIMD3", "SIMD4", "KeyPath", "AnyKeyPath", "PartialKeyPath",
    "WritableKeyPath", "ReferenceWritableKeyPath", "StrideTo", "StrideThrough", "Repeated",
    "Date", "DateInterval", "DateComponents", "TimeInterval", "Calendar", "Locale", "TimeZone",
    "URL", "URLComponents", "URLQueryItem", "URLRequest", "UUID", "Data", "IndexPath", "IndexSet",
    "CharacterSet", "Measurement", "PersonNameComponents", "AttributedString", "Notification",
    "LocalizedStringResource", "CGPoint", "CGSize", "CGRect", "CGVector", "CGAffineTransform",
    "NSRange", "NSDecimalNumber", "NSNumber", "NSString", "NSAttributedString", "NSURL", "NSDate",
    "Selector", "Predicate", "SortDescriptor", "KeyPathComparator", "ComparisonResult",
    "Color", "Image", "Text", "Font", "Angle", "UnitPoint", "EdgeInsets", "LocalizedStringKey",
    "Edge", "Alignment", "Animation", "UIColor", "NSColor", "UIImage", "NSImage", "UIFont",
    "NSFont", "UIEdgeInsets", "CGColor", "ISO8601FormatStyle",
  ]

  private static let services: Set<String> = [
    "Bundle", "ProcessInfo", "FileManager", "Logger", "OSLog", "JSONEncoder", "JSONDecoder",
    "PropertyListEncoder", "PropertyListDecoder", "NSRegularExpression", "DispatchQueue",
    "OperationQueue", "NotificationCenter", "URLSession", "NSLock", "NSRecursiveLock",
    "UndoManager", "Timer", "RunLoop", "Thread", "Task", "MainActor", "Clock", "NSPredicate",
    "NSSortDescriptor", "UIScreen", "UIDevice", "NSScreen",
  ]

  private static let serviceEndings = ["Formatter", "FormatStyle", "Encoder", "Decoder", "Parser"]
}
