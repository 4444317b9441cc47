import FoundationKVO

/// Records notifications as text, from Cocoa's change dictionaries.
final class Witness: NSObject {
  private var lines: [String] = []

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    var parts: [String] = []
    if change?[.notificationIsPriorKey] != nil { parts.append("prior") }
    let kind = (change?[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
    parts.append(kind.map { "\($0)" } ?? "no kind")
    if let indexes = change?[.indexesKey] as? IndexSet {
      parts.append("at \(indexes.map(String.init).joined(separator: ","))")
    }
    for key in [NSKeyValueChangeKey.oldKey, .newKey] {
      if let value = change?[key] { parts.append("\(key.rawValue) \(flat(value))") }
    }
    lines.append("\(keyPath ?? "nil"): \(parts.joined(separator: ", "))")
  }

  /// The description of a value on one line.
  private func flat(_ value: Any) -> String {
    switch value {
    case let array as NSArray: "(" + array.map(flat).joined(separator: " ") + ")"
    case let set as NSSet: "{" + set.allObjects.map(flat).sorted().joined(separator: " ") + "}"
    case let object as NSObject: "\(type(of: object))"
    default: "\(value)"
    }
  }
}

extension NSObject {
  /// Registers a witness for several key paths.
  func watch(
    _ keyPaths: [String], _ witness: Witness, options: NSKeyValueObservingOptions = [.old, .new]
  ) {
    for keyPath in keyPaths {
      addObserver(witness, forKeyPath: keyPath, options: options, context: nil)
    }
  }

  /// Unregisters the witness.
  func unwatch(_ keyPaths: [String], _ witness: Witness) {
    for keyPath in keyPaths { removeObserver(witness, forKeyPath: keyPath) }
  }
}

/// An object with code that its end runs, such as one that a handler captures.
// Checked by hand: only one thread uses it.
final class Capture: @unchecked Sendable {
  private let atEnd: (Capture) -> Void

  init(_ atEnd: @escaping (Capture) -> Void) { self.atEnd = atEnd }

  deinit { atEnd(self) }
}

/// Ends the process, with success if the exception's reason ends with this text.
func expectReason(_ end: String, _ body: () -> Void) {
  KeyValueViolation.handler = { violation in
    guard violation.kind == .exception else { return }
    exit(violation.description.hasSuffix(end) ? 0 : 1)
  }
  body()
  exit(1)
}
