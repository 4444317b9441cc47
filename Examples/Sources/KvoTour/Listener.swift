import KeyValueObserving

/// An observer object that prints its changes.
final class Listener: KeyValueObserver {
  private let name: String
  private let printer: TourPrinter

  init(_ name: String, _ printer: TourPrinter) {
    self.name = name
    self.printer = printer
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    let addressee = Context.name(context).map { " in \($0)" } ?? ""
    printer.heard("\(name)\(addressee): \(keyPath) \(change)")
  }
}

/// Addresses that distinguish registrations.
enum Context {
  // Never dereferenced: only the address counts as a context.
  nonisolated(unsafe) static let first = UnsafeMutableRawPointer.allocate(
    byteCount: 1, alignment: 1)
  nonisolated(unsafe) static let second = UnsafeMutableRawPointer.allocate(
    byteCount: 1, alignment: 1)

  static func name(_ context: UnsafeMutableRawPointer?) -> String? {
    switch context {
    case first: "the first context"
    case second: "the second context"
    default: nil
    }
  }
}
