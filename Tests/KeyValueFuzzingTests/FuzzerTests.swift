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
  @Test(
    "Random programs' records make other graphs equal, and inverses take them back",
    arguments: 0..<2)
  func logs(block: Int) {
    for seed in 0..<TestVolume.either(50, few: 5) {
      let program = Fuzzer.program(seed: UInt64(block * 1000 + seed), length: 60)
      if let failure = Fuzzer.checkLogs(program) {
        Issue.record("\(failure)")
        return
      }
    }
  }

  @Test("A source that only its target keeps alive dies with it once the binding is made")
  func deathsWhileBinding() {
    var registration = Registration(
      token: 3, form: .typed, object: 0, path: "text._", options: .initial)
    registration.script = [2: .drop(0)]
    let binding = Binding(
      token: 12, source: 1, path: "number", target: 0, key: "text", transformation: .digits,
      isTwoWay: false, validates: false)
    let program = Program(
      seed: 0,
      operations: [
        .create(0), .create(1), .mutate(0, .announced("staff", .insert([.object(1)], at: [0]))),
        .register(registration), .drop(1), .will(0, "label"), .bind(binding),
      ])
    #expect(Fuzzer.check(program).map { "\($0)" } == nil)
    #expect(
      Fuzzer.actualHistory(of: program).filter { $0 == .died(0) || $0 == .died(1) }
        == [.died(0), .died(1)])
  }
}
