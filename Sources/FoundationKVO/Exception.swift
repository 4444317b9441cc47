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

  /// Where the key that an error calls undefined is declared, if a debug build can find it.
  ///
  /// It examines only the object itself: the error has no other object of the path.
  private static func whereabouts(_ error: KeyValueCodingError, _ object: AnyObject) -> String {
    guard case .undefinedKey(let details) = error, details.position ?? 1 == 1,
      let object = object as? any KeyValueObservable
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
