import Dispatch
import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

/// The manual notifications that reach observers, where Foundation's methods otherwise take precedence.
///
/// The macro refuses the others.
@Suite("Subclasses of Operation")
struct OperationSubclassTests {
  @Test("M1 withChange, the typed pair and calls through the protocol notify")
  func announced() {
    let download = Download()
    var heard: [Int?] = []
    let observation = download.observe(\.received, options: [.new]) { heard.append($1.newValue) }
    download.viaClosure(1)
    download.viaProtocol(2)
    download.viaPath(3)
    #expect(heard == [1, 2, 3])
    observation.invalidate()
  }

  @Test("D1 an override of isFinished notifies the queue, and observers through the key it reads")
  func finishing() {
    let download = Download()
    let heard = Lock<[Bool?]>([])
    let isHeard = DispatchSemaphore(value: 0)
    let observation = download.observe(\.isFinished, options: [.new]) { _, change in
      heard.withLock { $0.append(change.newValue) }
      isHeard.signal()
    }
    let queue = OperationQueue()
    queue.addOperations([download], waitUntilFinished: true)
    // The operation finishes before its thread calls the observer.
    isHeard.wait()
    #expect(download.isFinished)
    #expect(heard.withLock { $0 } == [true])
    observation.invalidate()
  }
}

@KeyValueObservable
private final class Download: Operation, @unchecked Sendable {
  @NotifiesManually private(set) var received = 0
  /// The operation's thread sets it, and another one reads it.
  @KeyValueIgnored private let storage = Lock(false)
  @NotifiesManually private var done: Bool {
    get { storage.withLock { $0 } }
    set { withChange(of: "done") { storage.withLock { $0 = newValue } } }
  }
  override var isFinished: Bool { done }
  override var isAsynchronous: Bool { true }

  override func start() {
    willChangeValue(forKey: "isFinished")
    done = true
    didChangeValue(forKey: "isFinished")
  }

  func viaClosure(_ count: Int) {
    withChange(of: "received") { received = count }
  }

  func viaProtocol(_ count: Int) {
    (self as any KeyValueObservable).willChangeValue(forKey: "received")
    received = count
    (self as any KeyValueObservable).didChangeValue(forKey: "received")
  }

  func viaPath(_ count: Int) {
    willChangeValue(for: \.received)
    received = count
    didChangeValue(for: \.received)
  }
}
