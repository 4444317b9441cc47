import KeyValueObserving

@KeyValueObservable
final class TracedPerson {
  var firstName = "Ada"
  var lastName = "Lovelace"
  var age = 36
  var account: TracedAccount?
  var nicknames: [String] = []
  @KeyValueRedacted var secret = "s3cret"
  var fullName: String { "\(firstName) \(lastName)" }
}

@KeyValueObservable
final class TracedAccount {
  var balance = 100.0
}

protocol HasPin: AnyObject {
  var pin: Int { get }
}

@KeyValueObservable
final class TracedCard: HasPin {
  @KeyValueRedacted var pin: Int
  init(pin: Int) { self.pin = pin }
}

@KeyValueObservable
final class TracedWallet {
  var card: TracedCard?
  var cards: [TracedCard] = []
}

@KeyValueObservable
final class TracedEmployee {
  var salary: Int
  init(_ salary: Int) { self.salary = salary }
}

@KeyValueObservable
final class TracedDepartment {
  var employees: [TracedEmployee] = []
  var totalSalary: Int { employees.reduce(0) { $0 + $1.salary } }
}

enum TracedShop {
  @KeyValueObservable
  final class Item {
    var price = 1
    var label: String { "item for \(price)" }
  }
}

enum TracedCart {
  /// Has the name of the other class.
  @KeyValueObservable
  final class Item {
    var product: TracedShop.Item = TracedShop.Item()
    var label: String { product.label }
  }
}

@KeyValueObservable
final class TracedField {
  var text = ""
}

/// Answers a key itself, and takes only integers for it.
@KeyValueObservable
final class TracedPad {
  @KeyValueIgnored var number = 1

  func value(forKey key: String) throws -> Any? {
    if key == "size" { return number }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    guard key == "size", let new = value as? Int else {
      throw KeyValueCodingError.readOnly(key, of: self)
    }
    number = new
  }
}

extension KeyValueTrace {
  /// The events as lines, without durations, which differ from run to run.
  var lines: [String] {
    events.map { event in
      var line = String(repeating: "  ", count: event.depth) + "\(event)"
      if let range = line.range(of: " after ", options: .backwards) {
        line.removeSubrange(range.lowerBound...)
      }
      return line
    }
  }
}

extension String {
  /// Stands in for Foundation's search from the end; Foundation isn't imported here.
  fileprivate enum Options { case backwards }

  fileprivate func range(of part: String, options: Options) -> Range<String.Index>? {
    var start = endIndex
    while start > startIndex {
      start = index(before: start)
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
    }
    return nil
  }
}
