import Foundation
import KeyValueObserving
import Testing

/// The announcements that reach observers where Foundation's own win; the macro refuses the others.
@Suite("Subclasses of Operation")
struct OperationSubclassTests {
  @Test("M1 withChange, the typed pair and a call through the protocol announce")
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

  @Test("D1 an override of isFinished tells the queue, and observers through what it reads")
  func finishing() {
    let download = Download()
    var heard: [Bool?] = []
    let observation = download.observe(\.isFinished, options: [.new]) {
      heard.append($1.newValue)
    }
    let queue = OperationQueue()
    queue.addOperations([download], waitUntilFinished: true)
    #expect(download.isFinished)
    #expect(heard == [true])
    observation.invalidate()
  }
}

@KeyValueObservable
private final class Download: Operation, @unchecked Sendable {
  @NotifiesManually private(set) var received = 0
  private var done = false
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
