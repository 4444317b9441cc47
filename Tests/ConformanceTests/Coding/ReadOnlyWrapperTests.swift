import KeyValueObserving
import Testing

@Suite("Keys with a property wrapper that can be set, or only be read")
struct ReadOnlyWrapperTests {
  @Test("L1 K2 with the mark that the diagnostic offers, a wrapper without a setter is read-only")
  func readOnly() throws {
    let screen = Stage()
    #expect(try (screen.value(forKey: "metronome") as? Metronome)?.name == "system")
    let error = #expect(throws: KeyValueCodingError.self) {
      try screen.setValue(Metronome(), forKey: "metronome")
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("Stage.metronome can be read but not set"), "\(text)")
  }

  @Test("K2 a wrapper that can be set makes a key that can be set")
  func settable() throws {
    let screen = Stage()
    try screen.setValue(3, forKey: "level")
    #expect(screen.level == 3)
    #expect(screen.metronome.name == "system")
  }
}

private final class Metronome {
  let name = "system"
}

/// As in libraries for dependency injection.
@propertyWrapper
private struct Injected<Service> {
  private let make: () -> Service
  init(_ make: @escaping @autoclosure () -> Service) { self.make = make }
  var wrappedValue: Service { make() }
}

@propertyWrapper
private struct Kept {
  var wrappedValue: Int
}

@KeyValueObservable
private final class Stage {
  @NotifiesManually @Injected(Metronome()) var metronome: Metronome
  @NotifiesManually @Kept var level = 1
}
