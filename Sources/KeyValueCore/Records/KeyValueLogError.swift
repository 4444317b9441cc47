/// Why a graph couldn't be logged, restored or changed by a record.
///
/// Every case names what it's about: the object, its class, the key, and the edit's position in its
/// record, as far as there are such.
///
/// ```swift
/// do { try snapshot.apply(record) } catch { print(error) }
/// // Counter.count can't be edited so (edit 2, object 7f3c2d1a-90b4-4c5e-8d6f-0a1b2c3d4e12): it's 3, not 2.
/// ```
///
/// A record that throws has changed nothing.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public enum KeyValueLogError: Error, Equatable, Sendable {
  /// No object has the id.
  case unknownObject(Details)
  /// The object's class has no such stored key.
  case unknownKey(Details)
  /// No such class is known, or none of its objects can be made.
  case unknownClass(Details)
  /// The key can't hold the value, or isn't the collection that the edit changes.
  case typeMismatch(Details)
  /// A stored key has a type or a value that can't be written, or a value has an observable object inside that no
  /// key of the graph leads to.
  case notLoggable(Details)
  /// The edit doesn't fit what the object is now, or contradicts itself.
  case invalidEdit(Details)
  /// A recorded change, a group, a transaction or a record that's being applied isn't complete. Undoing could revert
  /// only a part of it, and another record or a history could contradict it.
  case incompleteChange(Details)

  /// What an error is about.
  public struct Details: Equatable, Sendable {
    /// The object.
    public var object: KeyValueObjectID?
    /// The name of the object's class.
    public var type: String?
    /// The key.
    public var key: String?
    /// The edit's position in its record, counted from 1.
    public var edit: Int?
    /// The nearest existing names, best first.
    public var suggestions: [String]
    /// More about the error, in words.
    public var reason: String?

    /// Creates the details.
    public init(
      object: KeyValueObjectID? = nil, type: String? = nil, key: String? = nil, edit: Int? = nil,
      suggestions: [String] = [], reason: String? = nil
    ) {
      self.object = object
      self.type = type
      self.key = key
      self.edit = edit
      self.suggestions = suggestions
      self.reason = reason
      #if DEBUG || KVO_AUDIT
        TokenLifetime.noteProblem()
      #endif
    }
  }

  /// The error's details.
  public var details: Details {
    switch self {
    case .unknownObject(let details), .unknownKey(let details), .unknownClass(let details),
      .typeMismatch(let details), .notLoggable(let details), .invalidEdit(let details),
      .incompleteChange(let details):
      details
    }
  }
}

extension KeyValueLogError: CustomStringConvertible {
  /// One or two sentences: what went wrong, where, and what to do if that's known.
  public var description: String {
    let type = details.type ?? "the object"
    let subject = details.key.map { "\(type).\($0)" } ?? type
    let reason = details.reason.map { ": \($0)" } ?? ""
    let hint =
      details.suggestions.isEmpty
      ? ""
      : " Did you mean " + details.suggestions.map { "'\($0)'" }.joined(separator: " or ") + "?"
    switch self {
    case .unknownObject:
      let object = details.object.map { "\($0)" } ?? "of that id"
      return "There is no object \(object)\(place(namingObject: false))\(reason).\(hint)"
    case .unknownKey:
      return "\(type) has no stored key '\(details.key ?? "")'\(place())\(reason).\(hint)"
    case .unknownClass where details.reason != nil:
      return "Class '\(type)' can't be used here\(place())\(reason).\(hint)"
    case .unknownClass: return "There is no class '\(type)'\(place())\(reason).\(hint)"
    case .typeMismatch: return "\(subject) was given a value of the wrong type\(place())\(reason)."
    case .notLoggable: return "\(subject) can't be logged\(place())\(reason)."
    case .invalidEdit:
      // The reason has its own.
      if hasNoSubject, let reason = details.reason { return "\(reason)." }
      return "\(subject) can't be edited so\(place())\(reason)."
    case .incompleteChange:
      let problem =
        details.reason ?? "undo() or redo() was called inside a group or inside a recorded change"
      return "\(problem), and did nothing. Call it when the change is complete."
    }
  }

  /// Whether nothing is known that the error is about.
  private var hasNoSubject: Bool {
    details.type == nil && details.key == nil && place().isEmpty
  }

  /// ` (edit 2, object 7f3c2d1a-…)`, with what is known of it.
  private func place(namingObject: Bool = true) -> String {
    let parts = [
      details.edit.map { "edit \($0)" },
      namingObject
        ? details.object.map { "object \($0)" }
        : [details.type, details.key].compactMap(\.self).joined(separator: "."),
    ].compactMap(\.self).filter { !$0.isEmpty }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}

extension KeyValueLogError {
  /// The same error with more details.
  func completed(_ body: (inout Details) -> Void) -> KeyValueLogError {
    var details = details
    body(&details)
    return switch self {
    case .unknownObject: .unknownObject(details)
    case .unknownKey: .unknownKey(details)
    case .unknownClass: .unknownClass(details)
    case .typeMismatch: .typeMismatch(details)
    case .notLoggable: .notLoggable(details)
    case .invalidEdit: .invalidEdit(details)
    case .incompleteChange: .incompleteChange(details)
    }
  }
}
