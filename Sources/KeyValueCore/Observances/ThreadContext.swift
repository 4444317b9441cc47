/// A thread's activity: a transaction, mutations that consist of parts, and nested deliveries.
///
/// A change or a delivery looks up the context only if some thread has activity, which takes one load to
/// find out. Only its own thread uses a context, so it needs no lock.
final class ThreadContext {
  private static let contexts = ThreadLocal { ThreadContext() }

  /// The open transaction.
  @exclusivity(unchecked) private(set) var transaction: (any OpenTransaction)?
  /// The observances that are notified only of a mutation as a whole, and the number of such mutations in
  /// progress.
  ///
  /// Their attachments follow the parts all the same.
  @exclusivity(unchecked) private(set) var muted: [UInt64: Int] = [:]
  /// Whether any observance is.
  var isMuting: Bool { !muted.isEmpty }
  /// The deliveries nested in deliveries of the same observance.
  var nesting = DeliveryNesting()
  /// The number of the wave in which bindings are passing changes on; 0 if there is none.
  @exclusivity(unchecked) var wave: UInt64 = 0

  /// Whether no thread has activity; a thread always sees its own.
  @inline(__always)
  static var isQuiet: Bool { ThreadActivity.isNone }

  /// The thread's context; nil if there is no activity.
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

  /// Runs the parts of a mutation without notifying the mutation's observances of the parts.
  ///
  /// A proxy announces what it does and lets the class's own accessors do it. The accessors' own
  /// announcements would notify the same observances twice (Parity C4, N5).
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

  /// Runs a callback whose changes are not part of the mutation in progress.
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
