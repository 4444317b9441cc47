import KeyValueCore
import KeyValueObserving
import Testing

private final class Journal {
  var lines: [String] = []
}

@KeyValueObservable
private final class Mortal: Hashable {
  @KeyValueIgnored private let name: String
  @KeyValueIgnored private let journal: Journal
  var age = 0

  init(_ name: String, _ journal: Journal) {
    self.name = name
    self.journal = journal
  }

  deinit { journal.lines.append("\(name) died") }

  static func == (left: Mortal, right: Mortal) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Holder {
  @KeyValueIgnored let journal = Journal()
  var content: Mortal?
  var list: [Mortal] = []
  var group: Set<Mortal> = []

  func mortal(_ name: String) -> Mortal { Mortal(name, journal) }
}

/// Replaces a value in place: nothing else holds the new value.
private func replace<Value>(_ value: inout Value, by other: () -> Value) {
  value = other()
}

@Suite("Tracing and lifetimes")
struct TraceLifetimeTests {
  private typealias Report = (Holder) -> Void

  /// One change, which two observers are told of; the first call makes another change.
  private struct Scenario {
    var prepare: (Holder) -> Void = { _ in }
    let observe: (Holder, @escaping Report) -> KeyValueObservation
    let change: (Holder) -> Void
    var handle: (Holder) -> Void = { _ in }

    func run() -> [String] {
      let holder = Holder()
      prepare(holder)
      var isFirst = true
      let first = observe(holder) { holder in
        holder.journal.lines.append("1 told")
        guard isFirst else { return }
        isFirst = false
        handle(holder)
        holder.journal.lines.append("1 returns")
      }
      let second = observe(holder) { $0.journal.lines.append("2 told") }
      change(holder)
      holder.journal.lines.append("changed")
      withExtendedLifetime((first, second)) {}
      return holder.journal.lines
    }
  }

  /// Compares what happens with and without a trace.
  private func expect(
    _ expected: [String], of scenario: Scenario,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(scenario.run() == expected, "untraced", sourceLocation: sourceLocation)
    var traced: [String] = []
    let trace = KeyValueTrace.recording { traced = scenario.run() }
    #expect(traced == expected, "traced", sourceLocation: sourceLocation)
    #expect(
      trace.events.contains { $0.kind == .changeEnded }, sourceLocation: sourceLocation)
  }

  private static func ofContent(_ holder: Holder, _ report: @escaping Report)
    -> KeyValueObservation
  {
    holder.kvo.content.observe { holder, _ in report(holder) }
  }

  @Test("N1 A traced assignment keeps the old object no longer than an untraced one")
  func assignedOver() {
    expect(
      ["old died", "1 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        prepare: { $0.content = $0.mortal("old") }, observe: TraceLifetimeTests.ofContent,
        change: { $0.content = nil }))
  }

  @Test("N1 A traced change under a path keeps the old object no longer than an untraced one")
  func replacedOnAPath() {
    expect(
      ["old died", "1 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        prepare: { $0.content = $0.mortal("old") },
        observe: { holder, report in
          holder.kvo.content.age.observe(options: [.old, .new]) { holder, _ in report(holder) }
        },
        change: { $0.content = nil }))
  }

  @Test("N11 A traced change in place keeps the old object no longer than an untraced one")
  func replacedInPlace() {
    expect(
      ["old died", "1 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        prepare: { $0.content = $0.mortal("old") }, observe: TraceLifetimeTests.ofContent,
        change: { replace(&$0.content) { nil } }))
  }

  @Test("N8 A traced change doesn't keep the new object while an observer replaces it")
  func newObject() {
    expect(
      ["1 told", "new died", "1 told", "2 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        observe: TraceLifetimeTests.ofContent,
        change: { holder in replace(&holder.content) { holder.mortal("new") } },
        handle: { $0.content = nil }))
  }

  @Test("N8 A traced change doesn't keep a list's new elements while an observer removes them")
  func newElements() {
    expect(
      ["1 told", "new died", "1 told", "2 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        observe: { holder, report in holder.kvo.list.observe { holder, _ in report(holder) } },
        change: { holder in replace(&holder.list) { [holder.mortal("new")] } },
        handle: { $0.list.removeAll() }))
  }

  @Test("N8 A traced change doesn't keep a set's new elements while an observer removes them")
  func newMembers() {
    expect(
      ["1 told", "new died", "1 told", "2 told", "1 returns", "2 told", "changed"],
      of: Scenario(
        observe: { holder, report in holder.kvo.group.observe { holder, _ in report(holder) } },
        change: { holder in replace(&holder.group) { [holder.mortal("new")] } },
        handle: { $0.group.removeAll() }))
  }

  @Test("R5 A traced registration is forgotten when it ends, even while nothing is traced")
  func forgotten() {
    let holder = Holder()
    func isKnown() -> Bool { KeyValueTrace.observedObjects.contains { $0 === holder } }
    var token: KeyValueObservation?
    _ = KeyValueTrace.recording { token = holder.kvo.content.observe { _, _ in } }
    #expect(isKnown())
    token?.invalidate()
    #expect(!isKnown())
  }

  @Test("A traced change has the values from before it and right after it")
  func values() throws {
    let holder = Holder()
    let token = holder.kvo.content.observe { holder, _ in
      if holder.content != nil { holder.content = nil }
    }
    let list = holder.kvo.list.observe { _, _ in }
    let group = holder.kvo.group.observe { _, _ in }
    let mortal = holder.mortal("only")
    let trace = KeyValueTrace.recording {
      holder.content = mortal
      mortal.age = 1
      holder.list = [mortal]
      let proxy = holder.mutableArrayValue(for: \.list)
      proxy.append(mortal)
      proxy.remove(at: 0)
      holder.mutableSetValue(for: \.group).insert(mortal)
      holder.group.removeAll()
    }
    let name = "Mortal@0x\(String(UInt(bitPattern: ObjectIdentifier(mortal)), radix: 16))"
    let changes = trace.events.filter { $0.kind == .changeEnded }.map { event in
      "\(event.keyPath) \(event.changeKind): \(event.oldValue?.description ?? "-")"
        + " -> \(event.newValue?.description ?? "-")"
    }
    #expect(
      changes == [
        "content setting: \(name) -> nil",
        "content setting: nil -> \(name)",
        "list setting: - -> [\(name)]",
        "list insertion: - -> [\(name)]",
        "list removal: - -> -",
        "group insertion: - -> [\(name)]",
        "group setting: - -> []",
      ])
    withExtendedLifetime((token, list, group)) {}
  }
}
