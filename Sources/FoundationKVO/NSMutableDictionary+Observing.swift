import FoundationOriginals
import KeyValueCore

// A mutable dictionary changed in place notifies the observers of its keys, as in Cocoa, where the dictionary itself
// announces what happens to a key.
//
// Foundation's methods can't be replaced in an object, and Foundation finds nothing in a subclass's. So this module's
// extension stands in for the methods that change a dictionary, in files that import this module only. What Foundation
// itself changes, and files that import Foundation, isn't announced.

extension NSMutableDictionary: KeyValueObservable {
  /// Lends the registrar, which a table of observed dictionaries holds.
  public func _$kvoWithRegistrar<Result>(
    _ body: (borrowing KeyValueRegistrar) -> Result
  ) -> Result {
    let marked = MarkedDictionaries.mark(self)
    return body(marked.registrar)
  }

  /// A dictionary's keys are what it contains.
  public static func _$kvoDefineKeys(in schema: KeyValueSchemaBuilder) {
    schema.answerUndefinedKeys()
    schema.keepRegistrarsElsewhere(MarkedDictionaries.dictionary)
    schema.ownValue { (dictionary: NSMutableDictionary, key) in dictionary.value(forKey: key) }
    schema.ownSetValue { (dictionary: NSMutableDictionary, value, key) in
      dictionary.setValue(value, forKey: key)
    }
  }

  /// No key depends on another one.
  public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

  /// All keys are announced.
  public static func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

  /// Every key has a value, or none.
  public func value(forUndefinedKey key: String) -> Any? { object(forKey: key as NSString) }

  /// Sets the value of a key; nil removes it.
  public func setValue(_ value: Any?, forUndefinedKey key: String) { setValue(value, forKey: key) }

  /// Removes a key.
  public func setNilValue(forKey key: String) { setValue(nil, forKey: key) }
}

// What observes a dictionary.
extension NSMutableDictionary {
  /// Registers an observer for a key path that begins with one of the dictionary's keys.
  public func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {
    Exception.raising(self) {
      let object = self as any KeyValueObservable
      _ = try object.register(observer, keyPath, options, context, CallSites.currentPlace)
    }
  }

  /// Removes the registration of an observer for a key path with this context.
  public func removeObserver(
    _ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
  ) {
    Exception.removing(observer, keyPath, from: self) {
      let object = self as any KeyValueObservable
      try object.removeObserver(observer, forKeyPath: keyPath, context: context)
    }
  }

  /// Removes a registration of an observer for a key path.
  public func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
    Exception.removing(observer, keyPath, from: self) {
      try (self as any KeyValueObservable).removeObserver(observer, forKeyPath: keyPath)
    }
  }
}

// What changes a dictionary.
extension NSMutableDictionary {
  /// The value of a key; setting it notifies the key's observers, and nil removes the key.
  public subscript(key: AnyHashable) -> Any? {
    get { object(forKey: key) }
    set {
      if let newValue {
        setObject(newValue, forKey: key)
      } else {
        removeObject(forKey: key)
      }
    }
  }

  /// Sets the value of a key, and notifies the key's observers.
  public func setObject(_ anObject: Any, forKey aKey: AnyHashable) {
    announcing([aKey.base]) { $0.set(anObject, aKey) }
  }

  /// Removes a key, and notifies its observers.
  public func removeObject(forKey aKey: Any) {
    announcing([aKey]) { $0.remove(aKey) }
  }

  /// Removes all keys, and notifies their observers.
  public func removeAllObjects() {
    announcing(allKeys) { $0.removeAll() }
  }

  /// Removes several keys, and notifies their observers.
  public func removeObjects(forKeys keyArray: [Any]) {
    for key in keyArray { removeObject(forKey: key) }
  }

  /// Sets the values of another dictionary's keys, and notifies the keys' observers.
  public func addEntries(from otherDictionary: [AnyHashable: Any]) {
    for (key, value) in otherDictionary { setObject(value, forKey: key) }
  }

  /// Replaces all keys and values, and notifies the observers of what was there and of what is there.
  public func setDictionary(_ otherDictionary: [AnyHashable: Any]) {
    removeAllObjects()
    addEntries(from: otherDictionary)
  }

  /// Makes a change of some keys, and announces those that are observed.
  private func announcing(_ keys: [Any], _ change: (OriginalDictionary) -> Void) {
    let original = OriginalDictionary(self)
    guard MarkedDictionaries.has(self) else { return change(original) }
    let object = self as any KeyValueObservable
    let schema = KeyValueSchema.schema(of: NSMutableDictionary.self)
    let names = keys.compactMap { $0 as? String }.filter(schema.hasAnswered).sorted()
    for name in names { object.willChangeValue(forKey: name) }
    change(original)
    for name in names { object.didChangeValue(forKey: name) }
  }
}

/// The dictionaries that are, or were, observed.
///
/// An object's registrar belongs in the object, but Foundation's have no place for it. A dictionary's entry stays
/// until the next dictionary is marked after its death, or where many are observed, until twice as many are.
enum MarkedDictionaries {
  // Checked by hand: immutable, but for the weak reference, which may be read on any thread.
  final class Marked: @unchecked Sendable {
    let registrar = KeyValueRegistrar()
    private(set) weak var dictionary: NSMutableDictionary?

    init(_ dictionary: NSMutableDictionary) { self.dictionary = dictionary }
  }

  private static let lock = UnfairLock()
  // Accessed only inside `lock`.
  nonisolated(unsafe) private static var table: [ObjectIdentifier: Marked] = [:]
  // Accessed only inside `lock`.
  nonisolated(unsafe) private static var byRegistrar: [UnsafePointer<KeyValueRegistrar>: Marked] =
    [:]
  // The number of entries from which on those of the dead are looked for. Accessed only inside `lock`.
  nonisolated(unsafe) private static var sweepLimit = 0

  static func has(_ dictionary: NSMutableDictionary) -> Bool { known(dictionary) != nil }

  /// A dictionary's entry, which may be new.
  static func mark(_ dictionary: NSMutableDictionary) -> Marked {
    if let known = known(dictionary) { return known }
    var dead: [Marked] = []
    var living: [NSMutableDictionary] = []
    let marked = lock.withLock { () -> Marked in
      if let known = table[ObjectIdentifier(dictionary)] {
        if known.dictionary != nil { return known }
        forget(known, ObjectIdentifier(dictionary), &dead)
      }
      if table.count >= sweepLimit {
        for (identity, marked) in table {
          if let other = marked.dictionary {
            living.append(other)
          } else {
            forget(marked, identity, &dead)
          }
        }
        sweepLimit = table.count < 32 ? 0 : 2 * table.count
      }
      let marked = Marked(dictionary)
      table[ObjectIdentifier(dictionary)] = marked
      byRegistrar[marked.registrar.address()] = marked
      return marked
    }
    // A registrar notifies observers of its object's death, and a dictionary whose other references have ended
    // meanwhile releases its values. Both run other code, which must not happen under the lock.
    withExtendedLifetime((dead, living)) {}
    return marked
  }

  /// Takes a dead dictionary's entry out; the lock is held, and the caller releases the entry outside.
  private static func forget(
    _ marked: Marked, _ identity: ObjectIdentifier, _ dead: inout [Marked]
  ) {
    dead.append(marked)
    table[identity] = nil
    byRegistrar[marked.registrar.address()] = nil
  }

  /// The living dictionary that a registrar belongs to.
  static func dictionary(
    of registrar: UnsafePointer<KeyValueRegistrar>
  ) -> (any KeyValueObservable)? {
    lock.withLock { byRegistrar[registrar] }?.dictionary
  }

  private static func known(_ dictionary: NSMutableDictionary) -> Marked? {
    // Another dictionary may have had the address.
    lock.withLock { table[ObjectIdentifier(dictionary)] }.flatMap {
      $0.dictionary === dictionary ? $0 : nil
    }
  }
}
