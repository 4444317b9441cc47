import KeyValueFuzzing
import KeyValueObserving
import Testing

@Suite("Shrinking, replay and sensitivity of the fuzzer")
struct ShrinkerTests {
  @Test("A seed always gives the same program, and a program always the same history")
  func replay() {
    for seed in 0..<20 {
      let program = Fuzzer.program(seed: UInt64(seed), length: 60)
      #expect(program.operations == Fuzzer.program(seed: UInt64(seed), length: 60).operations)
      #expect(Fuzzer.actualHistory(of: program) == Fuzzer.actualHistory(of: program))
    }
  }

  @Test(
    "A flawed reference is detected, and the failing program shrinks", arguments: Flaw.allCases)
  func flaws(flaw: Flaw) throws {
    let failure = try #require(
      (0..<2_400).lazy.compactMap {
        Fuzzer.check(Fuzzer.program(seed: UInt64($0), length: 60), flaw: flaw)
      }.first)
    let smallest = Shrinker { Fuzzer.check($0, flaw: flaw) != nil }.shrink(failure.program)
    #expect(smallest.size <= 11)
    #expect(Fuzzer.check(smallest, flaw: flaw) != nil)
    #expect(Fuzzer.check(smallest) == nil)
  }

  @Test("Shrinking removes every unneeded step, also in nested scripts")
  func smallest() {
    let program = Fuzzer.program(seed: 7, length: 120)
    let smallest = Shrinker { $0.operations.contains(.create(0)) }.shrink(program)
    #expect(smallest.operations == [.create(0)])

    let inner = Registration(token: 2, form: .string, object: 0, path: "text", options: .new)
    var outer = Registration(
      token: 1, form: .typed, object: 0, path: "number", options: [.new, .old])
    outer.script = [1: .register(inner), 2: .drop(0)]
    let nested = Program(seed: 0, operations: [.create(0), .register(outer), .drop(0)])
    let kept = Shrinker { "\($0)".contains("t1") && "\($0)".contains("t2") }.shrink(nested)
    var expected = outer
    var plain = inner
    plain.options = []
    expected.options = []
    expected.script = [1: .register(plain)]
    #expect(kept.operations == [.register(expected)])
  }

  @Test("A failure reports its seed, its program and where the histories differ")
  func report() throws {
    let program = Program(
      seed: 3,
      operations: [
        .create(0),
        .register(.init(token: 0, form: .typed, object: 0, path: "number", options: .prior)),
        .mutate(0, .assign("number", .int(1))),
      ])
    let failure = try #require(Fuzzer.check(program, flaw: .noPriors))
    #expect(
      "\(failure)".hasPrefix(
        """
        seed 3: the histories differ at line 3.
        PROGRAM
        #0 let n0 = FuzzNode()
        #1 t0 = n0.observe(\\.number, [.prior])
        #2 n0.number = 1
        EXPECTED
         #0
         #1
         #2
        >   t0 number of n0: setting
        """))
  }
}
