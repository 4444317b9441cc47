import Foundation
import Hummingbird
import Inspection
import KeyValueObserving

/// Takes events out of the buffer ten times a second, and sends batches to the open pages.
actor Session {
  private let buffer: EventBuffer
  private let records: RecordQueue
  private var inspection = Inspection()
  private var pages: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
  private var lastPage = 0
  /// The latest cascades, for pages that are opened later.
  private var history: [Cascade] = []
  private var seenCount = 0
  private var lastBatch = ContinuousClock.now
  /// The time of the latest event, by the trace's clock, and when that was read.
  private var lastEvent: (nanoseconds: UInt64, at: ContinuousClock.Instant)?

  private static let interval = Duration.milliseconds(100)
  private static let historyLength = 120

  init(buffer: EventBuffer, records: RecordQueue) {
    self.buffer = buffer
    self.records = records
  }

  /// Runs until it's cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.interval)) != nil { tick() }
    for page in pages.values { page.finish() }
  }

  private func tick() {
    takeEvents()
    let now = ContinuousClock.now
    let passed = now - lastBatch
    let batch = inspection.batch(
      now: traceTime(now), seconds: passed / .seconds(1))
    // After a second, an empty batch tells the page that nothing happens, and detects a closed page.
    if batch.isEmpty, passed < .seconds(1) { return }
    lastBatch = now
    seenCount += batch.seen
    keep(batch.cascades)
    if !pages.isEmpty { send("batch", batch, to: pages.values) }
  }

  private func takeEvents() {
    let (events, lostCount) = buffer.take()
    inspection.take(events, lostCount: lostCount)
    if let last = events.last { lastEvent = (last.nanoseconds, .now) }
    let (beginning, new) = records.take()
    inspection.take(beginning: beginning, new)
  }

  /// The trace's clock, estimated from the latest event.
  private func traceTime(_ now: ContinuousClock.Instant) -> UInt64 {
    guard let lastEvent else { return 0 }
    let (seconds, attoseconds) = (now - lastEvent.at).components
    return lastEvent.nanoseconds + UInt64(seconds) * 1_000_000_000
      + UInt64(attoseconds / 1_000_000_000)
  }

  private func keep(_ cascades: [Cascade]) {
    for cascade in cascades {
      if let index = history.lastIndex(where: { $0.id == cascade.id }) {
        history[index] = cascade
      } else {
        history.append(cascade)
      }
    }
    if history.count > Self.historyLength {
      history.removeFirst(history.count - Self.historyLength)
    }
  }

  // MARK: Pages

  /// The messages for a page that was just opened.
  func messages() -> AsyncStream<ByteBuffer> {
    // A page that doesn't keep up misses older messages.
    let (stream, page) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(30))
    lastPage += 1
    let number = lastPage
    pages[number] = page
    page.onTermination = { [weak self] _ in Task { await self?.close(number) } }
    send(
      "hello",
      Hello(
        program: Program.name, process: Program.id, seen: seenCount, cascades: history,
        history: inspection.historyRange),
      to: [page])
    return stream
  }

  private func close(_ number: Int) { pages[number] = nil }

  private func send(
    _ name: String, _ message: some Encodable,
    to pages: some Sequence<AsyncStream<ByteBuffer>.Continuation>
  ) {
    guard let json = try? JSONEncoder().encode(message) else { return }
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    buffer.writeBytes(json)
    buffer.writeString("\n\n")
    for page in pages { page.yield(buffer) }
  }

  // MARK: Questions

  func objects(search: String) -> ObjectsAnswer { inspection.objects(search: search) }
  func object(id: String) -> ObjectAnswer? { inspection.object(id: id) }
  func graph(
    around id: String, opened: Set<String>, lighting cause: Set<String>?
  ) -> GraphAnswer? {
    inspection.graph(around: id, opened: opened, lighting: cause)
  }
  func history(at position: Int) -> HistoryAnswer? { inspection.history(at: position) }
  func findings() -> FindingsAnswer { inspection.findings() }
}

/// The process that is inspected.
private enum Program {
  static let id = Int(ProcessInfo.processInfo.processIdentifier)
  static let name = ProcessInfo.processInfo.processName
}
