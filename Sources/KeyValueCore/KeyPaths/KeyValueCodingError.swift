/// Why a key or key path couldn't be read, set, validated or observed.
///
/// Every case names the class and the key, and for a key path the component.
///
/// ```swift
/// do { _ = try person.value(forKeyPath: "acount.balance") } catch { print(error) }
/// // Person has no key 'acount' (component 1 of 'acount.balance'). Did you mean 'account'?
/// ```
///
/// A failed set of a single key changes nothing and notifies no observer. Setting several keys, or
/// all elements of a collection, stops at the first error; earlier changes stay set and announced.
public enum KeyValueCodingError: Error, Equatable, Sendable {
  /// The class has no such key.
  case undefinedKey(Details)
  /// The property can't be nil.
  case nilValue(Details)
  /// The property can't hold the value exactly.
  case typeMismatch(Details)
  /// The key can be read but not set.
  case readOnly(Details)
  /// No such observer is registered.
  case notRegistered(Details)
  /// The key path is empty, or has an empty component or an operator without the path that it needs.
  ///
  /// Also thrown for a path, or an operator other than `@count`, where a collection is asked for one key, and for an
  /// empty list of key paths.
  case malformedKeyPath(Details)
  /// The collection operator doesn't exist.
  case unknownOperator(Details)
  /// The key's value is not a collection.
  case notACollection(Details)
  /// The value of a component cannot be observed.
  case notKeyValueObservable(Details)
  /// An index lies outside the collection.
  case indexOutOfRange(Details)

  /// What an error is about.
  public struct Details: Equatable, Sendable {
    /// The class of the object, or the type of the value.
    public var type: String
    /// The key.
    public var key: String
    /// The whole key path, if the key is part of one.
    public var keyPath: String?
    /// The key's position in the key path, counted from 1.
    public var position: Int?
    /// The nearest existing keys, best first.
    public var suggestions: [String]
    /// More about the error, in words.
    public var reason: String?
    /// What was attempted with a value that has no keys.
    var attempt = Attempt.observed

    enum Attempt: String, Sendable {
      case observed
      case read
      /// Its values were requested as a specific type.
      case typed
      /// A collection's operator was evaluated, which is the subject of the reason.
      case evaluated
    }

    /// Whether both are about the same, and say the same.
    ///
    /// What was attempted isn't compared, because created details don't have it.
    public static func == (left: Self, right: Self) -> Bool {
      left.type == right.type && left.key == right.key && left.keyPath == right.keyPath
        && left.position == right.position && left.suggestions == right.suggestions
        && left.reason == right.reason
    }

    /// Creates the details.
    ///
    /// A hook that throws its own error names at least the type and the key.
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
      #if DEBUG || KVO_AUDIT
        TokenLifetime.noteProblem()
      #endif
    }
  }

  /// The error's details.
  public var details: Details { parts.details }

  /// The case, and its details.
  private var parts: (make: (Details) -> KeyValueCodingError, details: Details) {
    switch self {
    case .undefinedKey(let details): (KeyValueCodingError.undefinedKey, details)
    case .nilValue(let details): (KeyValueCodingError.nilValue, details)
    case .typeMismatch(let details): (KeyValueCodingError.typeMismatch, details)
    case .readOnly(let details): (KeyValueCodingError.readOnly, details)
    case .notRegistered(let details): (KeyValueCodingError.notRegistered, details)
    case .malformedKeyPath(let details): (KeyValueCodingError.malformedKeyPath, details)
    case .unknownOperator(let details): (KeyValueCodingError.unknownOperator, details)
    case .notACollection(let details): (KeyValueCodingError.notACollection, details)
    case .notKeyValueObservable(let details): (KeyValueCodingError.notKeyValueObservable, details)
    case .indexOutOfRange(let details): (KeyValueCodingError.indexOutOfRange, details)
    }
  }
}

extension KeyValueCodingError {
  /// The error with the position of a key path's component.
  func at(_ position: Int, of keyPath: String) -> KeyValueCodingError {
    details.keyPath == nil ? saidOf(keyPath, at: position) : self
  }

  /// The error for another spelling of the key path.
  func saidOf(_ keyPath: String, at position: Int) -> KeyValueCodingError {
    var (make, details) = parts
    details.keyPath = keyPath
    details.position = position
    return make(details)
  }
}

extension KeyValueCodingError: CustomStringConvertible {
  /// One or two sentences: what went wrong, where, and what to do if that's known.
  public var description: String {
    let place =
      details.keyPath.map { path in
        path == details.key ? "" : " (component \(details.position ?? 1) of '\(path)')"
      } ?? ""
    let subject = "\(details.type).\(details.key)\(place)"
    let suggestions = details.suggestions.isEmpty ? operators : details.suggestions
    let hint =
      suggestions.isEmpty
      ? "" : " Did you mean " + suggestions.map { "'\($0)'" }.joined(separator: " or ") + "?"
    let reason = details.reason.map { ": \($0)" } ?? ""
    if details.attempt == .evaluated, let reason = details.reason {
      return "'\(details.key)'\(place) \(reason)."
    }
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
    case .malformedKeyPath:
      // Without a key path, one key was asked for.
      let wanted = details.keyPath == nil ? "key" : "key path"
      return "'\(details.key)' is not a \(wanted)\(reason)."
    case .unknownOperator:
      return "There is no collection operator '\(details.key)'\(place)\(reason).\(hint)"
    case .notACollection: return "\(subject) is not a collection\(reason)."
    case .notKeyValueObservable: return "\(subject) cannot be \(details.attempt)\(reason)."
    case .indexOutOfRange: return "\(subject) has no such index\(reason)."
    }
  }

  /// The collection operators that an unknown key behind another one may be, without its `@`.
  ///
  /// Whether a collection is there isn't known here; an operator's name is near few keys.
  private var operators: [String] {
    guard case .undefinedKey = self, details.reason == nil, (details.position ?? 1) > 1 else {
      return []
    }
    let names = CollectionOperator.allCases.map(\.rawValue)
    let meant = names.contains(details.key) ? [details.key] : nearest(to: details.key, among: names)
    return meant.map { "@" + $0 }
  }
}
