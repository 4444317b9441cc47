import Synchronization

/// A list of lines that any thread can append to.
public final class AtomicList: Sendable {
  private let lines = Lock<[String]>([])

  /// Creates an empty list.
  public init() {}

  /// Adds a line.
  public func append(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  /// The lines so far; the list is empty afterwards.
  public func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
