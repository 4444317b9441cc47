/// A class's own `value(forKey:)` and `setValue(_:forKey:)`, which replace the library's.
///
/// As an override in Cocoa calls `super`, the class's method reaches the library's by calling
/// `value(forKey:)` through the protocol for the same key. While the class's method runs for a key
/// of an object, further calls on that thread go to the library's method.
///
/// In a class with Cocoa's names, `super` is the library's method itself, so each call goes to the class's method.
// Checked by hand: immutable once the schema is built; the closures run only for the object's
// users.
struct OwnCoding: @unchecked Sendable {
  var value: ((AnyObject, String) throws -> Any?)?
  var setValue: ((AnyObject, Any?, String) throws -> Void)?

  /// Reads with the class's method; nil if there is none, or if that method is the caller and has no `super`.
  func value(of object: any KeyValueObservable, _ key: String) throws -> Any?? {
    guard let value else { return nil }
    if object.schema.usesCocoaNaming { return try .some(value(object, key)) }
    return try OwnCoding.once(.init(object, key, isSetting: false)) { try value(object, key) }
  }

  /// Sets with the class's method; false if there is none, or if that method is the caller and has no `super`.
  func set(_ value: Any?, of object: any KeyValueObservable, _ key: String) throws -> Bool {
    guard let setValue else { return false }
    if object.schema.usesCocoaNaming {
      try setValue(object, value, key)
      return true
    }
    let call = Call(object, key, isSetting: true)
    return try OwnCoding.once(call) { try setValue(object, value, key) } != nil
  }

  /// Whether the class's method is setting this key of the object.
  func isSetting(_ key: String, of object: any KeyValueObservable) -> Bool {
    OwnCoding.running.known?.calls.contains(.init(object, key, isSetting: true)) == true
  }

  // MARK: Running methods

  private struct Call: Hashable {
    let object: ObjectIdentifier
    let key: String
    let isSetting: Bool

    init(_ object: AnyObject, _ key: String, isSetting: Bool) {
      self.object = ObjectIdentifier(object)
      self.key = key
      self.isSetting = isSetting
    }
  }

  /// A thread's running methods.
  private final class Running {
    var calls: Set<Call> = []
  }

  private static let running = ThreadLocal { Running() }

  private static func once<Result>(_ call: Call, _ body: () throws -> Result) rethrows -> Result? {
    let running = running.value
    guard running.calls.insert(call).inserted else { return nil }
    defer { running.calls.remove(call) }
    return try body()
  }
}

extension KeyValueSchemaBuilder {
  /// Adds a class's own `value(forKey:)`.
  public func ownValue<Root: AnyObject>(_ value: @escaping (Root, String) throws -> Any?) {
    updateOwnCoding { $0.value = { try value(unsafeDowncast($0, to: Root.self), $1) } }
  }

  /// Adds a class's own `setValue(_:forKey:)`.
  public func ownSetValue<Root: AnyObject>(
    _ setValue: @escaping (Root, Any?, String) throws -> Void
  ) {
    updateOwnCoding { $0.setValue = { try setValue(unsafeDowncast($0, to: Root.self), $1, $2) } }
  }
}
