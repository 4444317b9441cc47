extension ProgramGenerator {
  /// The steps of one transaction, many of which change the same object, so that changes are merged.
  mutating func batch(depth: Int, isInCallback: Bool) -> Batch {
    let focus = object()
    var operations: [Operation] = []
    for _ in 0..<1 + below(6) {
      if !isInCallback, chance(8) {
        operations += guests(of: focus)
      } else {
        operations.append(
          isInCallback ? action(depth: depth) : step(depth: depth, focus: focus))
      }
    }
    let receivers = chance(60) ? [focus] : (0..<below(3)).map { _ in object() }
    return Batch(
      receivers: receivers, isRollingBack: chance(40), isFailing: chance(40),
      operations: operations)
  }

  private mutating func step(depth: Int, focus: Int) -> Operation {
    switch below(115) {
    case 100..<102: equalChange()
    case 102..<107: .mutate(focus, equalMutation())
    case 107..<111: .mutate(focus, optionalMutation())
    case 111..<115: .mutate(focus, overriddenMutation())
    case 0..<8: .register(registration(depth: depth - 1))
    case 8..<14: .end(token: below(nextToken + 1), byDropping: chance(50))
    case 14..<15: removal()
    case 15..<16: leaving()
    case 16..<19: .drop(object())
    case 19..<21: binding()
    case 21..<24 where !isRecorded: .will(object(), pick(ProgramGenerator.pairKeys))
    case 24..<28 where !isRecorded: .did(object(), pick(ProgramGenerator.pairKeys))
    case 21..<28 where isRecorded && chance(40): .mutate(focus, manualChange())
    case 28..<35 where depth > 0:
      .transaction(batch(depth: depth - 1, isInCallback: false))
    case 28..<55: .mutate(focus, focused())
    case 55..<68: .mutate(focus, plainChange())
    case 68..<70: .mutate(guest(), .assign("number", guestsValue()))
    case 70..<78: .mutate(object(), relationship())
    case 78..<81: .mutate(badge(), badgeMutation())
    default: .mutate(object(), mutation())
    }
  }

  private mutating func focused() -> Mutation {
    let numbers: [FuzzValue] = [.int(below(10)), .int(below(10))]
    return switch below(11) {
    case 8: .proxy("rack", listEdit(numbers))
    case 9: .proxy("line", listEdit(numbers))
    case 10: .proxy("flags", algebra(numbers))
    case 0, 1: .proxy("items", listEdit(objects() + [.object(object())]))
    case 2: .proxy("values", listEdit(numbers))
    case 3: .proxy("shelf", listEdit(numbers))
    case 4: .announced("staff", announcedEdit())
    case 5: .proxy("marks", algebra(numbers))
    case 6: .proxy("group", algebra(objects()))
    default: mutation()
    }
  }
}
