import KeyValueObserving

/// A property of one object that follows a key path of another, or is kept in agreement with it.
package struct Binding: Sendable, Equatable {
  package var token: Int
  package var source: Int
  package var path: String
  package var target: Int
  package var key: String
  package var transformation: Transformation
  package var isTwoWay: Bool
  package var validates: Bool
}

/// What a binding makes of a value; both sides of the comparison call it, as they call getters.
///
/// Nothing grows without end here, since bindings in circles pass values on for ever.
package enum Transformation: Sendable, Equatable {
  /// The value itself, with -1 for none.
  case plain
  /// A number that has lost its last digit, and comes back with another.
  case lossy
  /// A number as a text, which may be one that no number belongs to.
  case digits

  struct Refused: Error {}

  static func lossyForward(_ number: Int) throws -> Int {
    if number % 10 == 9 { throw Refused() }
    return number / 2 % 1000
  }

  static func lossyBackward(_ number: Int) throws -> Int {
    if number % 10 == 7 { throw Refused() }
    return 2 * number % 1000
  }

  static func text(_ number: Int) throws -> String {
    if number % 10 == 8 { throw Refused() }
    return "\(number % 1000)"
  }

  static func number(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw Refused() }
    return number % 1000
  }
}

// What the validators of the class say.
enum Validity {
  /// At most 40, and no number that ends with 3.
  static func width(_ number: Int) throws -> Int {
    if number % 10 == 3 { throw Transformation.Refused() }
    return min(number, 40)
  }

  /// Not empty.
  static func text(_ text: String) -> String { text.isEmpty ? "?" : text }
}

extension Binding: CustomStringConvertible {
  package var description: String {
    "t\(token) = n\(source).kvo.\(path).\(isTwoWay ? "bindTwoWay" : "bind")(to: n\(target).kvo.\(key)"
      + ", \(transformation)\(validates ? ", validates" : ""))"
  }
}
