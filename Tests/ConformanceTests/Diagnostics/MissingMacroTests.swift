import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Classes without the macro, and classes that only look like it.
@Suite("L1. Classes without the macro")
struct MissingMacroTests {
  @Test("L1 By string, a property of a subclass without the macro names the class that lacks it")
  func byString() throws {
    let visitor = Visitor()
    let expected =
      "Visitor has no key 'badge': Visitor, which declares it, lacks @KeyValueObservable."
    #expect(message { _ = try visitor.value(forKey: "badge") } == expected)
    #expect(message { try visitor.setValue(1, forKey: "badge") } == expected)
    #expect(message { _ = try visitor.kvo("badge") } == expected)
    let crate = Crate()
    crate.content = visitor
    #expect(
      message { _ = try crate.observe("content.badge") { _, _ in } }
        == "Visitor has no key 'badge' (component 2 of 'content.badge'): Visitor, which declares it, "
        + "lacks @KeyValueObservable.")
    #expect(message { _ = try visitor.value(forKey: "bade") } == "Visitor has no key 'bade'.")
  }

  @Test("L1 A main-actor subclass without the macro is named, by string and by path")
  @MainActor
  func mainActor() async throws {
    let pilot = Pilot()
    #expect(
      message { _ = try pilot.value(forKey: "level") }
        == "Pilot has no key 'level': Pilot, which declares it, lacks @KeyValueObservable.")
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run {
        _ = Pilot().kvo.level.observe(fileID: "App/Pilot.swift", line: 7) { _, _ in }
      }
    }
    try expectTrap(
      result,
      says:
        "Component 1 of a key path, 'level', is a member of Pilot but not one of its keys. Pilot, "
        + "which declares it, lacks @KeyValueObservable. Annotate Pilot, or observe a key that changes with "
        + "it.")
    let output = text(result?.standardErrorContent)
    #expect(
      output.contains("KeyValueObserving: The observer was registered at Pilot.swift:7.\n"))
  }

  @Test("L1 A class with the macro and no keys isn't said to lack it")
  func withoutKeys() {
    ViolationLog.record { violations in
      _ = Hollow().kvo.size.observe { _, _ in }
      _ = HollowLeaf().kvo.size.observe { _, _ in }
      let said = violations.take()
      #expect(said.count == 2)
      #expect(
        said == said.filter { !$0.contains("lack") && $0.contains("A member of an extension") },
        "\(said)")
    }
  }
}

@MainActor
@KeyValueObservable
private class Crew {
  var name = "Ada"
}

private final class Pilot: Crew {
  final var level = 1
}

@KeyValueObservable
private class Hollow {}

@KeyValueObservable
private class HollowLeaf: Hollow {}

extension Hollow {
  fileprivate var size: Int { 1 }
}
