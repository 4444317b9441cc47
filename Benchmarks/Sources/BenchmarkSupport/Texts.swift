/// Strings for workloads: eight, of different lengths, all too long to be stored inside the
/// `String` itself.
public let texts = (1...8).map { String(repeating: "text ", count: 3 + $0) + String($0) }

/// The text of a step.
@inlinable @inline(__always)
public func text(_ texts: [String], _ step: Int) -> String { texts[step & 7] }

extension Tally {
  /// Counts a notification with an old and a new text.
  @inlinable @inline(__always)
  public func record(old: String, new: String) {
    record(old: old.utf8.count, new: new.utf8.count)
  }
}
