import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport
import Logging
import Synchronization

/// A process with one replica.
///
/// It does what it's told on standard input, and says on standard output when it has.
/// Its graph, its observers and the replica are used on the main actor.
@MainActor
final class Participant {
  private let settings: ParticipantSettings
  private let journal: JournalWriter
  private let store: FaultyStore
  private let restored = Flag()
  private var numbers: SeededNumbers
  private var edits: RandomEdits
  private var replica: KeyValueReplica<Firm>?
  private var history: History?
  private var shadow: Shadow?
  private var observations: [KeyValueObservation] = []

  init(_ settings: ParticipantSettings) throws {
    self.settings = settings
    journal = try JournalWriter(path: settings.journal)
    let seed = settings.seed &+ UInt64(settings.incarnation) &* 7919
    numbers = SeededNumbers(seed)
    edits = RandomEdits(SeededNumbers(seed &+ 1))
    store = FaultyStore(
      settings.makeStore(), journal, notesSent: settings.keepsQueue, SeededNumbers(seed &+ 2))
  }

  private var author: String { "\(settings.name)\(settings.incarnation)." }

  // MARK: Commands

  /// Obeys until it's told to close, or until the process that began it is gone.
  func obey() async throws {
    let (commands, continuation) = AsyncStream.makeStream(of: String.self)
    // Reading blocks, so it needs a thread.
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      exit(2)
    }
    try await open()
    answer("ready")
    for await command in commands {
      let words = command.split(separator: " ")
      let number = words.count > 1 ? Int64(words[1]) ?? 0 : 0
      switch words.first {
      case "run": try await run(Int(number))
      case "quiet": try await flush()
      case "leave": leave(Int(number))
      case "return": try await comeBack()
      case "reach":
        try await reach(number)
        continue
      case "save": try await save()
      case "dump": try dump()
      case "close":
        try await close()
        answer("done")
        return
      default: throw Violation("the command \(command) isn't known")
      }
      answer("done")
    }
  }

  private func answer(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  // MARK: Opening and closing

  private func open() async throws {
    var options = KeyValueReplicaOptions()
    options.author = settings.name
    options.conflictRule = settings.rule.conflictRule
    options.snapshotInterval = settings.snapshotInterval
    options.queueFolder = settings.keepsQueue ? settings.queueFolder : nil
    var logger = Logger(label: "replica") { [journal, restored] _ in
      JournalLog(journal: journal) { restored.raise() }
    }
    logger.logLevel = .notice
    options.logger = logger
    while replica == nil {
      do {
        replica = try await KeyValueReplica.open(
          Firm.self, document: ParticipantSettings.document, in: store, options: options)
      } catch KeyValueReplicaError.unreachable {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    guard let replica else { return }
    shadow = Shadow(of: replica.root)
    if settings.isReader { try beginHistory() }
    observations = [
      replica.kvo.revision.observe { [unowned self] replica, _ in arrived(at: replica.revision) },
      replica.kvo.status.observe { [unowned self] replica, _ in noted(replica.status) },
    ]
  }

  private func beginHistory() throws {
    guard let replica else { return }
    history = nil
    history = try History(of: replica.root)
    journal.write(.opened(replica.revision))
  }

  private func arrived(at revision: Int64) {
    let isRestored = restored.take()
    if isRestored { journal.write(.fault("restored")) }
    guard let history else { return }
    let told = history.take().map { JournalLine.told($0) }
    journal.write(told + [isRestored ? .restored(revision) : .revision(revision)])
    guard isRestored else { return }
    // In the order in which a graph that's made anew has them.
    do {
      try beginHistory()
    } catch {
      journal.write(.violation("\(error)"))
    }
  }

  private func noted(_ status: KeyValueReplicaStatus) {
    switch status {
    case .conflict(let conflicts):
      guard settings.rule == .reject else { return }
      let ids = Set(conflicts.compactMap { UUID(uuidString: "\($0.transaction)") })
      journal.write(ids.map { .rejected($0) })
    case .refused, .readOnly: journal.write(.violation("the status is \(status)"))
    case .ended(let error) where error != .closed:
      journal.write(.violation("the status is \(status)"))
    default: break
    }
  }

  /// Closes the replica, and sees to it that nothing is left registered, and nothing is kept alive.
  private func close() async throws {
    try await flush()
    let remains = try await remains()
    store.close()
    for _ in 0..<10_000 {
      if remains.allSatisfy({ $0.object == nil }) { return }
      await Task.yield()
    }
    let names = remains.compactMap { $0.object.map { "\(type(of: $0))" } }
    journal.write(.violation("alive after the end: \(names)"))
  }

  private struct Remains {
    weak var object: AnyObject?
  }

  private func remains() async throws -> [Remains] {
    guard let root = replica?.root else { return [] }
    try await replica?.close()
    shadow = nil
    history = nil
    observations = []
    let all: [any KeyValueObservable] = [root] + root.everyone + root.allTeams
    var remains = all.map { Remains(object: $0) }
    remains.append(Remains(object: replica))
    replica = nil
    let deadline = ContinuousClock.now + .seconds(20)
    while remains.last?.object != nil, ContinuousClock.now < deadline { await Task.yield() }
    for object in all where !object.observationInfo.isEmpty {
      journal.write(.violation("registered after the end: \(object.observationInfo)"))
    }
    Teams.cutApart()
    return remains
  }

  // MARK: Changes

  private func run(_ count: Int) async throws {
    guard let root = replica?.root else { return }
    var made = 0
    while made < count {
      for _ in 0...numbers.number(3) {
        edits.change(root, author)
        made += 1
      }
      switch numbers.number(40) {
      case 0: _ = try replica?.undo()
      case 1: _ = try replica?.redo()
      case 2: try await save()
      case 3:
        store.setOffline(true)
        journal.write(.fault("offline"))
        try await Task.sleep(for: .milliseconds(numbers.number(60)))
        edits.change(root, author)
        try await Task.sleep(for: .milliseconds(numbers.number(60)))
        store.setOffline(false)
      case 4...18: try await flush()
      case 19...24: try await Task.sleep(for: .milliseconds(numbers.number(8)))
      default: await Task.yield()
      }
    }
    try await flush()
  }

  /// Makes changes without reaching the store.
  private func leave(_ count: Int) {
    store.setOffline(true)
    journal.write(.fault("offline"))
    for _ in 0..<count {
      if let root = replica?.root { edits.change(root, author) }
    }
  }

  private func comeBack() async throws {
    store.setOffline(false)
    try await flush()
  }

  private func flush() async throws {
    guard let replica else { return }
    do {
      try await replica.flush()
    } catch KeyValueReplicaError.conflict {
      // What was taken back isn't pending any more.
    }
    if numbers.number(4) == 0, replica.status == .current { try check(replica) }
  }

  /// Writes down what the graph is; nothing is pending.
  private func check(_ replica: KeyValueReplica<Firm>) throws {
    journal.write(.state(revision: replica.revision, try Digest(replica.snapshot())))
    for difference in shadow?.differences() ?? [] {
      journal.write(.violation("at revision \(replica.revision): \(difference)"))
    }
  }

  // MARK: Being asked

  private func reach(_ revision: Int64) async throws {
    guard let replica else { return }
    for await value in replica.kvo.revision.values() where value >= revision { break }
    for await value in replica.kvo.status.values() where value == .current { break }
    try check(replica)
    answer("at \(replica.revision)")
  }

  private func save() async throws {
    do {
      try await replica?.saveSnapshot()
    } catch KeyValueReplicaError.unreachable {
      // It's kept some other time.
    }
  }

  /// Writes the graph to a file, for the message about a difference.
  private func dump() throws {
    guard let replica else { return }
    let data = try JSONEncoder().encode(replica.snapshot())
    try data.write(to: URL(fileURLWithPath: "\(settings.folder)/\(settings.name).json"))
  }
}

/// Raised from anywhere, and taken back by the one that notices.
private final class Flag: Sendable {
  private let isRaised = Mutex(false)

  func raise() { isRaised.withLock { $0 = true } }

  func take() -> Bool {
    isRaised.withLock { isRaised in
      defer { isRaised = false }
      return isRaised
    }
  }
}
