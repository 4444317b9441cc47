extension ProgramGenerator {
  /// A recorder begins to record a key.
  mutating func recording() -> Operation {
    .record(
      recorder: below(ProgramGenerator.recorderCount), object: object(),
      key: pick(ProgramGenerator.recordedKeys))
  }

  /// What a recorder does, or a change of a key that only its announcement lets it record.
  mutating func recorderSteps() -> [Operation] {
    let recorder = below(ProgramGenerator.recorderCount)
    return switch below(10) {
    case 0..<2: [recording()]
    case 2..<5: [.undo(recorder: recorder)]
    case 5: (0..<1 + below(4)).map { _ in .undo(recorder: recorder) } + [.redo(recorder: recorder)]
    case 6: [.undo(recorder: recorder), .redo(recorder: recorder)]
    case 7: [.redo(recorder: recorder)]
    default: [.mutate(object(), manualChange())]
    }
  }

  mutating func manualChange() -> Mutation {
    chance(75) ? .announce("manual", .int(below(10))) : .assign("manual", .int(below(10)))
  }

  private static let recorderCount = 2

  private static let recordedKeys = [
    "number", "number", "text", "note", "width", "next", "peer", "items", "items", "group",
    "values", "marks", "manual", "shelf", "rack", "flags", "folder", "level", "label",
  ]
}
