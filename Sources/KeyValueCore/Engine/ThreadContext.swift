/// A thread's activity: a transaction, mutations that consist of parts, and nested deliveries.
///
/// A change or a delivery looks up the context only if some thread has activity, which takes one load to
/// find out. Only its own thread uses a context, so it needs no lock.
final class ThreadContext {
  private static let contexts = ThreadLocal { ThreadContext() }

  /// The open transaction.
  @exclusivity(unchecked) private(set) var transaction: (any OpenTransaction)?
  /// The observances that are notified only of mutations in progress as wholes, by number.
  ///
  /// Their attachments follow the parts all the same.
  @exclusivity(unchecked) private(set) var muted: Set<UInt64> = []
  /// The properties whose changes are parts of changes that journals are told as a whole.
  @exclusivity(unchecked) private(set) var partsOfJournaled: [PropertyPlace] = []
  /// The journals that have let a setting in the open transaction last, each once.
  @exclusivity(unchecked) private var lastingJournals: [Journal] = []
  /// The deliveries nested in deliveries of the same observance.
  var nesting = DeliveryNesting()
  /// The context of an earlier traced change, for the next one.
  @exclusivity(unchecked) var spare: MutationContext?
  /// The reads of the objects that the thread is probing, innermost last.
  @exclusivity(unchecked) var probes: [(registrar: UnsafePointer<KeyValueRegistrar>, ids: [Int])] =
    []
  /// The number of the wave in which bindings are passing changes on; 0 if there is none.
  @exclusivity(unchecked) var wave: UInt64 = 0
  /// The property whose value is being stored without its property observers.
  @exclusivity(unchecked) var silentStore: PropertyPlace?
  /// The number of the writer whose record is being applied; 0 if the changes are this program's own.
  @exclusivity(unchecked) private(set) var author: UInt32 = 0

  /// Whether no thread has activity; a thread always sees its own.
  @inline(__always)
  static var isQuiet: Bool { ThreadActivity.isNone }

  /// The thread's context; nil if there is no activity.
  @inline(__always)
  static var current: ThreadContext? { isQuiet ? nil : contexts.known }

  static var ofThisThread: ThreadContext { contexts.value }

  // MARK: Origin

  /// Makes changes that come from another writer.
  static func performing<Result>(from author: String, _ body: () throws -> Result) rethrows
    -> Result
  {
    let context = ofThisThread
    let outer = context.author
    context.author = ChangeAuthors.number(of: author)
    ThreadActivity.begin()
    defer {
      context.author = outer
      ThreadActivity.end()
    }
    return try body()
  }

  // MARK: Transactions

  /// The thread's transaction, unless each change has to be traced.
  var untracedTransaction: (any OpenTransaction)? { Tracer.isOn ? nil : transaction }

  func open(_ transaction: any OpenTransaction) {
    ThreadActivity.begin()
    self.transaction = transaction
  }

  func closeTransaction() {
    transaction = nil
    if !lastingJournals.isEmpty { lastingJournals = [] }
    ThreadActivity.end()
  }

  // MARK: Lasting settings

  /// Lets a journal's settings last until the transaction ends at the latest: it isn't told of the next ones.
  func beginLastingSetting(for journal: Journal) {
    if !lastingJournals.contains(where: { $0 === journal }) { lastingJournals.append(journal) }
  }

  /// Whether a setting of the property is a part of one that these journals have been told of.
  ///
  /// While changes are traced, each is told.
  func isLasting(_ place: PropertyPlace, for journals: [Journal]) -> Bool {
    if lastingJournals.isEmpty || Tracer.isOn { return false }
    return journals.allSatisfy { journal in
      lastingJournals.contains { $0 === journal } && journal.hasLastingSetting(at: place)
    }
  }

  /// Ends the setting of a property, before something other than a setting happens to it.
  func endLastingSetting(at place: @autoclosure () -> PropertyPlace) {
    if lastingJournals.isEmpty { return }
    let place = place()
    for journal in lastingJournals { journal.settingEnds(at: place) }
  }

  /// Ends all settings.
  func endLastingSettings() {
    for journal in lastingJournals { journal.settingsEnd() }
  }

  // MARK: Mutations made of parts

  /// Runs the parts of a mutation without notifying the mutation's observances of the parts.
  ///
  /// A proxy announces what it does and lets the class's own accessors do it. The accessors' own
  /// announcements would notify the same observances twice (Parity C4, N5).
  ///
  /// An observance of a journal serves all objects of a class, so journals miss the parts by their place.
  static func muting(_ watches: WatchList..., at place: PropertyPlace, during body: () -> Void) {
    let context = ofThisThread
    let outer = context.muted
    for list in watches {
      list.forEach { watch in
        if watch.observance.journal == nil { context.muted.insert(watch.observance.number) }
      }
    }
    context.leavingOutOfJournals(place, body)
    context.muted = outer
  }

  /// Runs a mutation of a property that journals are told as a whole.
  func leavingOutOfJournals<Result>(
    _ place: PropertyPlace, _ body: () throws -> Result
  ) rethrows -> Result {
    ThreadActivity.begin()
    partsOfJournaled.append(place)
    defer {
      partsOfJournaled.removeLast()
      ThreadActivity.end()
    }
    return try body()
  }

  /// Runs a callback whose changes are not part of the mutation in progress.
  @inline(__always)
  static func outsideOfMutations(_ body: () -> Void) {
    guard let current else { return pausingRecords(body) }
    let (muted, parts) = (current.muted, current.partsOfJournaled)
    (current.muted, current.partsOfJournaled) = ([], [])
    pausingRecords(body)
    (current.muted, current.partsOfJournaled) = (muted, parts)
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

/// A thread's open transaction, as changes see it.
protocol OpenTransaction: AnyObject, Sendable {
  /// Whether the transaction hasn't ended; a change may outlast it.
  var isOpen: Bool { get }
  /// Whether values are being restored, which observers aren't notified of.
  var isRestoring: Bool { get }
  /// Whether a part of the transaction is taken back if it fails.
  var mayRollBack: Bool { get }

  /// Records a property's value before it changes, for a part that may be rolled back.
  func noteOldValue(of object: any KeyValueObservable, _ property: Property)

  /// Whether the observance is notified at the end of a change that has been recorded.
  func holds(_ observance: Observance) -> Bool

  /// Whether a further change of the property that an observance watches adds nothing to what the transaction
  /// does at its end; `hop` is the property's, if the observance has hops.
  func isComplete(for observance: Observance, at hop: Hop?) -> Bool

  /// Whether the changes of a hop's collection are followed at the transaction's end.
  func hasPostponed(_ hop: Hop) -> Bool

  /// Leaves it to the transaction's end to follow the changes of a hop's collection.
  func postpone(_ hop: Hop, _ follow: @escaping () -> Void)

  /// Records a change before it happens, for an observance that will be notified of it.
  func begin(_ watch: Watch, _ object: AnyObject, root: AnyObject, _ edit: Edit)

  /// Records that a change has happened; false if its beginning was rolled back.
  func complete(_ watch: Watch, _ edit: Edit) -> Bool

  /// Records which elements' parts of an observance's value have changed.
  func note(_ elements: ChangedElements, of observance: Observance)

  /// Records the trace event that reports the deferral of an observance's call.
  func noteDeferral(_ event: UInt64, of observance: Observance)

  /// Defers an unannounced change to the transaction's end; false if the observance doesn't wait.
  func defers(unannounced observance: Observance) -> Bool
}

/// A thread's nested deliveries of observances that are already being delivered; it detects a loop before
/// the loop overflows the stack (Parity N9).
struct DeliveryNesting {
  static let limit = 64

  private struct Frame {
    let number: UInt64
    let place: String
    let origin: SourcePlace

    /// The key path, and where it is observed.
    var description: String {
      KeyValueTrace.Place(origin).map { "\(place) (\($0))" } ?? place
    }
  }

  /// Outermost first.
  private var frames: [Frame] = []
  /// The observances of reported loops, which stay silent until the thread has left all nesting.
  private var silenced: Set<UInt64> = []

  /// Records one more nested delivery; false if it has to be skipped, because it exceeds the limit or belongs
  /// to a reported loop.
  static func enter(_ observance: Observance, on root: AnyObject) -> Bool {
    let frame = Frame(
      number: observance.number, place: "\(name(of: type(of: root))).\(observance.keyPath)",
      origin: observance.origin)
    let context = ThreadContext.ofThisThread
    if context.nesting.silenced.contains(frame.number) { return false }
    let depth = context.nesting.frames.count { $0.number == frame.number }
    if depth < DeliveryNesting.limit {
      context.nesting.frames.append(frame)
      return true
    }
    let start = context.nesting.frames.lastIndex { $0.number == frame.number } ?? 0
    let loop = context.nesting.frames[start...]
    context.nesting.silenced.formUnion(loop.map(\.number))
    // Each key path, with its place.
    let description = loop.map { "\($0.description) -> " }.joined() + frame.place
    KeyValueViolation.report(
      .runawayRecursion,
      "Observing \(frame.place) leads back to itself more than \(limit) times: \(description)"
        + ". Change the value only where it differs, or break the loop.")
    return false
  }

  static func leave() {
    let context = ThreadContext.ofThisThread
    context.nesting.frames.removeLast()
    if context.nesting.frames.isEmpty { context.nesting.silenced = [] }
  }
}
