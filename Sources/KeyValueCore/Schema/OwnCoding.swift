import Synchronization

/// A class's own `value(forKey:)` and `setValue(_:forKey:)`, which stand in place of the library's.
///
/// The class's method reaches the library's by calling `value(forKey:)` through the protocol, for the
/// same key, as an override in Cocoa calls `super`: while the class's method runs for a key of an object,
/// on one thread, further calls for them go to the library's.
// Checked by hand: immutable once the schema is built; the closures run on behalf of the object's users.
struct OwnCoding: @unchecked Sendable {
  var value: ((AnyObject, String) throws -> Any?)?
  var setValue: ((AnyObject, Any?, String) throws -> Void)?

  /// Reads by the class's method; nothing where that is what is calling, or there is none.
  func value(of object: any KeyValueObservable, _ key: String) throws -> Any?? {
    guard let value else { return nil }
    return try OwnCoding.once(.init(object, key, isSetting: false)) { try value(object, key) }
  }

  /// Sets by the class's method; false where that is what is calling, or there is none.
  func set(_ value: Any?, of object: any KeyValueObservable, _ key: String) throws -> Bool {
    guard let setValue else { return false }
    let call = Call(object, key, isSetting: true)
    return try OwnCoding.once(call) { try setValue(object, value, key) } != nil
  }

  // MARK: What is running

  private struct Call: Hashable {
    let thread = ThreadIdentity.current
    let object: ObjectIdentifier
    let key: String
    let isSetting: Bool

    init(_ object: AnyObject, _ key: String, isSetting: Bool) {
      self.object = ObjectIdentifier(object)
      self.key = key
      self.isSetting = isSetting
    }
  }

  /// The methods that are running, on all threads.
  private static let running = LockedValue<Set<Call>>([])

  private static func once<Result>(_ call: Call, _ body: () throws -> Result) rethrows -> Result? {
    guard running.withLock({ $0.insert(call).inserted }) else { return nil }
    defer { _ = running.withLock { $0.remove(call) } }
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

/// A to-many key as a class's own methods, or its customisation points, answer for it.
///
/// A proxy of such a key reads and sets the whole collection.
final class HookedProperty: Property, @unchecked Sendable {
  /// - Parameters:
  ///   - property: The class's key of that name, if it has one.
  ///   - value: What the key holds now.
  init(_ key: String, _ property: Property?, value: Any?) {
    super.init(
      key: key, origin: .accessors, ownership: .strong,
      valueType: property?.valueType ?? value.map { type(of: $0) } ?? [Any].self)
    // What nothing observes has an id that no property has.
    id = property?.id ?? Int(Int32.max)
  }

  override var hasSetter: Bool { true }

  override func anyValue(of object: AnyObject) -> Any? {
    guard let object = object as? any KeyValueObservable else { return nil }
    do {
      return try object.value(forKey: key)
    } catch {
      KeyValueViolation.fatal(.undefinedKey, "\(error)")
    }
  }

  override func anyValue(at address: UnsafeRawPointer) -> Any? {
    address.assumingMemoryBound(to: Any?.self).pointee
  }

  override func capture(from object: AnyObject) -> any CapturedValue {
    ValueBox<Any?>(anyValue(of: object))
  }

  override func mutate(_ object: AnyObject, _ edit: Edit) {
    func edited<Value: ToMany>(_ value: Value) -> Any {
      var value = value
      withUnsafeMutablePointer(to: &value) { edit.apply(at: $0, type: Value.self) }
      return value
    }
    // A collection that is missing is made, as behind a setter.
    let empty: (any ToMany)? = (unwrapped(valueType) as? any ToMany.Type)?.empty
    let present = anyValue(of: object).map { $0 as? any ToMany } ?? empty
    guard let object = object as? any KeyValueObservable, let value = present else { return }
    do {
      try object.setValue(edited(value), forKey: key)
    } catch {
      KeyValueViolation.fatal(.wrongElement, "\(error)")
    }
  }
}
