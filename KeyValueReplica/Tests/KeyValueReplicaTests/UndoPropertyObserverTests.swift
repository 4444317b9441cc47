import KeyValueObserving
import KeyValueReplica
import Testing

/// Whether `willSet` and `didSet` run where a replica takes own changes back.
@Suite("Undoing: property observers", .timeLimit(.minutes(10)))
@MainActor
struct UndoPropertyObserverTests {
  /// What asks for property observers.
  enum Asking: CaseIterable {
    case nothing, theClass, theOptions
  }

  private func openCanvas(
    _ asking: Asking, _ configure: (inout KeyValueReplicaOptions) -> Void = { _ in }
  ) async throws -> KeyValueReplica<Canvas> {
    var options = KeyValueReplicaOptions()
    options.runsPropertyObservers = asking == .theOptions
    configure(&options)
    return try await KeyValueReplica.open(
      Canvas.self, document: "canvas", in: MemoryLogStore(), options: options,
      classes: [KeyValueLogClass(Canvas.self, runsPropertyObservers: asking == .theClass)])
  }

  @Test(
    "S2 didSet runs for undo() and redo() in classes that ask, or in all if the options do",
    arguments: Asking.allCases)
  func undone(asking: Asking) async throws {
    let a = try await openCanvas(asking)
    a.root.width = 7
    try a.undo()
    #expect(a.root.width == 0)
    try a.redo()
    #expect(a.root.width == 7)
    #expect(a.root.drawn == (asking == .nothing ? ["7"] : ["7", "0", "7"]))
  }

  @Test(
    "S2 didSet runs where a change is taken back in classes that ask, or in all if the options do",
    arguments: Asking.allCases)
  func takenBack(asking: Asking) async throws {
    let a = try await openCanvas(asking) { $0.maximumPending = 0 }
    a.root.width = 7
    #expect(a.root.width == 0)
    #expect(a.root.drawn == (asking == .nothing ? ["7"] : ["7", "0"]))
    await #expect(throws: KeyValueReplicaError.queueFull(limit: 0)) { try await a.flush() }
  }
}

@MainActor @KeyValueObservable
private final class Canvas {
  var width = 0 { didSet { drawn.append("\(width)") } }
  @KeyValueIgnored var drawn: [String] = []

  init() {}
}
