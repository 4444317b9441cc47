extension ProgramGenerator {
  /// The steps of one transaction, many of which change the same object, so that changes are merged.
  ///
  /// `isRestored` is whether a transaction around it may be rolled back. Then no object is created, because
  /// the rules don't say how long old values keep it alive.
  mutating func batch(depth: Int, isInCallback: Bool, isRestored: Bool) -> Batch {
    let focus = object()
    let isRollingBack = chance(30)
    var operations: [Operation] = []
    for _ in 0..<1 + below(6) {
      if !isInCallback, !isRestored, !isRollingBack, chance(8) {
        operations += guests(of: focus)
      } else if isInCallback {
        operations.append(action(depth: depth))
      } else {
        operations.append(
          step(depth: depth, focus: focus, isRestored: isRestored || isRollingBack))
      }
    }
    var receivers = chance(60) ? [focus] : (0..<below(3)).map { _ in object() }
    if isRollingBack {
      let isNested = depth < 2 || isInCallback
      if isNested || chance(70) {
        receivers = everyone
        operations.removeAll(where: \.changesBadges)
      } else {
        operations.removeAll(where: \.changesMembership)
      }
    }
    if operations.contains(where: \.changesMembership) {
      operations = operations.compactMap(\.withoutPairs)
    }
    return Batch(
      receivers: receivers, isRollingBack: isRollingBack, isFailing: chance(35),
      operations: operations)
  }

  private mutating func step(depth: Int, focus: Int, isRestored: Bool) -> Operation {
    switch below(100) {
    case 0..<8: .register(registration(depth: depth - 1))
    case 8..<14: .end(token: below(nextToken + 1), byDropping: chance(50))
    case 14..<15: removal()
    case 15..<16: leaving()
    case 16..<19: .drop(object())
    case 19..<21: binding()
    case 21..<24: .will(object(), pick(ProgramGenerator.pairKeys))
    case 24..<28: .did(object(), pick(ProgramGenerator.pairKeys))
    case 28..<35 where depth > 0:
      .transaction(batch(depth: depth - 1, isInCallback: false, isRestored: isRestored))
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

// The rules leave open whether a transaction that's rolled back restores an object that it doesn't name if a
// collection, through which the object is observed, gains or loses the object in the same transaction.
extension Operation {
  fileprivate var changesBadges: Bool {
    anyMutation { id, mutation in
      if case .code(let path, _) = mutation { return path.contains("badge.") }
      return FuzzBadge.isBadge(id)
    }
  }

  fileprivate var changesMembership: Bool {
    anyMutation { _, mutation in
      switch mutation {
      case .assign(let key, _), .inPlace(let key, _), .copied(let key, _), .proxy(let key, _),
        .announced(let key, _), .announce(let key, _), .sneak(let key, _):
        ["items", "group", "staff"].contains(key)
      case .code(let path, _): path.hasSuffix("items") || path.hasSuffix("group")
      case .file, .codeAll: false
      }
    }
  }

  /// The step without the beginnings of pairs, which may outlast a transaction; nil if it is one.
  fileprivate var withoutPairs: Operation? {
    switch self {
    case .will: return nil
    case .transaction(var batch):
      batch.operations = batch.operations.compactMap(\.withoutPairs)
      return .transaction(batch)
    default: return self
    }
  }

  /// Whether the step, or one of its own steps, is such a change.
  private func anyMutation(_ isOne: (Int, Mutation) -> Bool) -> Bool {
    switch self {
    case .mutate(let id, let mutation): isOne(id, mutation)
    case .transaction(let batch): batch.operations.contains { $0.anyMutation(isOne) }
    case .register(let registration), .registerAll(let registration, _):
      registration.script.values.contains { $0.anyMutation(isOne) }
    default: false
    }
  }
}
