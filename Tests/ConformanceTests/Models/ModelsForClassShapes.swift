import KeyValueObserving
import KeyValueTestSupport

// Generic, main-actor and un-annotated classes.

@KeyValueObservable
class Box<Element> {
  var value: Element
  var next: Box<Element>?
  var history: [Element] = []
  var label: String { "<\(value)>" }
  var nextLabel: String { next?.label ?? "end" }

  init(_ value: Element) {
    self.value = value
  }

  func validateValue(_ value: inout Element) throws {
    throw KeyValueCodingError.readOnly("value", of: self)
  }
}

/// Not annotated, and no longer generic.
class IntBox: Box<Int> {
  override var label: String { "int \(value)" }
}

/// Annotated, with a parameter of its own.
@KeyValueObservable
final class PairBox<First, Second>: Box<First> {
  var second: Second

  override var label: String { "<\(value), \(second)>" }

  init(_ first: First, _ second: Second) {
    self.second = second
    super.init(first)
  }
}

@KeyValueObservable
class Member {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var age = 36
  var nickname: String?
  weak var manager: Member?
  var fullName: String { "\(firstName) \(lastName)" }
}

/// Annotated.
@KeyValueObservable
final class Chair: Member {
  var level = 1
}

/// Not annotated: overrides stored and computed properties and a hook.
class Guest: Member {
  var seat = 1
  override var firstName: String {
    didSet { seat += 1 }
  }
  override var fullName: String { "guest \(firstName)" }

  override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    key != "age" && super.automaticallyNotifiesObservers(forKey: key)
  }
}

/// Not annotated, and final, so that its overrides are called directly.
final class SealedGuest: Member {
  override var firstName: String {
    didSet {}
  }
  override var fullName: String { "sealed \(firstName)" }
}

/// Not annotated, and generic over an annotated class.
final class TaggedGuest<Tag>: Guest {
  var tag: Tag

  init(_ tag: Tag) {
    self.tag = tag
  }
}

@MainActor
@KeyValueObservable
class ViewModel {
  var title = "a"
  var count = 1
  var child: ViewModel?
  weak var parent: ViewModel?
  var frame = Frame()
  @NotifiesManually var secret = 1

  var summary: String { "\(title) \(count)" }
  var childTitle: String { child?.title ?? "none" }

  func validateCount(_ value: inout Int) throws {
    value = max(value, 0)
  }

  func setNilValue(forKey key: String) throws {
    if key == "count" { count = 0 } else { throw KeyValueCodingError.nilValue(key, of: self) }
  }
}

/// Not annotated.
class DetailViewModel: ViewModel {
  override var summary: String { "detail \(title)" }
}

/// A class with read-only properties whose types a subclass narrows.
@KeyValueObservable
class Meter {
  var level = 1
  var reading: Int? { nil }
  var target: Person? { nil }
}

@KeyValueObservable
final class PreciseMeter: Meter {
  override var reading: Int { level }
  override var target: Manager { Manager() }
}
