extension ProgramGenerator {
  /// A recorder begins to record a key.
  mutating func recording() -> Operation {
    let others = ProgramGenerator.otherKeys + ProgramGenerator.equalKeys
    return .record(
      recorder: below(ProgramGenerator.recorderCount), object: object(),
      key: pick(chance(20) ? others : ProgramGenerator.recordedKeys))
  }

  /// What a recorder does, or a change of a key that only its announcement lets it record.
  mutating func recorderSteps() -> [Operation] {
    let recorder = below(ProgramGenerator.recorderCount)
    return switch below(12) {
    case 11: cancelling(recorder)
    case 0..<2: [recording()]
    case 2..<5: [.undo(recorder: recorder)]
    case 5: (0..<1 + below(4)).map { _ in .undo(recorder: recorder) } + [.redo(recorder: recorder)]
    case 6: [.undo(recorder: recorder), .redo(recorder: recorder)]
    case 7: [.redo(recorder: recorder)]
    case 8: noting(recorder)
    default: [.mutate(object(), manualChange())]
    }
  }

  /// An observer notes something new at each change, also at each undo.
  private mutating func noting(_ recorder: Int) -> [Operation] {
    let object = object()
    var registration = Registration(
      token: makeToken(), form: .typed, object: object, path: "number", options: [])
    let first = below(10)
    for call in 1...6 {
      registration.script[call] = .mutate(object, .assign("width", .int(10 * call + first)))
    }
    return [
      .record(recorder: recorder, object: object, key: "number"),
      .record(recorder: recorder, object: object, key: "width"), .register(registration),
      .mutate(object, .assign("number", .int(10 + first))),
      .mutate(object, .assign("number", .int(30 + first))),
    ] + (0..<below(4)).map { _ in .undo(recorder: recorder) }
  }

  /// A transaction that takes its own change back.
  private mutating func cancelling(_ recorder: Int) -> [Operation] {
    let (object, first) = (object(), below(10))
    let assign = { (number: Int) in Operation.mutate(object, .assign("number", .int(number))) }
    let batch = Batch(
      receivers: [object], isRollingBack: chance(50), isFailing: false,
      operations: [assign(first + 1), assign(first)])
    return [
      .record(recorder: recorder, object: object, key: "number"), assign(first),
      .transaction(batch), .undo(recorder: recorder),
    ]
  }

  mutating func manualChange() -> Mutation {
    let key = chance(80) ? "manual" : pick(["pulse", "phase"])
    return chance(75) ? .announce(key, .int(below(10))) : .assign(key, .int(below(10)))
  }

  /// A step for a callback of a program that records.
  mutating func reaction() -> Operation {
    switch below(9) {
    case 8: equalReaction()
    case 0: .mutate(object(), .assign(pick(["next", "peer"]), .object(object())))
    case 1: .mutate(object(), .assign("text", .text(pick(["a", "b"]))))
    case 2: .mutate(object(), manualChange())
    case 4:
      .mutate(object(), .proxy("items", .insert([.object(object())], at: positions())))
    case 3:
      .transaction(
        Batch(
          receivers: [object()], isRollingBack: chance(60), isFailing: chance(50),
          operations: (0..<1 + below(2)).map { _ in
            .mutate(object(), .assign(pick(["number", "width"]), .int(below(10))))
          }))
    default: .mutate(object(), .assign("number", .int(below(10))))
    }
  }

  private static let recorderCount = 2

  private static let recordedKeys = [
    "number", "number", "text", "note", "width", "next", "peer", "items", "items", "group",
    "values", "marks", "manual", "shelf", "rack", "flags", "folder", "level", "label",
  ]
  private static let otherKeys = ["wishes", "crew", "signs", "pulse", "phase", "index"]
  private static let equalKeys = ["tag", "tags", "seals", "slips", "coin", "coins", "purse"]
}
