/// Runs programs with the library and with the reference, and compares their histories.
package enum Fuzzer {
  /// Two histories of one program that differ.
  package struct Failure: Sendable {
    package let program: Program
    package let expected: [Occurrence]
    package let actual: [Occurrence]

    /// The index of the first difference.
    package var index: Int {
      zip(expected, actual).enumerated().first { !$0.element.1.meets($0.element.0) }?.offset
        ?? min(expected.count, actual.count)
    }
  }

  /// The program for a seed.
  package static func program(seed: UInt64, length: Int) -> Program {
    var generator = ProgramGenerator(seed: seed)
    return generator.program(length: length)
  }

  /// The library's history of a program.
  package static func actualHistory(of program: Program) -> [Occurrence] {
    Executor().run(program)
  }

  /// Two graphs that one program should have made equal.
  package struct LogFailure: Sendable {
    package let program: Program
    package let step: Int
    package let problem: String
  }

  /// Runs one program with logs, whose records go to second graphs; returns nil if the graphs stay equal.
  ///
  /// Programs with an even seed have no callbacks that change anything; their observers' calls are compared, too.
  package static func checkLogs(_ program: Program) -> LogFailure? {
    let isCalm = program.seed % 2 == 0
    let program = isCalm ? program.withoutReactions : program.withoutReactionsToPriors
    return LoggedRun(program: program, isCalm: isCalm).run().map {
      LogFailure(program: program, step: $0.step, problem: $0.problem)
    }
  }

  /// Runs one program; returns nil if the histories are equal.
  package static func check(_ program: Program, flaw: Flaw? = nil) -> Failure? {
    var expected = Reference(flaw: flaw).run(program)
    var actual = actualHistory(of: program)
    if program.isSneaky {
      expected.removeAll { !$0.isState }
      actual.removeAll { !$0.isState }
    }
    let failure = Failure(program: program, expected: expected, actual: actual)
    return failure.index < max(expected.count, actual.count) ? failure : nil
  }
}

extension Fuzzer.LogFailure: CustomStringConvertible {
  package var description: String {
    """
    seed \(program.seed): the logged graphs differ after step \(step).
    PROGRAM
    \(program)
    DIFFERENCE
    \(problem)
    """
  }
}

extension Fuzzer.Failure: CustomStringConvertible {
  package var description: String {
    """
    seed \(program.seed): the histories differ at line \(index).
    PROGRAM
    \(program)
    EXPECTED
    \(excerpt(expected))
    ACTUAL
    \(excerpt(actual))
    """
  }

  /// The history, with the first differing line marked.
  private func excerpt(_ history: [Occurrence]) -> String {
    history.enumerated().map { ($0.offset == index ? ">" : " ") + "\($0.element)" }
      .joined(separator: "\n")
  }
}
