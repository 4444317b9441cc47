import KeyValueFuzzing
import KeyValueTestSupport
import Testing

/// `kvo-fuzz --leaks` runs a million of each; see Documentation/Reliability.md.
@Suite("R5 Observed objects and observations leave nothing behind")
struct LeakTests {
  @Test("Observed objects are deallocated with their handlers, in any order of release")
  func objects() throws {
    #expect(try LeakCheck.objects(TestVolume.either(4_000, few: 1_000, full: 20_000)) == 0)
  }

  @Test("Removed observations leave their objects idle")
  func observations() throws {
    let left = try LeakCheck.observations(TestVolume.either(10_000, few: 2_000, full: 50_000))
    #expect(left.liveCount == 0)
    #expect(left.isIdle)
  }
}
