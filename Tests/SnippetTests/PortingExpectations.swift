import FoundationKVO
import class FoundationKVO.NSObject
import XCTest

// snippet PortingFromCocoa 3
/// XCTest's expectation of a value, which Apple's XCTest has.
final class XCTKVOExpectation: XCTestExpectation, @unchecked Sendable {
  private var wait: KeyValueWait?
  /// Fulfils the expectation if it returns true.
  var handler: ((Any, [NSKeyValueChangeKey: Any]) -> Bool)?

  /// Without a value, any change fulfils the expectation, unless there is a handler.
  init(keyPath: String, object: NSObject, expectedValue: Any? = nil) {
    super.init(description: "\(keyPath) of \(type(of: object))")
    let value = KeyValueWait.test(expectedValue)
    wait = KeyValueWait(self, object, keyPath, isOfValue: expectedValue != nil) {
      [unowned self] in handler?($0, $1) ?? value($0, $1)
    }
  }
}

extension XCTestCase {
  /// Expects a value, now or later; without a value, any change.
  @discardableResult
  func keyValueObservingExpectation(
    for object: NSObject, keyPath: String, expectedValue: Any? = nil
  ) -> XCTestExpectation {
    expectation(
      object, keyPath, isOfValue: expectedValue != nil, KeyValueWait.test(expectedValue))
  }

  /// Expects what the handler returns true for.
  @discardableResult
  func keyValueObservingExpectation(
    for object: NSObject, keyPath: String,
    handler: @escaping (Any, [NSKeyValueChangeKey: Any]) -> Bool
  ) -> XCTestExpectation {
    expectation(object, keyPath, isOfValue: true, handler)
  }

  private func expectation(
    _ object: NSObject, _ keyPath: String, isOfValue: Bool,
    _ isExpected: @escaping (Any, [NSKeyValueChangeKey: Any]) -> Bool
  ) -> XCTestExpectation {
    let expectation = expectation(description: "\(keyPath) of \(type(of: object))")
    let wait = KeyValueWait(
      expectation, object, keyPath, isOfValue: isOfValue, isExpected)
    nonisolated(unsafe) let kept = wait
    addTeardownBlock { withExtendedLifetime(kept) {} }
    return expectation
  }
}

/// Observes until a change is the expected one.
private final class KeyValueWait: NSObject {
  private weak var expectation: XCTestExpectation?
  private let isExpected: (Any, [NSKeyValueChangeKey: Any]) -> Bool
  private var isFulfilled = false

  init(
    _ expectation: XCTestExpectation, _ object: NSObject, _ keyPath: String, isOfValue: Bool,
    _ isExpected: @escaping (Any, [NSKeyValueChangeKey: Any]) -> Bool
  ) {
    self.expectation = expectation
    self.isExpected = isExpected
    super.init()
    object.addObserver(
      self, forKeyPath: keyPath, options: isOfValue ? [.initial, .old, .new] : [.old, .new],
      context: nil)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard !isFulfilled, let object, let change, isExpected(object, change) else { return }
    isFulfilled = true
    expectation?.fulfill()
  }

  /// Compares as objects, so that true is equal to the number that key-value coding reads.
  static func test(_ expected: Any?) -> (Any, [NSKeyValueChangeKey: Any]) -> Bool {
    { _, change in
      guard let expected else { return true }
      return (expected as? Foundation.NSObject)?.isEqual(change[.newKey]) == true
    }
  }
}
// end

@KeyValueObservable
private final class Download: NSObject {
  dynamic var isDone = false
  dynamic var parts = 0
  dynamic var title: String? = "a"
  dynamic var next: Download?
}

final class PortingExpectationsTests: XCTestCase {
  @MainActor func testValues() {
    let download = Download()
    keyValueObservingExpectation(for: download, keyPath: "isDone", expectedValue: true)
    keyValueObservingExpectation(for: download, keyPath: "parts", expectedValue: 3)
    keyValueObservingExpectation(for: download, keyPath: "title", expectedValue: "a")
    keyValueObservingExpectation(for: download, keyPath: "next.title", expectedValue: NSNull())
    keyValueObservingExpectation(for: download, keyPath: "title")
    keyValueObservingExpectation(for: download, keyPath: "parts") { object, change in
      (object as? Download)?.isDone == true && change[.newKey] as? Int == 2
    }
    download.isDone = true
    download.parts = 2
    download.parts = 3
    download.title = nil
    download.next = Download()
    download.next?.title = nil
    waitForExpectations(timeout: 0)
  }

  func testUnfulfilled() {
    let download = Download()
    let expectations = [
      XCTKVOExpectation(keyPath: "isDone", object: download, expectedValue: true),
      XCTKVOExpectation(keyPath: "parts", object: download),
      XCTKVOExpectation(keyPath: "title", object: download, expectedValue: "b"),
    ]
    let handled = XCTKVOExpectation(keyPath: "parts", object: download)
    handled.handler = { _, change in change[.newKey] as? Int == 5 }
    for expectation in expectations + [handled] { expectation.isInverted = true }
    download.isDone = false
    download.title = "c"
    wait(for: expectations, timeout: 0)
    download.parts = 4
    wait(for: [handled], timeout: 0)
  }

  func testFulfilled() {
    let download = Download()
    let done = XCTKVOExpectation(keyPath: "isDone", object: download, expectedValue: true)
    let any = XCTKVOExpectation(keyPath: "parts", object: download)
    let handled = XCTKVOExpectation(keyPath: "parts", object: download)
    handled.handler = { _, change in change[.newKey] as? Int == 5 }
    download.isDone = true
    download.parts = 4
    download.parts = 5
    wait(for: [done, any, handled], timeout: 0)
  }
}
