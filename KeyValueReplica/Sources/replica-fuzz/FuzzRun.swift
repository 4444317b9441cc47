import Foundation
import KeyValueObserving
import KeyValueReplica
import KeyValueReplicaTestSupport

/// One run: rounds of edits with faults, after each of which everything is compared.
@MainActor
final class FuzzRun {
  /// A participant, over all its incarnations.
  @MainActor
  private final class Member {
    var settings: ParticipantSettings
    var child: Child
    var check: JournalCheck
    /// The number of the child that's ready.
    var ready = 0
    var isStopped = false

    init(_ settings: ParticipantSettings) throws {
      self.settings = settings
      child = try Child(settings)
      check = JournalCheck(settings)
    }
  }

  private let settings: FuzzSettings
  private let place: FuzzPlace
  private var numbers: SeededNumbers
  private var members: [Member] = []
  private var reference: Reference
  private var faults: [String: Int] = [:]
  private let clock = ContinuousClock()

  private var writers: [Member] { members.filter { !$0.settings.isReader } }
  private var readers: [Member] { members.filter(\.settings.isReader) }

  // MARK: The run

  /// Makes the document, and starts the participants.
  init(_ settings: FuzzSettings, at place: FuzzPlace) async throws {
    self.settings = settings
    self.place = place
    numbers = SeededNumbers(settings.seed)
    let rule = ParticipantSettings.Rule.allCases[numbers.number(3)]
    let count = 3 + numbers.number(3)
    let interval = [0, 30, 100][numbers.number(3)]
    let keepsQueue = numbers.number(3) > 0
    for index in 0..<count {
      let isReader = index == 0 || index == 4
      members.append(
        try Member(
          ParticipantSettings(
            name: "abcde".map(String.init)[index], seed: numbers.next() >> 8, store: place.kind,
            place: place.place, folder: place.folder, isReader: isReader, rule: rule,
            snapshotInterval: interval, keepsQueue: keepsQueue && !isReader)))
    }
    // The participants make the document, all at once; its first snapshot has nothing but the root.
    let deadline = clock.now + .seconds(60)
    var snapshot: LogSnapshot?
    while snapshot == nil {
      guard clock.now < deadline else { throw Violation("no participant makes the document") }
      snapshot = try await place.persistently { store in
        try await store.snapshot(of: ParticipantSettings.document)
      }
      if snapshot == nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    reference = try Reference(snapshot!)
    for member in members { try await awaitReady(member) }
  }

  /// Ends all participants, whatever they do.
  func end() {
    for member in members { member.child.end() }
  }

  /// Runs until there are enough transactions.
  ///
  /// - Returns: What the printed line says.
  /// - Throws: The first violation.
  func run() async throws -> String {
    while reference.count < settings.transactions {
      try await round()
      if numbers.number(2) == 0 { try await compactBehindAbsentees() }
    }
    try await close()
    return summary
  }

  var summary: String {
    for member in members { faults.merge(member.check.faults) { $0 + $1 } }
    let kinds = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return "store \(settings.store.rawValue), seed \(settings.seed), \(members.count) replicas, "
      + "rule \(members[0].settings.rule), \(reference.count) transactions, faults: "
      + kinds.joined(separator: ", ")
  }

  private func note(_ fault: String) { faults[fault, default: 0] += 1 }

  /// All writers make edits while faults are injected; then all come to rest.
  private func round() async throws {
    let count = 20 + numbers.number(80)
    let faults = Task { try await self.disturb() }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in writers {
          group.addTask { try await self.work(writer, count) }
        }
        try await group.waitForAll()
      }
    } catch {
      faults.cancel()
      throw error
    }
    faults.cancel()
    do { try await faults.value } catch is CancellationError {}
    for member in members { resume(member) }
    try await settle(members)
  }

  /// Has a writer make edits, as many incarnations as it takes.
  private func work(_ member: Member, _ count: Int) async throws {
    var rest = count
    while true {
      let ready = member.ready
      let child = member.child
      child.send("run \(rest)")
      if let answer = try await child.reply() {
        guard answer == "done" else { throw Violation("\(member.settings.name) said \(answer)") }
        return
      }
      // It was killed, and another one is started.
      rest = max(1, rest / 2)
      let deadline = clock.now + .seconds(180)
      while member.ready == ready {
        guard member.child === child || clock.now < deadline else {
          throw Violation("\(member.settings.name) doesn't come back")
        }
        try expectKilled(member, child)
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  /// A process that nothing has killed must not end.
  private func expectKilled(_ member: Member, _ child: Child) throws {
    if member.child === child, !killed.contains(child.identifier) {
      throw Violation("\(member.settings.name) ended by itself: \(child.complaint)")
    }
  }

  private var killed: Set<pid_t> = []

  // MARK: Faults

  /// Injects faults until it's cancelled.
  private func disturb() async throws {
    while !Task.isCancelled {
      try await Task.sleep(for: .milliseconds(3 + numbers.number(60)))
      let member = members[numbers.number(members.count)]
      switch numbers.number(place.proxy == nil ? 6 : 14) {
      case 0: try await kill(member)
      case 1, 2: stop(member)
      case 3 where numbers.number(2) == 0: try await compact(olderThan: .seconds(40))
      case 6: try await terminate()
      case 7 where numbers.number(4) == 0:
        try await place.crash()
        note("crashed")
      case 8...13:
        let fault = Proxy.Fault.allCases[numbers.number(3)]
        if place.proxy?.inject(fault, &numbers) == true { note(fault.rawValue) }
      default: break
      }
    }
  }

  /// Kills a participant, and starts it again.
  private func kill(_ member: Member) async throws {
    killed.insert(member.child.identifier)
    member.child.end()
    note("killed")
    member.isStopped = false
    member.settings.incarnation += 1
    let child = try Child(member.settings)
    member.child = child
    // Not cancelled with the faults: it has to be ready afterwards.
    try await Task { try await self.awaitReady(member) }.value
  }

  private func awaitReady(_ member: Member) async throws {
    guard try await member.child.reply() == "ready" else {
      throw Violation("\(member.settings.name) doesn't begin: \(member.child.complaint)")
    }
    member.ready += 1
  }

  /// Stops a participant for a while.
  private func stop(_ member: Member) {
    if member.isStopped { return }
    member.isStopped = true
    member.child.signal(SIGSTOP)
    note("stopped")
    let time = numbers.number(8) == 0 ? 1_500 : 5 + numbers.number(200)
    let incarnation = member.settings.incarnation
    Task {
      try await Task.sleep(for: .milliseconds(time))
      if member.settings.incarnation == incarnation { self.resume(member) }
    }
  }

  private func resume(_ member: Member) {
    if !member.isStopped { return }
    member.isStopped = false
    member.child.signal(SIGCONT)
  }

  private func terminate() async throws {
    try await place.terminateSession()
    note("terminated")
  }

  // MARK: Compaction

  /// Reads what there is, and then deletes records.
  private func compact(olderThan age: Duration) async throws {
    try await read()
    let count = try await place.persistently { store in
      try await store.compact(
        ParticipantSettings.document, keepingSnapshots: 1, olderThan: age)
    }
    if count > 0 { note("compacted") }
  }

  /// Deletes the records that some participants haven't read; one of them has changes that it hasn't sent.
  private func compactBehindAbsentees() async throws {
    var present = members
    let reader = readers[numbers.number(readers.count)]
    reader.child.signal(SIGSTOP)
    present.removeAll { $0 === reader }
    var absent: Member?
    if writers.count > 1, numbers.number(2) == 0 {
      let writer = writers[numbers.number(writers.count)]
      present.removeAll { $0 === writer }
      absent = writer
      try await ask(writer, "leave \(1 + numbers.number(6))")
    }
    for member in present where !member.settings.isReader {
      try await ask(member, "run \(1 + numbers.number(10))")
    }
    try await settle(present)
    if let writer = present.first(where: { !$0.settings.isReader }) {
      try await ask(writer, "save")
    }
    try await compact(olderThan: .zero)
    reader.child.signal(SIGCONT)
    if let absent { try await ask(absent, "return") }
    try await settle(members)
  }

  // MARK: Coming to rest

  private func ask(_ member: Member, _ command: String) async throws {
    member.child.send(command)
    let answer = try await member.child.reply()
    guard answer == "done" else {
      throw Violation(
        "\(member.settings.name), told to \(command), said \(answer ?? "nothing, and ended"): "
          + member.child.complaint)
    }
  }

  private func read() async throws {
    while true {
      let position = reference.position
      let read = try await place.persistently { store in
        try await store.records(
          of: ParticipantSettings.document, after: position, limit: 1000)
      }
      guard case .records(let records, let head, _) = read else {
        throw Violation("the records after \(position.revision) are gone")
      }
      // Another call may have read them meanwhile.
      try reference.append(records.filter { $0.revision > reference.revision })
      if reference.revision >= head { return }
      if records.isEmpty {
        throw Violation("there are no records from \(position.revision) to \(head)")
      }
    }
  }

  /// Waits until nothing is under way, and compares everything.
  private func settle(_ present: [Member]) async throws {
    // What is taken back in the first pass may be followed by others' changes.
    for _ in 0..<2 {
      for member in present where !member.settings.isReader { try await ask(member, "quiet") }
    }
    try await read()
    for member in present {
      member.child.send("reach \(reference.revision)")
      let answer = try await member.child.reply()
      guard answer == "at \(reference.revision)" else {
        throw Violation(
          "\(member.settings.name) should be at \(reference.revision) and said "
            + (answer ?? "nothing: " + member.child.complaint))
      }
    }
    try await compare(present)
    if present.count == members.count { reference.forget() }
  }

  private func compare(_ present: [Member]) async throws {
    for member in present {
      do {
        try member.check.check(member.settings.incarnation, &reference, isQuiet: true)
      } catch {
        throw Violation("\(error)\(try await differences(of: member))")
      }
    }
    try await compareSnapshot()
  }

  /// What a participant's graph has that the records don't lead to.
  private func differences(of member: Member) async throws -> String {
    try await ask(member, "dump")
    let data = try Data(
      contentsOf: URL(fileURLWithPath: "\(place.folder)/\(member.settings.name).json"))
    let snapshot = try JSONDecoder().decode(KeyValueSnapshot.self, from: data)
    return snapshot.differences(from: reference.state).map { "\n  " + $0 }.joined()
  }

  /// The newest snapshot is what the records lead to.
  private func compareSnapshot() async throws {
    let snapshot = try await place.persistently { store in
      try await store.snapshot(of: ParticipantSettings.document)
    }
    guard let snapshot, let expected = try? reference.state(snapshot.position.revision)
    else { return }
    let kept = try JSONDecoder().decode(KeyValueSnapshot.self, from: snapshot.payload)
    let differences = kept.differences(from: expected)
    if differences.isEmpty { return }
    throw Violation(
      "the snapshot of revision \(snapshot.position.revision):"
        + differences.map { "\n  " + $0 }.joined())
  }

  private func close() async throws {
    for member in members { try await ask(member, "close") }
    for member in members {
      try member.check.check(member.settings.incarnation, &reference, isQuiet: true)
      _ = try await member.child.reply()
    }
  }
}
