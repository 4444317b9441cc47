import KeyValueFuzzing
import KeyValueTestSupport
import Testing

@Suite("The library against the reference", .serialized)
struct FuzzerTests {
  @Test("Random programs have the same history in the library and the reference", arguments: 0..<10)
  func programs(block: Int) {
    for seed in 0..<TestVolume.either(50, few: 5) {
      let program = Fuzzer.program(seed: UInt64(block * 1000 + seed), length: 60)
      if let failure = Fuzzer.check(program) {
        Issue.record("\(failure)")
        return
      }
    }
  }
}
