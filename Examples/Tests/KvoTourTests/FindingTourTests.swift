import FindingSupport
import KeyValueObserving
import Testing

@Suite("Findings")
struct FindingTourTests {
  @Test("All lessons together have no red finding")
  func lessons() throws {
    let trace = try KeyValueTrace.recording { _ = try printed("all") }
    #expect(trace.events.count > 500)
    #expect(trace.redFindings == [])
  }
}
