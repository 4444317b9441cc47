/// The exceptions that Cocoa raises.
///
/// Swift can't catch them, so each ends the program through the violation handler.
enum Exception: String {
  case unknownKey = "NSUnknownKeyException"
  case invalidArgument = "NSInvalidArgumentException"
  case range = "NSRangeException"
  case internalInconsistency = "NSInternalInconsistencyException"

  func raise(_ reason: String) -> Never {
    KeyValueViolation.fatal(.exception, "\(rawValue): \(reason)")
  }

  /// Runs code that throws only where Cocoa raises an exception.
  static func raising<Result>(
    _ object: AnyObject, _ body: () throws -> Result
  ) -> Result {
    do {
      return try body()
    } catch let error as KeyValueCodingError {
      exception(for: error).raise(
        "[\(address(of: object))]: \(error)\(whereabouts(error, object))")
    } catch {
      internalInconsistency.raise("[\(address(of: object))]: \(error)")
    }
  }

  /// Removes an observer, which has to be registered.
  static func removing(
    _ observer: NSObject, _ keyPath: String, from object: AnyObject, _ body: () throws -> Void
  ) {
    do {
      try body()
    } catch {
      range.raise(
        "Cannot remove an observer \(address(of: observer)) for the key path \"\(keyPath)\" from "
          + "\(address(of: object)) because it is not registered as an observer.")
    }
  }

  /// Reads, with the keys that Cocoa's values have.
  static func reading<Result>(_ object: AnyObject, _ body: () throws -> Result) -> Result {
    raising(object) { try CodedValues.reading(body) }
  }

  /// Where the key that an error calls undefined is declared, if a debug build can find it.
  ///
  /// It examines only the object itself: the error has no other object of the path.
  private static func whereabouts(_ error: KeyValueCodingError, _ object: AnyObject) -> String {
    guard case .undefinedKey(let details) = error, details.position ?? 1 == 1,
      details.reason == nil, let object = object as? any KeyValueObservable
    else { return "" }
    return whereabouts(of: details.key, in: object)
  }

  /// Where an undefined key is declared, as an additional sentence of a reason; empty if that isn't known.
  static func whereabouts(of key: String, in object: any KeyValueObservable) -> String {
    #if DEBUG || KVO_AUDIT
      UnannotatedClasses.whereabouts(of: key, in: object).map { " \($0)" } ?? ""
    #else
      ""
    #endif
  }

  private static func exception(for error: KeyValueCodingError) -> Exception {
    switch error {
    case .undefinedKey, .readOnly, .notKeyValueObservable: .unknownKey
    case .notRegistered, .indexOutOfRange: .range
    case .nilValue, .typeMismatch, .malformedKeyPath, .unknownOperator, .notACollection:
      .invalidArgument
    }
  }

  /// An object as Cocoa's messages name it: `<Employee 0x600000010a20>`.
  static func address(of object: AnyObject) -> String {
    let address = UInt(bitPattern: ObjectIdentifier(object))
    return "<\(type(of: object)) 0x\(String(address, radix: 16))>"
  }
}

// Collections raise these before anything is announced.
extension Exception {
  /// Raises unless a collection of this many elements has an index.
  static func check(_ index: Int, _ count: Int) {
    if index >= 0, index < count { return }
    range.raise("index \(index) beyond bounds \(bounds(count))")
  }

  /// Raises unless a collection of this many elements has all indexes.
  static func check(_ indexes: IndexSet, _ count: Int) {
    if let last = indexes.last { check(last, count) }
  }

  /// Raises unless there is one index for each of the objects.
  static func check(_ objects: Int, _ indexes: IndexSet) {
    if objects == indexes.count { return }
    invalidArgument.raise(
      "count of array (\(objects)) differs from count of index set (\(indexes.count))")
  }

  /// Raises unless an object can be inserted at an index.
  static func checkInsertion(_ index: Int, _ count: Int) {
    if index >= 0, index <= count { return }
    range.raise("index \(index) beyond bounds for insertion [0 .. \(count)]")
  }

  /// Raises unless objects can have these indexes after their insertion.
  static func checkInsertion(_ indexes: IndexSet, _ count: Int) {
    if let last = indexes.last { checkInsertion(last, count + indexes.count - 1) }
  }

  /// A range; raises unless a collection of this many elements has all its indexes.
  static func checked(_ range: NSRange, _ count: Int) -> Range<Int> {
    guard range.location >= 0, range.length >= 0, range.location <= count,
      range.length <= count - range.location
    else {
      Exception.range.raise(
        "range {\(range.location), \(range.length)} extends beyond bounds \(bounds(count))")
    }
    return range.location..<range.location + range.length
  }

  private static func bounds(_ count: Int) -> String {
    count == 0 ? "for empty collection" : "[0 .. \(count - 1)]"
  }
}
