import KeyValueObserving
import KeyValueTestSupport

// Properties of every type that key-value coding converts to, and methods it finds by name.

enum Colour: String {
  case red, green
}

enum Level: Int {
  case low = 1
  case high = 2
}

enum Shape: Equatable {
  case point
  case circle(radius: Double)
}

struct Permissions: OptionSet {
  let rawValue: UInt8
  static let read = Permissions(rawValue: 1)
  static let write = Permissions(rawValue: 2)
}

@KeyValueObservable
class Form {
  var integer = 1
  var small: Int8 = 1
  var unsigned: UInt = 1
  var double = 1.5
  var single: Float = 1.5
  var flag = false
  var string = "a"
  var colour = Colour.red
  var level = Level.low
  var shape = Shape.point
  var permissions: Permissions = .read
  var maybe: Int?
  var maybeFlag: Bool?
  var maybeLevel: Level?
  var forced: String!
  var list = ["a"]
  var set: Set<String> = ["a"]
  var anything: Any?
  var person: Person?
  weak var weakPerson: Person?

  let constant = 7
  private(set) var guarded = 1
  var computed: Int { integer * 2 }
  var tripled: Int {
    get { integer * 3 }
    set { integer = newValue / 3 }
  }
  @KeyValueIgnored var ignored = 1
  @DependsOn() var detached: Int {
    get { storage.value }
    set { storage.value = newValue }
  }
  @KeyValueIgnored let storage = Storage()

  final class Storage {
    var value = 1
  }
}

/// Handles unknown keys and nil.
@KeyValueObservable
class Accommodating {
  var age = 1
  var name = "a"
  @KeyValueIgnored private(set) var calls: [String] = []

  func value(forUndefinedKey key: String) throws -> Any? {
    calls.append("get \(key)")
    guard key != "secret" else { throw KeyValueCodingError.undefinedKey(key, of: self) }
    return "no \(key)"
  }

  func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    calls.append("set \(key) \(value ?? "nil")")
    guard key != "secret" else { throw KeyValueCodingError.undefinedKey(key, of: self) }
  }

  func setNilValue(forKey key: String) throws {
    calls.append("nil \(key)")
    guard key == "age" else { throw KeyValueCodingError.nilValue(key, of: self) }
    age = 0
  }
}

/// Accessor methods instead of properties.
@KeyValueObservable
class Catalogue {
  @KeyValueIgnored var entries = ["x", "y"]

  // All three of Cocoa's plain forms.
  func getAll() -> String { "getAll" }
  func all() -> String { "all" }
  func isAll() -> String { "isAll" }
  // The last two of them.
  func both() -> String { "both" }
  func isBoth() -> String { "isBoth" }
  // Only the last.
  func isOpen() -> Bool { true }
  // A plain form and the ordered ones.
  func getMixed() -> String { "getMixed" }
  func countOfMixed() -> Int { 1 }
  func objectInMixed(at index: Int) -> String { "element" }
  // The ordered ones.
  func countOfEntries() -> Int { entries.count }
  func objectInEntries(at index: Int) -> String { entries[index] }
  // Only one of the ordered forms.
  func countOfHalf() -> Int { 1 }
  // A property and methods for the same key.
  var title = "property"
  func getTitle() -> String { "method" }
  func isTitle() -> String { "method" }
  // An optional result.
  func nothing() -> Int? { nil }
}

/// Has validators named after its keys.
@KeyValueObservable
class Applicant {
  struct TooYoung: Error {}

  var age = 18
  var name: String? = "a"
  var note: Any?
  var account: Account?
  var friend: Applicant?

  func validateAge(_ value: inout Int) throws {
    if value < 0 { throw TooYoung() }
    if value > 150 { value = 150 }
  }

  func validateName(_ value: inout String?) throws {
    value = value?.isEmpty == true ? nil : value
  }

  func validateNote(_ value: inout Any?) throws {
    if value == nil { value = "filled in" }
  }
}

/// Not annotated: overrides a validator and the hooks.
class StrictApplicant: Applicant {
  override func validateAge(_ value: inout Int) throws {
    try super.validateAge(&value)
    if value < 18 { throw TooYoung() }
  }

  override func value(forUndefinedKey key: String) throws -> Any? {
    key == "score" ? 5 : try super.value(forUndefinedKey: key)
  }

  override func setNilValue(forKey key: String) throws {
    if key == "age" { age = 18 } else { try super.setNilValue(forKey: key) }
  }
}
