import Synchronization

/// Calls a closure with each event.
final class ClosureSink: TraceSink, @unchecked Sendable {
  // Checked by hand: a constant.
  private let handler: @Sendable (KeyValueTrace.Event) -> Void

  init(_ handler: @escaping @Sendable (KeyValueTrace.Event) -> Void) {
    self.handler = handler
  }

  override func receive(_ event: KeyValueTrace.Event) { handler(event) }
}

/// The recordings that include the current task or thread.
enum TraceRecording {
  @TaskLocal static var current: Marker?

  /// A recording, and the one around it.
  final class Marker: Sendable {
    private let outer: Marker?

    init() { outer = TraceRecording.current }

    func includes(_ marker: Marker) -> Bool {
      self === marker || outer?.includes(marker) == true
    }
  }
}

/// Keeps events until the recording is over.
final class RecordingSink: TraceSink, @unchecked Sendable {
  // Checked by hand: constants, and a locked value.
  let marker = TraceRecording.Marker()
  private let everywhere: Bool
  private let events = LockedValue<[KeyValueTrace.Event]>([])

  init(everywhere: Bool) {
    self.everywhere = everywhere
  }

  override var isSelective: Bool { !everywhere }

  override var hearsCurrentTask: Bool {
    everywhere || TraceRecording.current?.includes(marker) == true
  }

  override func receive(_ event: KeyValueTrace.Event) {
    if hearsCurrentTask { events.withLock { $0.append(event) } }
  }

  /// Returns the record and drops the events, because threads may keep the sink for a while.
  func finish() -> KeyValueTrace {
    let recorded = events.withLock { events in
      defer { events = [] }
      return events
    }
    return KeyValueTrace(recorded).withDurations
  }
}

/// Keeps events for the iterators of a sequence.
final class EventSource: Sendable {
  let broadcast: Broadcast<KeyValueTrace.Event>
  private let token: KeyValueTrace.Token

  init(_ limit: Int) {
    let broadcast = Broadcast<KeyValueTrace.Event>(.bufferingNewest(limit), hasInitial: false)
    self.broadcast = broadcast
    token = KeyValueTrace.observe { broadcast.append($0) }
  }
}
