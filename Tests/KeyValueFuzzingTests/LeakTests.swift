import KeyValueFuzzing
import KeyValueTestSupport
import Testing

/// With a million each, see `kvo-fuzz --leaks` and Documentation/Reliability.md.
@Suite("R5 What was observed and released leaves nothing")
struct LeakTests {
  @Test("Objects that were observed die with their handlers, whatever goes first")
  func objects() throws {
    #expect(try LeakCheck.objects(TestVolume.either(4_000, few: 1_000, full: 20_000)) == 0)
  }

  @Test("Observations that were added and removed leave the objects idle")
  func observations() throws {
    let left = try LeakCheck.observations(TestVolume.either(10_000, few: 2_000, full: 50_000))
    #expect(left.liveCount == 0)
    #expect(left.isIdle)
  }
}
