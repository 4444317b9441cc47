import KeyValueObserving

/// Records what observers receive, one line per event, so that tests can compare whole histories.
///
/// ```swift
/// let log = ChangeLog()
/// let token = person.observe(\.name, options: [.old, .new], changeHandler: log.handler("name"))
/// person.name = "Grace"
/// #expect(log.take() == ["name: setting, old: \"Ada\", new: \"Grace\""])
/// ```
public final class ChangeLog {
  /// The lines since the last `take()`.
  public private(set) var lines: [String] = []

  /// Creates an empty log.
  public init() {}

  /// Adds a line.
  public func note(_ line: String) {
    lines.append(line)
  }

  /// Adds a change.
  public func note<Value>(_ label: String, _ change: KeyValueObservedChange<Value>) {
    lines.append("\(label): \(change)")
  }

  /// The lines so far; the log is empty afterwards.
  public func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// A change handler that adds every change under this label.
  public func handler<Root, Value>(_ label: String) -> (Root, KeyValueObservedChange<Value>) -> Void
  {
    { _, change in self.note(label, change) }
  }
}

/// An observer object that logs every change it receives.
public final class LoggingObserver: KeyValueObserver {
  /// The name that its lines begin with.
  public let name: String
  private let log: ChangeLog
  /// Called after a change is logged, for tests that act inside the callback.
  public var action: ((String, any KeyValueObservable, KeyValueObservedChange<Any?>) -> Void)?

  /// Creates an observer with a name and the log it writes to.
  public init(_ name: String, _ log: ChangeLog) {
    self.name = name
    self.log = log
  }

  /// Logs the change, with the context where there is one.
  public func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    let suffix = context.map { " #\(UInt(bitPattern: $0))" } ?? ""
    log.note("\(name) \(keyPath)\(suffix)", change)
    action?(keyPath, object, change)
  }
}

/// A context that prints as a small number in a log.
public func context(_ number: Int) -> UnsafeMutableRawPointer? {
  UnsafeMutableRawPointer(bitPattern: number)
}
