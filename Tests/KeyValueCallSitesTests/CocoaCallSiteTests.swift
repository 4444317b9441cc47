import FoundationKVO
import KeyValueCallSites
import Testing

@KeyValueObservable
private final class Ship: NSObject {
  dynamic var name = "Argo"
}

private final class Lookout: NSObject {
  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {}
}

@Suite("Places of Cocoa's registrations")
struct CocoaCallSiteTests {
  private static func places(_ trace: KeyValueTrace) -> [String?] {
    trace.events.filter { $0.kind == .registered }.map { $0.place.map { "\($0)" } }
  }

  @Test("The registration of a closure has the place of the call")
  func closure() {
    let ship = Ship()
    var observation: NSKeyValueObservation?
    let trace = KeyValueTrace.recording {
      observation = ship.observe(\.name, options: [.new]) { _, _ in }
    }
    #expect(Self.places(trace) == ["CocoaCallSiteTests.swift:\(#line - 2)"])
    withExtendedLifetime(observation) {}
  }

  #if os(Linux) && canImport(Glibc)
    @Test(
      "The registration of an observer object has a place while call sites are recorded",
      .enabled(if: hasAllFrames, "Optimized code has fewer frames."))
    func object() async {
      await #expect(processExitsWith: .success) { CocoaCallSiteTests.objectBody() }
    }

    private static func objectBody() {
      let (ship, lookout) = (Ship(), Lookout())
      for isOn in [false, true] {
        KeyValueTrace.recordCallSites(isOn)
        let trace = KeyValueTrace.recording {
          ship.addObserver(lookout, forKeyPath: "name", options: [.new], context: nil)
        }
        let line = #line - 2
        #expect(Self.places(trace) == [isOn ? "CocoaCallSiteTests.swift:\(line)" : nil])
        ship.removeObserver(lookout, forKeyPath: "name")
      }
    }
  #endif
}
