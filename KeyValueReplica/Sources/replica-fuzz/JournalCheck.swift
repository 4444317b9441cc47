import Foundation
import KeyValueReplicaTestSupport

/// Compares what a participant has written down with the store's records.
@MainActor
struct JournalCheck {
  private let settings: ParticipantSettings
  private var readers: [JournalReader] = []
  private var expected: ExpectedHistory?
  private var told: [String] = []
  private var acknowledged: [UUID] = []
  private var sent: [UUID] = []
  private(set) var faults: [String: Int] = [:]

  init(_ settings: ParticipantSettings) { self.settings = settings }

  /// Reads what there is since the last call, of all incarnations up to this one.
  ///
  /// - Parameters:
  ///   - incarnation: The one that lives.
  ///   - reference: The records, up to the newest.
  ///   - isQuiet: Whether nothing is under way, and the participant has all of it.
  /// - Throws: What differs.
  mutating func check(
    _ incarnation: Int, _ reference: inout Reference, isQuiet: Bool
  ) throws {
    while readers.count <= incarnation {
      var settings = settings
      settings.incarnation = readers.count
      readers.append(JournalReader(path: settings.journal))
    }
    for index in readers.indices {
      let lines = try readers[index].next()
      do {
        for line in lines { try check(line, &reference) }
      } catch {
        throw Violation("\(settings.name)\(index): \(error)")
      }
    }
    guard isQuiet else { return }
    for id in acknowledged where !reference.has(id) {
      throw Violation("\(settings.name): \(id) was acknowledged, and isn't there")
    }
    for id in sent where !reference.has(id) {
      throw Violation("\(settings.name): \(id) was in the queue's file, and isn't there")
    }
    acknowledged = []
    sent = []
    if let expected, expected.revision != reference.revision {
      throw Violation(
        "\(settings.name) was notified up to \(expected.revision), not \(reference.revision)")
    }
  }

  private mutating func check(_ line: JournalLine, _ reference: inout Reference) throws {
    switch line {
    case .acknowledged(let id): acknowledged.append(id)
    case .sent(let id): sent.append(id)
    case .rejected(let id):
      if reference.has(id) { throw Violation("\(id) was reported as taken back, and is there") }
    case .state(let revision, let digest):
      if try reference.digest(revision) != digest {
        throw Violation("the graph at revision \(revision) isn't what the records lead to")
      }
    case .opened(let revision):
      told = []
      expected = try ExpectedHistory(from: revision, reference)
    case .told(let line): told.append(line)
    case .revision(let revision):
      guard expected != nil else { throw Violation("a revision comes before a graph") }
      try expected!.next(revision, told: told, reference)
      told = []
    case .restored: told = []
    case .fault(let kind): faults[kind, default: 0] += 1
    case .violation(let text): throw Violation(text)
    }
  }
}
