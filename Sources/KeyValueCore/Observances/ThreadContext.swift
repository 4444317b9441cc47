/// What one thread is in the middle of: a transaction, mutations that are made of parts, and deliveries
/// inside deliveries.
///
/// A change or a delivery asks for it only if some thread is in the middle of something; one load answers
/// that. Only its own thread uses it, so nothing is locked.
final class ThreadContext {
  private static let contexts = ThreadLocal { ThreadContext() }

  /// The open transaction.
  private(set) var transaction: (any OpenTransaction)?
  /// The observances that are told only of a mutation as a whole, and how many such mutations are going
  /// on.
  ///
  /// What they are attached to follows the parts all the same.
  private(set) var muted: [UInt64: Int] = [:]
  /// The deliveries inside deliveries of the same observance.
  var nesting = DeliveryNesting()

  /// Whether no thread is in the middle of anything; a thread always sees its own activities.
  @inline(__always)
  static var isQuiet: Bool { ThreadActivity.isNone }

  /// The thread's context, if there is anything to know.
  @inline(__always)
  static var current: ThreadContext? { isQuiet ? nil : contexts.known }

  static var ofThisThread: ThreadContext { contexts.value }

  static func beginActivity() { ThreadActivity.begin() }
  static func endActivity() { ThreadActivity.end() }

  // MARK: Transactions

  func open(_ transaction: any OpenTransaction) {
    ThreadContext.beginActivity()
    self.transaction = transaction
  }

  func closeTransaction() {
    transaction = nil
    ThreadContext.endActivity()
  }

  // MARK: Mutations made of parts

  /// Runs the parts of a mutation whose observances these are, so that they are not told of the parts.
  ///
  /// A proxy announces what it does and lets the class's own accessors do it. What those announce in turn
  /// would tell the same observances twice (Parity C4, N5).
  static func muting(_ watches: WatchList..., during body: () -> Void) {
    let context = ofThisThread
    var numbers: [UInt64] = []
    for list in watches { list.forEach { numbers.append($0.observance.number) } }
    beginActivity()
    for number in numbers { context.muted[number, default: 0] += 1 }
    body()
    for number in numbers {
      let depth = context.muted[number, default: 1] - 1
      context.muted[number] = depth == 0 ? nil : depth
    }
    endActivity()
  }

  /// Runs a callback; what it changes is no part of the mutation that is going on.
  @inline(__always)
  static func outsideOfMutations(_ body: () -> Void) {
    guard let current else { return pausingRecords(body) }
    let muted = current.muted
    current.muted = [:]
    pausingRecords(body)
    current.muted = muted
  }

  @inline(__always)
  private static func pausingRecords(_ body: () -> Void) {
    #if DEBUG || KVO_AUDIT
      isQuiet ? body() : ReadRecording.pausing(body)
    #else
      body()
    #endif
  }
}
