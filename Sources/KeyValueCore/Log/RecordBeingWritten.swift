/// The objects that arrive and leave with the record that is being written.
///
/// Confined to where the objects are used, as the graph.
struct RecordBeingWritten {
  typealias Entry = LogGraph.Entry

  /// The objects whose departure is being recorded.
  private var departing: [ObjectIdentifier: Entry] = [:]
  /// The objects that entered and left in the transaction.
  private var passing: Set<ObjectIdentifier> = []
  /// Those of them that the record has referred to, and that it doesn't create yet.
  private var mentioned = Fifo<Entry>()
  /// The objects that enter with it.
  private(set) var arriving: Set<ObjectIdentifier> = []
  /// The objects that leave with it.
  private(set) var leaving: Set<ObjectIdentifier> = []

  init() {}

  /// - Parameters:
  ///   - settled: What entered and what left.
  ///   - outer: The record that an answer is a part of; what left with that one is gone in the answer, too.
  init(_ settled: LogGraph.Settled, in outer: RecordBeingWritten) {
    departing = outer.departing
    for entry in settled.left + settled.passed { departing[entry.identity] = entry }
    passing = Set(settled.passed.map(\.identity))
    arriving = Set(settled.arrived.map(\.identity)).union(passing)
    leaving = Set(departing.keys)
  }

  func departing(_ identity: ObjectIdentifier) -> Entry? { departing[identity] }

  /// Notes that the record has an edit of an object; one that entered and left is created and deleted, too.
  mutating func mention(_ entry: Entry) {
    if passing.remove(entry.identity) != nil { mentioned.append(entry) }
  }

  /// The next object that entered and left, and that the record refers to.
  mutating func takeMentioned() -> Entry? { mentioned.popFirst() }
}
