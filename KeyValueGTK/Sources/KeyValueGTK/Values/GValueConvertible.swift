import CGtk4

/// A type whose values properties of GObjects can have.
///
/// `String`, `Bool`, the integers, `Float` and `Double` conform. An optional conforms if the wrapped type
/// does, and so does an enumeration with a raw value that says so:
///
/// ```swift
/// enum Priority: Int { case low, normal, high }
/// extension Priority: GValueConvertible {}
/// ```
///
/// Bindings and mirrors also take an enumeration with a raw value that doesn't say so. A type of yours that
/// is `LosslessStringConvertible` conforms with an empty extension, too: GTK then has it as text.
public protocol GValueConvertible: SendableMetatype {
  /// The type of a GObject property that a mirror has for a key of this type.
  static var gType: GType { get }

  /// Whether properties of a GObject type can have values of this type.
  static func fits(_ type: GType) -> Bool

  /// Reads what a property has.
  ///
  /// - Parameter value: Of a type that ``fits(_:)``.
  /// - Throws: An error whose description is shown at the widget, such as ``GValueError``.
  init(_ value: UnsafePointer<GValue>) throws

  /// Reads what a property has; where an optional may not be nil, empty text isn't nil.
  static func _reading(_ value: UnsafePointer<GValue>, emptyIsNil: Bool) throws -> Self

  /// Writes what a property gets.
  ///
  /// - Parameter value: Of a type that ``fits(_:)``.
  /// - Throws: ``GValueError`` if the property's type has no such value.
  func write(to value: UnsafeMutablePointer<GValue>) throws
}

extension GValueConvertible {
  /// Reads what a property has.
  public static func _reading(_ value: UnsafePointer<GValue>, emptyIsNil: Bool) throws -> Self {
    try Self(value)
  }
}

/// A value that the other side of a binding can't have.
///
/// Its description is what the user reads at the widget: `“ten” isn't a number.`
public struct GValueError: Error, CustomStringConvertible {
  /// What is wrong, as a sentence.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}

// MARK: Text

extension String: GValueConvertible {
  /// The type of a mirror's property.
  public static var gType: GType { kvo_type_string }

  /// Whether a property of this type can have the values.
  public static func fits(_ type: GType) -> Bool { type == kvo_type_string }

  /// The text; NULL is the empty one.
  public init(_ value: UnsafePointer<GValue>) {
    self = g_value_get_string(value).map { String(cString: $0) } ?? ""
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) {
    g_value_set_string(value, self)
  }
}

extension GValueConvertible where Self: LosslessStringConvertible {
  /// The type of a mirror's property.
  public static var gType: GType { kvo_type_string }

  /// Whether a property of this type can have the values.
  public static func fits(_ type: GType) -> Bool { type == kvo_type_string }

  /// Reads a property's value.
  public init(_ value: UnsafePointer<GValue>) throws {
    self = try .parsed(String(value))
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) {
    g_value_set_string(value, description)
  }

  /// The value that a text describes.
  static func parsed(_ text: String) throws -> Self {
    let text = text.trimmingSpaces
    guard let value = Self(text) else {
      throw GValueError("“\(text)” isn't \(Words.indefinite(Self.self)).")
    }
    return value
  }
}

// MARK: Truth values

extension Bool: GValueConvertible {
  /// The type of a mirror's property.
  public static var gType: GType { kvo_type_boolean }

  /// Whether a property of this type can have the values.
  public static func fits(_ type: GType) -> Bool {
    type == kvo_type_boolean || type == kvo_type_string
  }

  /// Reads a property's value.
  public init(_ value: UnsafePointer<GValue>) throws {
    if value.pointee.g_type == kvo_type_string {
      self = try .parsed(String(value))
    } else {
      self = g_value_get_boolean(value) != 0
    }
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) {
    if value.pointee.g_type == kvo_type_string {
      g_value_set_string(value, description)
    } else {
      g_value_set_boolean(value, self ? 1 : 0)
    }
  }
}

// MARK: Optional values

extension Optional: GValueConvertible where Wrapped: GValueConvertible {
  /// Text, which has a value for nil: the empty one.
  public static var gType: GType { kvo_type_string }

  /// Whether a property of this type can have the values.
  public static func fits(_ type: GType) -> Bool { Wrapped.fits(type) }

  /// Empty text is nil.
  public init(_ value: UnsafePointer<GValue>) throws {
    self = try ._reading(value, emptyIsNil: true)
  }

  /// Reads what a property has; where an optional may not be nil, empty text isn't nil.
  public static func _reading(
    _ value: UnsafePointer<GValue>, emptyIsNil: Bool
  ) throws -> Wrapped? {
    emptyIsNil && value.hasEmptyText ? nil : try Wrapped(value)
  }

  /// Nil is the empty text, 0 or false.
  public func write(to value: UnsafeMutablePointer<GValue>) throws {
    if let self {
      try self.write(to: value)
    } else if value.pointee.g_type == kvo_type_string {
      // Not NULL, which GtkEntry doesn't survive.
      g_value_set_string(value, "")
    } else {
      g_value_reset(value)
    }
  }
}

// MARK: Enumerations

extension GValueConvertible where Self: RawRepresentable, RawValue: GValueConvertible {
  /// The type of a mirror's property.
  public static var gType: GType { RawValue.gType }

  /// Whether a property of this type can have the values.
  public static func fits(_ type: GType) -> Bool { RawValue.fits(type) }

  /// Reads a property's value.
  public init(_ value: UnsafePointer<GValue>) throws {
    let raw = try RawValue(value)
    guard let known = Self(rawValue: raw) else {
      throw GValueError("“\(raw)” isn't \(Words.indefinite(Self.self)).")
    }
    self = known
  }

  /// Writes a property's value.
  public func write(to value: UnsafeMutablePointer<GValue>) throws {
    try rawValue.write(to: value)
  }
}
