import KeyValueObserving

/// An observer object that reports every notification.
final class FuzzObserver: KeyValueObserver {
  private let number: Int
  private let report: (String, Occurrence) -> Void

  init(_ number: Int, report: @escaping (String, Occurrence) -> Void) {
    self.number = number
    self.report = report
  }

  static func who(_ number: Int, _ context: Int, _ path: String) -> String {
    "w\(number)(\(context)) \(path)"
  }

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    let who = FuzzObserver.who(number, Int(bitPattern: context), keyPath)
    report(who, change.told(who, object))
  }
}
