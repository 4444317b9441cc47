import KeyValueObserving

/// A binding of one object's property to a key path of another object, one-way or two-way.
package struct Binding: Sendable, Equatable {
  package var token: Int
  package var source: Int
  package var path: String
  package var target: Int
  package var key: String
  package var transformation: Transformation
  package var isTwoWay: Bool
  package var validates: Bool

  package init(
    token: Int, source: Int, path: String, target: Int, key: String,
    transformation: Transformation, isTwoWay: Bool, validates: Bool
  ) {
    self.token = token
    self.source = source
    self.path = path
    self.target = target
    self.key = key
    self.transformation = transformation
    self.isTwoWay = isTwoWay
    self.validates = validates
  }
}

/// A binding's transformation of values; the library and the reference both call it, like getters.
///
/// Values stay bounded, because bindings in a circle pass values on indefinitely.
package enum Transformation: Sendable, Equatable {
  /// The value itself, or -1 for nil.
  case plain
  /// Half the number without its remainder, so that transforming back may give another number.
  case lossy
  /// The number as text; not every text is a number.
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

// The results of the class's validators.
enum Validity {
  /// At most 40; a number that ends with 3 is invalid.
  static func width(_ number: Int) throws -> Int {
    if number % 10 == 3 { throw Transformation.Refused() }
    return min(number, 40)
  }

  /// Never empty.
  static func text(_ text: String) -> String { text.isEmpty ? "?" : text }
}

extension Binding: CustomStringConvertible {
  package var description: String {
    "t\(token) = n\(source).kvo.\(path).\(isTwoWay ? "bindTwoWay" : "bind")(to: n\(target).kvo.\(key)"
      + ", \(transformation)\(validates ? ", validates" : ""))"
  }
}
