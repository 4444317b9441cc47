import FoundationKVO

/// Lines that any thread may append to.
// Checked by hand: `lines` is accessed only inside `lock`.
final class History: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  /// Returns and removes the lines recorded since the last call.
  func take() -> [String] {
    lock.withLock {
      defer { lines = [] }
      return lines
    }
  }
}

/// Records the change dictionaries it receives.
// Checked by hand: its properties are immutable, and the history has a lock.
@KeyValueObservable
class HistoryObserver: NSObject, @unchecked Sendable {
  @KeyValueIgnored let history: History
  @KeyValueIgnored let name: String

  init(_ history: History = History(), name: String = "") {
    self.history = history
    self.name = name
    super.init()
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    var parts = [name + (keyPath ?? "nil")]
    if change?[.notificationIsPriorKey] != nil { parts.append("prior") }
    if let old = change?[.oldKey] { parts.append("old \(old)") }
    if let new = change?[.newKey] { parts.append("new \(new)") }
    // The descriptions of Foundation's collections span several lines.
    history.add(
      parts.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }
}

/// Runs a closure with the defaults of a new suite, and removes its values afterwards.
func withSuite(
  _ name: String = #function, _ body: (UserDefaults, String) throws -> Void
) rethrows {
  let suite = "swift-kvo-tests.\(ProcessInfo.processInfo.processIdentifier).\(name)"
  let defaults = UserDefaults(suiteName: suite)!
  defer { defaults.removePersistentDomain(forName: suite) }
  try body(defaults, suite)
}
