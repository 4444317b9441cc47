import KeyValueObserving

extension ProgramGenerator {
  mutating func target() -> FuzzValue { chance(25) ? .none : .object(object()) }

  mutating func objects() -> [FuzzValue] { (0..<below(4)).map { _ in .object(object()) } }

  mutating func relationship() -> Mutation {
    if isSneaky, chance(40) {
      return chance(50) ? .sneak("link", target()) : .sneak("staff", .list(objects()))
    }
    return switch below(15) {
    case 12: .file(pick(["a", "b"]), target())
    case 13, 14: folderMutation()
    case 10, 11: .assign("badge", chance(25) ? .none : .object(badge()))
    case 0..<4: .assign("next", target())
    case 4..<6: .assign("peer", target())
    case 6: .assign("items", .list(objects()))
    case 7: chance(50) ? .assign("group", .bag(Set(objects()))) : .announce("link", target())
    case 8: .proxy("items", listEdit(objects() + [.object(object())]))
    default: .announced("staff", announcedEdit())
    }
  }

  mutating func mutation() -> Mutation {
    let number = below(10)
    return switch below(21) {
    case 20: .proxy("rack", replacement(number))
    case 17: .proxy("rack", listEdit([.int(number), .int(number + 1)]))
    case 18: .proxy("line", listEdit([.int(number), .int(number + 1)]))
    case 19: accessorMutation(number)
    case 0..<3: .assign("number", .int(number))
    case 3: .assign("text", .text("t\(number)"))
    case 4: .assign("note", number < 4 ? .none : .text("o\(number)"))
    case 5: .assign(pick(["manual", "level", "doubled", "width"]), .int(number))
    case 6: .inPlace(pick(["number", "text", "level", "width"]), .add(number))
    case 7: .code(codedPath(), codedValue())
    case 8: .inPlace("items", listEdit(objects()))
    case 9, 10: .proxy("items", listEdit(objects()))
    case 11: .proxy("values", listEdit([.int(number), .int(number + 1)]))
    case 12: .inPlace(pick(["values", "shelf"]), listEdit([.int(number)]))
    case 15: .proxy("shelf", listEdit([.int(number), .int(number + 1)]))
    case 13:
      chance(50) ? .proxy("marks", algebra(numbers())) : .inPlace("marks", algebra(numbers()))
    case 14:
      chance(50) ? .proxy("group", algebra(objects())) : .inPlace("group", algebra(objects()))
    default:
      chance(50) ? .assign("values", .list(numbers())) : .assign("marks", .bag(Set(numbers())))
    }
  }

  // MARK: In plain Swift

  /// A change, in place or by assignment, of a collection that paths lead through.
  mutating func plainChange() -> Mutation {
    switch below(10) {
    case 0..<5: .inPlace("items", .plain(plainEdit()))
    case 5: .inPlace("items", listEdit(objects()))
    case 6, 7: .copied("items", chance(60) ? .plain(plainEdit()) : listEdit(objects()))
    case 8: .inPlace("group", algebra(objects()))
    default: .copied("group", algebra(objects()))
    }
  }

  private mutating func plainEdit() -> PlainEdit {
    switch below(14) {
    case 0..<3: .append(objects() + [.object(object())])
    case 3: .repeated(at: positions())
    case 4, 5: .removeFirst(chance(70) ? 0 : below(6))
    case 6, 7: .removeLast(chance(70) ? 0 : below(6))
    case 8: chance(40) ? .removeAll : .removeLast(0)
    case 9: removal(modulus: 2 + below(3))
    case 10: .reverse
    case 11: .sort
    case 12: .shuffle(UInt64(below(100)))
    default: .appendAndRemove([.object(object())])
    }
  }

  private mutating func removal(modulus: Int) -> PlainEdit {
    .removeWhere(modulus: modulus, remainder: below(modulus))
  }

  /// A change in place that doesn't make the list smaller.
  mutating func growth() -> Edit {
    switch below(4) {
    case 0: .insert([.object(object())], at: positions())
    case 1: .plain(.repeated(at: positions()))
    default: .plain(.append([.object(object())]))
    }
  }

  // MARK: Guests

  /// Short-lived objects that only lists refer to, so that they die when they leave.
  ///
  /// A new one is often made right after another has died, and may have its address.
  mutating func guests(of host: Int) -> [Operation] {
    var steps: [Operation] = []
    for _ in 0..<1 + below(3) {
      let guest = makeGuest()
      steps.append(.create(guest))
      if chance(70) { steps.append(.mutate(guest, .assign("number", guestsValue()))) }
      steps.append(.mutate(host, arrival(of: .object(guest))))
      if chance(20) { steps.append(.mutate(host, arrival(of: .object(guest)))) }
      if chance(15) { steps.append(.mutate(object(), arrival(of: .object(guest)))) }
      steps.append(.drop(guest))
      if chance(60) { steps.append(.mutate(host, departure())) }
    }
    return steps
  }

  /// The number of a recent guest, which may be dead.
  mutating func guest() -> Int {
    -max(1, guestCount - below(5))
  }

  mutating func guestsValue() -> FuzzValue { .int(below(20)) }

  private mutating func arrival(of guest: FuzzValue) -> Mutation {
    switch below(8) {
    case 0: .inPlace("items", .insert([guest], at: positions()))
    case 1: .inPlace("items", .replace([guest], at: positions()))
    case 2: .inPlace("items", .replaceSubrange(below(6), below(4), with: [guest]))
    case 3: .proxy("items", .insert([guest], at: positions()))
    case 4: .copied("items", .plain(.append([guest])))
    default: .inPlace("items", .plain(.append([guest])))
    }
  }

  private mutating func departure() -> Mutation {
    let edit: Edit =
      switch below(6) {
      case 0..<2: .plain(.removeLast(0))
      case 2: .plain(.removeFirst(below(3)))
      case 3: .remove(at: [below(8)])
      case 4: .replaceSubrange(below(6), below(4), with: objects())
      default: .plain(chance(30) ? .removeAll : .removeLast(below(3)))
      }
    return chance(80) ? .inPlace("items", edit) : .copied("items", edit)
  }

  private mutating func folderMutation() -> Mutation {
    switch below(9) {
    case 6: .assign("index", folder(["1", "2"]))
    case 7: .code(pick(["", "next."]) + "index", chance(85) ? folder(["1", "2"]) : .int(1))
    case 8: .file(pick(["1", "2"]), target())
    case 0, 1: .assign("folder", folder())
    case 2: .code(pick(["", "self.", "next."]) + "folder", chance(80) ? folder() : codedValue())
    default:
      .code(
        pick(["", "", "next."]) + pick(["folder.a", "folder.self.b", "folder.b.self"]),
        chance(80) ? target() : codedValue())
    }
  }

  private mutating func folder(_ keys: [String] = ["a", "b"]) -> FuzzValue {
    // In key order: the order of a dictionary differs from instance to instance.
    var entries: [String: FuzzValue] = [:]
    for key in keys {
      let value = FuzzValue.object(object())
      if chance(60) { entries[key] = value }
    }
    return .map(entries)
  }

  mutating func badgeMutation() -> Mutation {
    switch below(8) {
    case 4: .codeAll(["count": .int(below(30)), "notes": .list(numbers())])
    case 5: .codeAll(["count": codedValue(), "notes": codedValue()])
    case 6, 7: .proxy("notes", listEdit([.int(below(10)), .int(below(10))]))
    case 0: .assign("bearer", target())
    case 1: .inPlace("count", .add(below(9)))
    default: .assign("count", .int(below(10)))
    }
  }

  private mutating func replacement(_ number: Int) -> Edit {
    chance(50)
      ? .replace([.int(number)], at: positions())
      : .replaceSubrange(below(6), 2, with: [.int(number), .int(number + 1)])
  }

  private mutating func accessorMutation(_ number: Int) -> Mutation {
    switch below(6) {
    case 0: .assign("rack", .list(numbers()))
    case 1: .assign("flags", .bag(Set(numbers())))
    case 2: .inPlace("rack", listEdit([.int(number)]))
    case 3: .inPlace("flags", algebra(numbers()))
    default: .proxy("flags", algebra(numbers()))
    }
  }

  private mutating func numbers() -> [FuzzValue] { (0..<below(4)).map { _ in .int(below(6)) } }

  mutating func algebra(_ elements: [FuzzValue]) -> Edit {
    .algebra(pick(KeyValueSetMutationKind.allCases), elements)
  }

  mutating func listEdit(_ elements: [FuzzValue]) -> Edit {
    switch below(10) {
    case 0..<4: .insert(elements, at: positions())
    case 4..<6: .remove(at: positions())
    case 6: .replace(elements, at: positions())
    case 7: .replaceSubrange(below(6), below(4), with: elements)
    case 8: .swap(below(6), below(6))
    default: .move(below(6), below(6))
    }
  }

  mutating func announcedEdit() -> Edit {
    switch below(5) {
    case 0..<2: .insert([.object(object())], at: positions())
    case 2: .remove(at: positions())
    case 3: .replace([.object(object())], at: positions())
    default: .swap(below(6), below(6))
    }
  }

  private mutating func codedPath() -> String {
    let key = pick([
      "number", "text", "width", "note", "next", "peer", "items", "group", "values", "marks",
      "manual",
      "label", "doubled", "bogus",
    ])
    if chance(20) {
      return pick(["badge.", "next.badge.", "items.badge."])
        + pick(["count", "notes", "count", "notes", "bearer.number"])
    }
    let path = pick(["", "", "next.", "items.", "next.peer.", "folder.a."]) + key
    return chance(15) ? withSelf(path) : path
  }

  private mutating func codedValue() -> FuzzValue {
    switch below(7) {
    case 0: .none
    case 1, 2: .int(below(10))
    case 3: .text("c\(below(10))")
    case 4: .object(object())
    case 5: chance(50) ? .list(objects()) : .bag(Set(objects()))
    default: chance(50) ? .list(numbers()) : .bag(Set(numbers()))
    }
  }
}
