/// Why a key or key path could not be read, set, validated or observed.
///
/// Every case says which class, which key, and, for a key path, which component of it is meant.
///
/// ```swift
/// do { _ = try person.value(forKeyPath: "acount.balance") } catch { print(error) }
/// // Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?
/// ```
///
/// Setting a single key that throws changes nothing and notifies nobody. Setting several keys, or all
/// elements of a collection, stops at the first error; what came before it has been set and told.
public enum KeyValueCodingError: Error, Equatable, Sendable {
  /// The class has no such key.
  case undefinedKey(Details)
  /// Nil was given for a property that cannot be nil.
  case nilValue(Details)
  /// The value is of a type that the property cannot hold exactly.
  case typeMismatch(Details)
  /// The key can be read but not set.
  case readOnly(Details)
  /// No such observer is registered.
  case notRegistered(Details)
  /// The key path is empty or has an empty component.
  case malformedKeyPath(Details)
  /// There is no such collection operator.
  case unknownOperator(Details)
  /// The key's value is not a collection.
  case notACollection(Details)
  /// The value of a component cannot be observed.
  case notKeyValueObservable(Details)
  /// An index lies outside the collection.
  case indexOutOfRange(Details)

  /// What an error is about.
  public struct Details: Equatable, Sendable {
    /// The class, or the type of the value, that was asked.
    public var type: String
    /// The key that was asked for.
    public var key: String
    /// The whole key path, where the key is part of one.
    public var keyPath: String?
    /// Which component of the key path the key is, counted from 1.
    public var position: Int?
    /// The nearest keys that exist, best first.
    public var suggestions: [String]
    /// What else there is to say, in words.
    public var reason: String?
    /// What was to be done with a value that has no keys.
    var attempt = Attempt.observed

    enum Attempt: String, Sendable {
      case observed
      case read
      /// Its values were asked for in a type.
      case typed
    }

    /// Creates the details; a hook that throws its own error names at least the type and the key.
    public init(
      type: String, key: String, keyPath: String? = nil, position: Int? = nil,
      suggestions: [String] = [], reason: String? = nil
    ) {
      self.type = type
      self.key = key
      self.keyPath = keyPath
      self.position = position
      self.suggestions = suggestions
      self.reason = reason
    }

    init(type: String, key: String, expected: Any.Type, value: Any) {
      self.init(
        type: type, key: key,
        reason: "it holds \(expected), which cannot take \(plainDescription(value)) "
          + "of type \(Swift.type(of: value)) exactly")
    }
  }

  /// What the error is about.
  public var details: Details {
    switch self {
    case .undefinedKey(let details), .nilValue(let details), .typeMismatch(let details),
      .readOnly(let details), .notRegistered(let details), .malformedKeyPath(let details),
      .unknownOperator(let details), .notACollection(let details),
      .notKeyValueObservable(let details), .indexOutOfRange(let details):
      details
    }
  }
}

extension KeyValueCodingError {
  /// The same error, said of a component of a key path.
  func at(_ position: Int, of keyPath: String) -> KeyValueCodingError {
    details.keyPath == nil ? saidOf(keyPath, at: position) : self
  }

  /// The same error, said of another spelling of the key path.
  func saidOf(_ keyPath: String, at position: Int) -> KeyValueCodingError {
    var details = details
    details.keyPath = keyPath
    details.position = position
    switch self {
    case .undefinedKey: return .undefinedKey(details)
    case .nilValue: return .nilValue(details)
    case .typeMismatch: return .typeMismatch(details)
    case .readOnly: return .readOnly(details)
    case .notRegistered: return .notRegistered(details)
    case .malformedKeyPath: return .malformedKeyPath(details)
    case .unknownOperator: return .unknownOperator(details)
    case .notACollection: return .notACollection(details)
    case .notKeyValueObservable: return .notKeyValueObservable(details)
    case .indexOutOfRange: return .indexOutOfRange(details)
    }
  }
}

extension KeyValueCodingError: CustomStringConvertible {
  /// One or two sentences that say what went wrong where, and what to do where that is known.
  public var description: String {
    let place =
      details.keyPath.map { path in
        path == details.key ? "" : " (component \(details.position ?? 1) of '\(path)')"
      } ?? ""
    let subject = "\(details.type).\(details.key)\(place)"
    let hint =
      details.suggestions.isEmpty
      ? ""
      : " Did you mean "
        + details.suggestions.map { "'\($0)'" }.joined(separator: " or ") + "?"
    let reason = details.reason.map { ": \($0)" } ?? ""
    switch self {
    case .undefinedKey:
      return "\(details.type) has no key '\(details.key)'\(place)\(reason).\(hint)"
    case .nilValue: return "\(subject) cannot be nil\(reason)."
    case .typeMismatch:
      return details.attempt == .typed
        ? "\(subject) cannot be asked for in that type\(reason)."
        : "\(subject) was given a value of the wrong type\(reason)."
    case .readOnly: return "\(subject) can be read but not set\(reason)."
    case .notRegistered:
      return "\(details.type) has no such observer for '\(details.key)' to remove\(reason)."
    case .malformedKeyPath: return "'\(details.key)' is not a key path\(reason)."
    case .unknownOperator:
      return "There is no collection operator '\(details.key)'\(place)\(reason).\(hint)"
    case .notACollection: return "\(subject) is not a collection\(reason)."
    case .notKeyValueObservable: return "\(subject) cannot be \(details.attempt)\(reason)."
    case .indexOutOfRange: return "\(subject) has no such index\(reason)."
    }
  }
}
