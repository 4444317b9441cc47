extension KeyValueObservedChange: CustomStringConvertible {
  /// The content of the change on one line: `setting, old: 36, new: 37`.
  public var description: String {
    var parts = ["\(kind)"]
    if let indexes { parts.append("indexes: \(listing(indexes))") }
    if let oldValue { parts.append("old: \(plainDescription(oldValue))") }
    if let newValue { parts.append("new: \(plainDescription(newValue))") }
    if isPrior { parts.append("prior") }
    return parts.joined(separator: ", ")
  }
}
