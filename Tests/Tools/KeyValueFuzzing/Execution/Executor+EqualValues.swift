import KeyValueObserving

// Properties whose values or elements equal others that hold something else.
extension Executor {
  func assignEqual(_ node: FuzzNode, _ key: String, _ value: FuzzValue) {
    let (coin, coins) = (coin(value, key), coins(value, key))
    let elements = value.elements ?? []
    switch key {
    case "tag": node.tag = value.tag
    case "tags": node.tags = elements.map(\.tag)
    case "seals": node.seals = Set(elements.map(\.tag))
    case "slips": node.slips = elements.map(\.slip)
    case "coin": node.coin = coin
    case "coins": node.coins = coins
    case "purse": node.purse = Set(coins)
    default: break
    }
    withExtendedLifetime((coin, coins)) {}
  }

  func editEqualInPlace(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    if key == "tag", case .add(let amount) = edit { node.tag.data += amount }
    guard let edit = resolved(edit, key, count: count(node, key)) else { return }
    let entering = edit.entering.elements ?? []
    let kept = Kept(key == "coins" ? node.coins : [])
    let coins = coins(edit.entering, key)
    switch (key, edit) {
    case ("tags", .retouch(let position, let amount)): node.tags[position].data += amount
    case ("tags", _): modify(&node.tags, edit, entering.map(\.tag), number: \.number)
    case ("slips", .retouch(let position, let amount)):
      node.slips[position] = retouched(node.slips[position], amount)
    case ("slips", _): modify(&node.slips, edit, entering.map(\.slip), number: \.number)
    case ("coins", _): modify(&node.coins, edit, coins, number: \.serial)
    case ("seals", .algebra(let kind, _)): modify(&node.seals, kind, Set(entering.map(\.tag)))
    case ("purse", .algebra(let kind, _)): modify(&node.purse, kind, Set(coins))
    default: break
    }
    kept.letGo()
    withExtendedLifetime(coins) {}
  }

  func editEqualCopy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard let edit = resolved(edit, key, count: count(node, key)) else { return }
    let entering = edit.entering.elements ?? []
    let kept = Kept(key == "coins" ? node.coins : [])
    let coins = coins(edit.entering, key)
    switch (key, edit) {
    case ("tags", .retouch(let position, let amount)):
      var tags = node.tags
      tags[position].data += amount
      node.tags = tags
    case ("tags", _):
      node.tags = changed(node.tags, edit, entering.map(\.tag), number: \.number)
    case ("slips", .retouch(let position, let amount)):
      var slips = node.slips
      slips[position] = retouched(slips[position], amount)
      node.slips = slips
    case ("slips", _):
      node.slips = changed(node.slips, edit, entering.map(\.slip), number: \.number)
    case ("coins", _): node.coins = changed(node.coins, edit, coins, number: \.serial)
    case ("seals", .algebra(let kind, _)):
      var seals = node.seals
      modify(&seals, kind, Set(entering.map(\.tag)))
      node.seals = seals
    case ("purse", .algebra(let kind, _)):
      var purse = node.purse
      modify(&purse, kind, Set(coins))
      node.purse = purse
    default: break
    }
    kept.letGo()
    withExtendedLifetime(coins) {}
  }

  func editEqualProxy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard let edit = resolved(edit, key, count: count(node, key)) else { return }
    let entering = edit.entering.elements ?? []
    let kept = key == "coins" ? node.coins : []
    let coins = coins(edit.entering, key)
    switch (key, edit) {
    case ("tags", .retouch(let position, let amount)):
      node.mutableArrayValue(for: \.tags)[position].data += amount
    case ("tags", _):
      apply(edit, entering.map(\.tag), to: node.mutableArrayValue(for: \.tags))
    case ("slips", .retouch(let position, let amount)):
      let proxy = node.mutableArrayValue(for: \.slips)
      proxy[position] = retouched(proxy[position], amount)
    case ("slips", _):
      reportingErrors {
        apply(edit, entering.map(\.slip), to: try node.mutableArrayValue(forKey: key))
      }
    case ("coins", _): apply(edit, coins, to: node.mutableArrayValue(for: \.coins))
    case ("seals", .algebra(let kind, _)):
      apply(kind, entering.map(\.tag), to: node.mutableSetValue(for: \.seals))
    case ("purse", .algebra(let kind, _)):
      reportingErrors { apply(kind, coins, to: try node.mutableSetValue(forKey: key)) }
    default: break
    }
    withExtendedLifetime((kept, coins)) {}
  }

  private func count(_ node: FuzzNode, _ key: String) -> Int {
    switch key {
    case "tags": node.tags.count
    case "slips": node.slips.count
    case "coins": node.coins.count
    default: 0
    }
  }

  private func retouched(_ slip: FuzzSlip, _ amount: Int) -> FuzzSlip {
    FuzzSlip(slip.number, slip.data + amount)
  }

  private func changed<Element>(
    _ list: [Element], _ edit: Edit, _ entering: [Element], number: (Element) -> Int
  ) -> [Element] {
    var list = list
    modify(&list, edit, entering, number: number)
    return list
  }
}
