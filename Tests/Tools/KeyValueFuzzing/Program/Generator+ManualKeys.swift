// Keys that only the subclass's objects announce themselves.
extension ProgramGenerator {
  mutating func overriddenMutation() -> Mutation {
    switch below(12) {
    case 0, 1: .assign(pick(["pulse", "phase"]), .int(below(10)))
    case 2: .inPlace(pick(["pulse", "phase"]), .add(1 + below(9)))
    case 3: .code(pick(["", "next.", "items."]) + pick(["pulse", "phase"]), .int(below(10)))
    case 4..<7: .announce(pick(["pulse", "phase"]), .int(below(10)))
    default: pairs()
    }
  }

  private mutating func pairs() -> Mutation {
    // Recorded programs have no pairs inside one another.
    if isRecorded { return .announce("pulse", .int(below(10))) }
    return .paired(Pairing(first: announced(), second: announced(), isCrossed: chance(50)))
  }

  /// Pairs of two keys that are observed.
  mutating func overriddenChanges() -> [Operation] {
    let host = object()
    let observers = ["pulse", "phase"].map { key in
      Operation.register(
        Registration(
          token: makeToken(), form: .string, object: host, path: key, options: options()))
    }
    return observers + (0..<1 + below(3)).map { _ in .mutate(host, pairs()) }
  }

  private mutating func announced() -> Pairing.Part {
    Pairing.Part(key: pick(["pulse", "phase"]), value: below(10), isTyped: chance(50))
  }

  mutating func overriddenPath() -> String {
    pick(["", "", "next.", "peer.", "items.", "folder.a."])
      + pick(["pulse", "phase", "rhythm", "beat"])
  }
}
