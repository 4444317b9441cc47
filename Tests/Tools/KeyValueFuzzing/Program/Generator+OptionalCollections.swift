// Collections that may be nil.
extension ProgramGenerator {
  mutating func optionalMutation() -> Mutation {
    switch below(4) {
    case 0: listMutation("crew", objects() + [.object(object())])
    case 1: listMutation("wishes", [.int(below(10)), .int(below(10))])
    case 2: signsMutation()
    default: .assign(pick(["crew", "wishes", "signs"]), .none)
    }
  }

  private mutating func listMutation(_ key: String, _ elements: [FuzzValue]) -> Mutation {
    switch below(10) {
    case 0: .assign(key, .list(elements))
    case 1: .code(pick(["", "next."]) + key, chance(50) ? .none : .list(elements))
    case 2: .inPlace(key, listEdit(elements))
    case 3: .copied(key, listEdit(elements))
    default: .proxy(key, listEdit(elements))
    }
  }

  private mutating func signsMutation() -> Mutation {
    let elements = (0..<below(4)).map { _ in FuzzValue.int(below(6)) }
    return switch below(8) {
    case 0: .assign("signs", .bag(Set(elements)))
    case 1: .code("signs", chance(50) ? .none : .bag(Set(elements)))
    case 2: .inPlace("signs", algebra(elements))
    default: .proxy("signs", algebra(elements))
    }
  }

  /// Changes of one collection through its proxy, some of which find it nil and some leave it so.
  mutating func optionalChanges() -> [Operation] {
    let (host, key) = (object(), pick(["crew", "wishes", "signs"]))
    return (0..<2 + below(4)).map { _ in
      if chance(15) { return operation(depth: 1) }
      if chance(30) { return .mutate(host, .assign(key, .none)) }
      return .mutate(host, optionalEdit(key))
    }
  }

  private mutating func optionalEdit(_ key: String) -> Mutation {
    switch key {
    case "crew": listMutation(key, objects() + [.object(object())])
    case "wishes": listMutation(key, [.int(below(10)), .int(below(10))])
    default: signsMutation()
    }
  }

  mutating func optionalPath() -> String {
    pick(["", "", "", "next.", "peer."])
      + pick(
        [
          "wishes", "crew", "signs", "crew.number", "crew.label", "crew.next.number",
          "crew.@sum.number", "crew.@max.number", "crew.@count", "muster",
          "wishes.@count", "wishes.@sum.self", "wishes.@max.self", "signs.@count",
        ])
  }
}
