// Values and objects that equal others that hold something else.
extension ProgramGenerator {
  mutating func coin() -> Int { pick(Array(FuzzCoin.serials)) }

  private mutating func tag() -> FuzzValue { .tag(below(3), below(10)) }
  private mutating func tags() -> [FuzzValue] { (0..<below(4)).map { _ in tag() } }
  private mutating func coins() -> [FuzzValue] { (0..<below(4)).map { _ in .object(coin()) } }

  /// A change of such a property, or of an object in one.
  mutating func equalChange() -> Operation {
    switch below(16) {
    case 3, 4: .mutate(coin(), .assign("owner", target()))
    case 0: .mutate(coin(), .assign("face", .int(below(20))))
    case 1: .mutate(coin(), .inPlace("face", .add(1 + below(9))))
    case 2: .drop(coin())
    default: .mutate(object(), equalMutation())
    }
  }

  /// Changes of one property, most of which leave it equal and exchange what equality leaves out.
  mutating func equalChanges() -> [Operation] {
    let (host, key) = (object(), pick(["tags", "slips", "coins", "seals", "purse"]))
    let count = 1 + below(3)
    var steps: [Operation] = [.mutate(host, .assign(key, whole(key, equalElements(key, count))))]
    if ["coins", "purse"].contains(key), chance(50) {
      // What it tells of depends on which one of equal objects is there.
      steps.append(
        .register(
          Registration(
            token: makeToken(), form: .string, object: host,
            path: key + pick([".face", ".@sum.face"]), options: options())))
    }
    for _ in 0..<1 + below(4) {
      steps.append(
        chance(25) ? operation(depth: 1) : .mutate(host, equalExchange(key, count)))
      if chance(20) { steps.append(equalChange()) }
    }
    return steps
  }

  /// The first elements by number, with random data.
  private mutating func equalElements(_ key: String, _ count: Int) -> [FuzzValue] {
    ["coins", "purse"].contains(key)
      ? (0..<count).map { kind in
        .object(pick(FuzzCoin.serials.filter { FuzzCoin.kind(of: $0) == kind }))
      }
      : (0..<count).map { .tag($0, below(10)) }
  }

  private func whole(_ key: String, _ elements: [FuzzValue]) -> FuzzValue {
    ["seals", "purse"].contains(key) ? .bag(Set(elements)) : .list(elements)
  }

  private mutating func equalExchange(_ key: String, _ count: Int) -> Mutation {
    let elements = equalElements(key, count)
    if chance(25) { return .assign(key, whole(key, elements)) }
    if chance(10) { return .code(key, whole(key, elements)) }
    let way = below(3)
    if ["seals", "purse"].contains(key) { return equalEdit(way: way, key, algebra(elements)) }
    let place = below(count)
    switch below(4) {
    case 0 where key != "coins": return equalEdit(way: way, key, .retouch(place, 1 + below(9)))
    case 1: return equalEdit(way: way, key, .replaceSubrange(0, count, with: elements))
    case 2: return equalEdit(way: way, key, .insert([elements[place]], at: positions()))
    default: return equalEdit(way: way, key, .replace([elements[place]], at: [place]))
    }
  }

  mutating func equalMutation() -> Mutation {
    switch below(16) {
    case 0: .assign("tag", tag())
    case 1: .inPlace("tag", .add(1 + below(9)))
    case 2: .assign("coin", chance(25) ? .none : .object(coin()))
    case 3: equalCode()
    case 4, 5:
      switch below(5) {
      case 0: .assign("tags", .list(tags()))
      case 1: .assign("slips", .list(tags()))
      case 2: .assign("coins", .list(coins()))
      case 3: .assign("seals", .bag(Set(tags().withoutEqual)))
      default: .assign("purse", .bag(Set(coins().withoutEqual)))
      }
    case 6..<9: equalEdit(way: below(3), pick(["tags", "slips"]), tagEdit())
    case 9..<12: equalEdit(way: below(3), "coins", listEdit(coins() + [.object(coin())]))
    case 12, 13: equalEdit(way: below(3), "seals", algebra(tags()))
    default: equalEdit(way: below(3), "purse", algebra(coins()))
    }
  }

  private mutating func tagEdit() -> Edit {
    switch below(4) {
    case 0, 1: .retouch(below(6), 1 + below(9))
    default: listEdit(tags() + [tag()])
    }
  }

  /// The edit in place, of a copy, or through a proxy.
  private func equalEdit(way: Int, _ key: String, _ edit: Edit) -> Mutation {
    switch way {
    case 0: .inPlace(key, edit)
    case 1: .copied(key, edit)
    default: .proxy(key, edit)
    }
  }

  private mutating func equalCode() -> Mutation {
    let owner = pick(["", "", "next.", "items."])
    return switch below(6) {
    case 0: .code(owner + "tag", chance(85) ? tag() : .int(below(10)))
    case 1: .code(owner + "coin", chance(15) ? .none : .object(coin()))
    case 2: .code(owner + pick(["tags", "slips"]), .list(tags()))
    case 3: .code(owner + "coins", .list(chance(85) ? coins() : tags()))
    case 4: .code(owner + "seals", .bag(Set(tags().withoutEqual)))
    default: .code(pick(["coin.face", "coins.face", "next.coin.face"]), .int(below(20)))
    }
  }

  /// A change for a callback, which makes no collection smaller.
  mutating func equalReaction() -> Operation {
    switch below(6) {
    case 0: .mutate(coin(), .assign("face", .int(below(20))))
    case 1: .mutate(object(), .assign("coin", .object(coin())))
    case 2: .mutate(object(), .inPlace("tag", .add(1)))
    case 3: .mutate(object(), .proxy("coins", .insert([.object(coin())], at: positions())))
    case 4: .mutate(object(), .inPlace("tags", .insert([tag()], at: positions())))
    default: .mutate(object(), .assign("tag", tag()))
    }
  }

  mutating func equalPath() -> String {
    pick(["", "", "", "next.", "peer."])
      + pick([
        "tag", "tags", "seals", "slips", "coin", "coins", "purse", "coin.face", "coins.face",
        "purse.face", "coins.@sum.face", "coins.@max.face", "purse.@sum.face", "coins.@count",
        "coin.owner", "coin.owner.number", "coins.owner.label", "purse.owner.number",
      ])
  }
}
