extension KeyValueTrace {
  /// A value at the time of an event, described on demand.
  ///
  /// Numbers, Booleans and strings are kept as they are. An object is kept as its class and
  /// identity, and isn't retained. Everything else is described at once, shortened. The value of a
  /// key that's marked `@KeyValueRedacted` isn't read.
  public struct Value: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Sendable, Hashable {
      case none
      case redacted
      case integer(Int)
      case floating(Double)
      case boolean(Bool)
      case string(String)
      case object(Object)
      /// `isWhole` means that equal texts are equal values.
      case text(String, isWhole: Bool)
      case list(String, isWhole: Bool, count: Int)
    }

    let storage: Storage

    /// The maximum number of a text's characters in a description.
    public static let longestText = 60

    /// Whether the key is marked `@KeyValueRedacted`.
    public var isRedacted: Bool { storage == .redacted }

    /// The object, if the value is one.
    public var object: Object? {
      if case .object(let object) = storage { object } else { nil }
    }

    /// How many elements a collection has; nil if the value isn't a collection.
    var elementCount: Int? {
      if case .list(_, _, let count) = storage { count } else { nil }
    }

    /// The value, shortened, in one line: `"Grace"`, `42`, `Account@0x6000`, `nil`, `redacted`.
    public var description: String {
      switch storage {
      case .none: "nil"
      case .redacted: "redacted"
      case .integer(let value): "\(value)"
      case .floating(let value): "\(value)"
      case .boolean(let value): "\(value)"
      case .string(let value): KeyValueTrace.oneLine("\"\(Value.shortened(value))\"")
      case .object(let object): "\(object)"
      case .text(let text, _), .list(let text, _, _): KeyValueTrace.oneLine(text)
      }
    }

    /// Whether both are known to be the same value; a text that leaves something out can't prove that.
    func isKnownToEqual(_ other: Value) -> Bool {
      switch (storage, other.storage) {
      case (.redacted, _), (.text(_, isWhole: false), _), (.list(_, isWhole: false, _), _): false
      default: self == other
      }
    }

    static func shortened(_ text: String) -> String {
      guard text.utf8.count > longestText else { return text }
      let start = text.prefix(longestText)
      return start.endIndex == text.endIndex ? text : start + "…"
    }
  }
}

extension KeyValueTrace {
  /// The text with its control characters as Swift spells them: `\n`, `\u{1B}`.
  package static func oneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mayEndLine) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      line += mayEndLine(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }

  /// Whether a scalar is a control character, or separates lines or paragraphs.
  private static func mayEndLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension KeyValueTrace.Object: CustomStringConvertible {
  /// The class and the address: `Person@0x600000c04000`.
  public var description: String {
    address == 0 ? className : "\(className)@0x\(String(address, radix: 16))"
  }
}
