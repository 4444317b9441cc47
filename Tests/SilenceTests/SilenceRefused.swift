#if KVO_REFUSED_ROWS
  // Constructs that the compiler diagnoses. This file isn't compiled with the tests, where a warning is an
  // error: `SilenceCompilerTests` type-checks it, and compares the diagnostics of each row.
  //
  // A row begins with `// row:` and its title, and ends with an empty line. The diagnostic of a
  // `// row of Swift's:` is Swift's own, and other compilers may word it differently.

  import Foundation
  import KeyValueObserving
  import Synchronization

  // rows: warned-getters
  @KeyValueObservable
  private class Order: Base, Named {
    var number = 1
    var note = ""
    var lines: [Line] = []
    var customer: Customer?
    var other: Order?
    weak var delegate: (any OrderDelegate)?
    @KeyValueIgnored var cache: [Int: Int] = [:]
    let format: (Order) -> String = { $0.note }
    let provider: () -> Int = { 1 }
    let state = Mutex(0)
    var due = Date.distantPast
    let defaults = UserDefaults.standard

    // row: self handed to a function
    var printed: String { printOut(self) }

    // row: self handed to a type's method
    var taxed: Int { Tax.of(self) }

    // row: self handed to an initialiser
    var sheet: String { Sheet(self).text }

    // row: self handed to a delegate
    var title: String { delegate?.title(of: self) ?? "" }

    // row: self handed to a stored closure
    var formatted: String { format(self) }

    // row: self handed to an operator
    var later: Bool { self > other }

    // row: self in a string
    var text: String { "\(self)" }

    // row: self in a closure that hands it on
    var taxes: [Int] { lines.map { _ in Tax.of(self) } }

    // row: A property of an extension
    var marked: String { mark }

    // row: The same through self
    var marked2: String { self.mark + note }

    // row: A method of an extension
    var said: String { say() }

    // row: A property of a protocol's extension
    var tag: String { numbered }

    // row: A global variable
    var shop: String { note + currentShop }

    // row: An inherited property of a class without the macro
    var ready: Bool { isReady }

    // row: super, of a class without the macro
    override var isDone: Bool { super.isDone && number > 0 }

    // row: A method of a superclass without the macro
    var weighed: Int { weigh() }

    // row: A singleton
    var shopName: String { Shop.shared.name }

    // row: A singleton in an expression
    var both: String { note + Shop.shared.name }

    // row: A method of another object of the class, which calls itself
    var depth: Int { other?.deep() ?? 0 }

    // row: A cache that is ignored
    var cached: Int { cache.count }

    // row: A closure that is constant
    var provided: Int { provider() }

    // row: A value in a lock
    var locked: Int { state.withLock { $0 } }

    // row: User defaults
    var theme: String? { defaults.string(forKey: "theme") }

    // row: A key path that is held
    var held: Int { self[keyPath: Tax.path] }

    // row: The time
    var isLate: Bool { due < Date() }

    // row: The time, by its short name
    var isEarly: Bool { due > .now }

    // row: The time, of a calendar
    var isToday: Bool { Calendar.current.isDateInToday(due) }

    // row: A computed property with a setter that nothing is known of
    var stored: Int {
      get { Tax.limit }
      set { Tax.limit = newValue }
    }

    func deep() -> Int { 1 + (other?.deep() ?? 0) }
  }

  // rows: customisation
  @KeyValueObservable
  private class Person {
    var fullName = ""
    var age = 1
    var items: [String] = []
    @NotifiesManually var score = 1
    @NotifiesManually var level = 1
    @NotifiesManually @Clamped var volume = 1

    // row: Dependencies of a misspelt key
    class func keyPathsForValuesAffectingFulName() -> Set<String> { [] }

    // row: Without class or static
    func keyPathsForValuesAffectingAge() -> Set<String> { [] }

    // row: With a parameter
    class func keyPathsForValuesAffectingAge(_ more: Bool) -> Set<String> { [] }

    // row: As a property
    class var automaticallyNotifiesObserversOfAge: Bool { false }

    // row: The switch of a misspelt key
    class func automaticallyNotifiesObserversOfAges() -> Bool { false }

    // row: Misspelt itself
    class func keyPathsForValueAffectingAge() -> Set<String> { [] }

    // row: The general method, misspelt
    class func keyPathsForValuesAffectingValue(for key: String) -> Set<String> { [] }

    // row: A validator of a misspelt key
    func validateAgee(_ value: inout Int) throws {}

    // row: A validator in lower case
    func validateage(_ value: inout Int) throws {}

    // row: A validator of another type than the key
    func validateScore(_ value: inout String) throws {}

    // row: A validator without inout
    func validateAge(_ value: Int) throws {}

    // row: A validator with a label
    func validateAge(value: inout Int) throws {}

    // row: A static validator
    static func validateAge(_ value: inout Int) throws {}

    // row: A count of another type
    func countOfItems() -> UInt { 0 }

    // row: An accessor with a wrong label
    func objectInItems(index: Int) -> String { "" }

    // row: An accessor with a wrong preposition
    func insertObject(_ item: String, intoItemsAt index: Int) {}

    // row: An accessor of a misspelt key
    func removeObject(fromItmesAt index: Int) {}

    // row: A manual key whose end is never announced
    func win() {
      willChangeValue(forKey: "score")
      score += 1
    }

    // row: A manual key that is never announced
    func climb() { level += 1 }

    // row: A manual key that changes through its wrapper
    func turnUp() { $volume += 1 }

    // row: An automatic key inside a pair
    func birthday() {
      willChangeValue(forKey: "age")
      age += 1
      didChangeValue(forKey: "age")
    }

    // row: A dependency on a misspelt key
    @DependsOn("fulName") var initials: String { initialsOf() }

    // row: A dependency on a misspelt operator
    @DependsOn("items.@cout") var itemCount: Int { items.count }

    func initialsOf() -> String { "" }
  }

  // rows: refused
  // row: Foundation's own announcement, under Operation
  @KeyValueObservable
  private class Download: Foundation.Operation, @unchecked Sendable {
    @NotifiesManually var received = 0
    func receive() {
      willChangeValue(forKey: "received")
      received += 1
      didChangeValue(forKey: "received")
    }
  }

  // row: @Observable beside the macro
  @Observable @KeyValueObservable
  private final class Lamp {
    var isOn = false
  }

  // row: A lazy property
  @KeyValueObservable
  private final class Album {
    lazy var cover = "none"
  }

  // row: A property with a wrapper
  @KeyValueObservable
  private final class Volume {
    @Clamped var level = 1
  }

  // row: A property called kvo
  @KeyValueObservable
  private final class Kiosk {
    var kvo = 1
  }

  // row: A subclass of a Codable class
  @KeyValueObservable
  private final class Pack: Parcel {
    var weight = 1
  }

  // row: Codable in an extension
  extension Team: Codable {}

  // row: Encodable in an extension, of a class that is not final
  extension Bag: Encodable {}

  // row: A structure
  @KeyValueObservable
  private struct Point {
    var x = 0
  }

  // row of Swift's: A general method in an extension
  extension Person {
    func setNilValue(forKey key: String) throws {}
  }

  private func refused(_ order: Order, _ album: Team, _ base: Base) throws {
    // row of Swift's: A misspelt key
    _ = order.observe(\.nmber) { _, _ in }

    // row of Swift's: The same in a bound path
    _ = order.kvo.nmber.observe { _, _ in }

    // row: A proxy of an optional array
    _ = album.mutableArrayValue(for: \.members)

    // row: A proxy of an optional set
    _ = album.mutableSetValue(for: \.tags)

    // row of Swift's: A binding of another type
    _ = order.kvo.number.bind(to: album.kvo.name)

    // row of Swift's: A binding to a class without the macro
    _ = order.kvo.number.bind(to: base.kvo.weight)

    // row: A two-way binding of an optional value to one that is not
    _ = order.kvo.customer.name.bindTwoWay(to: album.kvo.name)

    // row: A two-way binding of a value to an optional one
    _ = album.kvo.name.bindTwoWay(to: order.kvo.customer.name)

    // row: A binding of an optional value to one that is not
    _ = order.kvo.customer.name.bind(to: album.kvo.name)

    // row of Swift's: A token that is not used
    order.observe(\.number) { _, _ in }

  }

  // Declarations that the rows use.

  @KeyValueObservable
  private final class Team {
    var name = ""
    var members: [String]?
    var tags: Set<String>?
  }

  @KeyValueObservable
  private class Bag {
    var size = 1
  }

  @KeyValueObservable
  private class Parcel: Codable {
    var sender = ""
  }

  private class Base {
    var weight = 1
    var isReady: Bool { true }
    var isDone: Bool { true }
    func weigh() -> Int { 1 }
  }

  @KeyValueObservable
  private final class Line {
    var price = 1
    func isOpen(at number: Int) -> Bool { price > number }
  }

  @KeyValueObservable
  private final class Customer {
    var name = ""
  }

  @KeyValueObservable
  private final class Shop: @unchecked Sendable {
    static let shared = Shop()
    var name = ""
  }

  private protocol OrderDelegate: AnyObject {
    func title(of order: Order) -> String
  }

  private protocol Named {
    var number: Int { get }
  }

  extension Named {
    fileprivate var numbered: String { "#\(number)" }
  }

  extension Order {
    fileprivate var mark: String { "#\(number)" }
    fileprivate func say() -> String { "#\(number)" }
  }

  private enum Tax {
    nonisolated(unsafe) static var limit = 1
    nonisolated(unsafe) static let path: KeyPath<Order, Int> = \.number
    static func of(_ order: Order) -> Int { order.number }
  }

  private struct Sheet {
    let text: String
    init(_ order: Order) { text = order.note }
  }

  @propertyWrapper
  private struct Clamped {
    var wrappedValue: Int
    var projectedValue: Int {
      get { wrappedValue }
      set { wrappedValue = newValue }
    }
  }

  nonisolated(unsafe) private var currentShop = ""
  private func printOut(_ order: Order) -> String { order.note }
  private func > (a: Order, b: Order?) -> Bool { a.number > b?.number ?? 0 }
#endif
