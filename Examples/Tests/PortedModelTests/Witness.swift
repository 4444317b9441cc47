import FoundationKVO

@testable import PortedModel

/// Records each notification as one line.
final class Witness: NSObject {
  private var lines: [String] = []
  private var watched: [(NSObject, String)] = []

  /// The lines since the last call.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  func watch(
    _ object: NSObject, _ keyPaths: String..., options: NSKeyValueObservingOptions = [.old, .new]
  ) {
    for keyPath in keyPaths {
      object.addObserver(self, forKeyPath: keyPath, options: options, context: nil)
      watched.append((object, keyPath))
    }
  }

  deinit {
    for (object, keyPath) in watched { object.removeObserver(self, forKeyPath: keyPath) }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    let kind = (change?[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
    var line = "\(keyPath ?? "nil")"
    if change?[.notificationIsPriorKey] != nil { line += " prior" }
    if let kind, kind != .setting { line += " \(kind)" }
    if let indexes = change?[.indexesKey] as? IndexSet { line += " \(Array(indexes))" }
    if let old = change?[.oldKey] { line += ", old \(text(old))" }
    if let new = change?[.newKey] { line += ", new \(text(new))" }
    lines.append(line)
  }

  private func text(_ value: Any) -> String {
    switch value {
    case let array as NSArray: "(\(array.map(text).joined(separator: ", ")))"
    case let set as NSSet: "{\(set.map(text).sorted().joined(separator: ", "))}"
    case let set as NSOrderedSet: "<\(set.map(text).joined(separator: ", "))>"
    case let department as Department: department.name
    case let line as InvoiceLine: "\(line.quantity) \(line.book)"
    case let invoice as Invoice: "no. \(invoice.number)"
    case is NSNull: "nil"
    default: "\(value)"
    }
  }
}
