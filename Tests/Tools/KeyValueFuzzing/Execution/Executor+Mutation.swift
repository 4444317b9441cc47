import KeyValueObserving

extension Executor {
  func mutate(_ node: FuzzNode, _ mutation: Mutation) {
    switch mutation {
    case .assign(let key, let value): assign(node, key, value)
    case .code(let path, let value):
      let value = any(value, for: FuzzPath(path, isTyped: false).keys.last ?? "")
      reportingErrors { try node.setValue(value, forKeyPath: path) }
      withExtendedLifetime(value) {}
    case .inPlace(let key, let edit): editInPlace(node, key, edit)
    case .copied(let key, let edit): editCopy(node, key, edit)
    case .proxy(let key, let edit): editProxy(node, key, edit)
    case .announce(let key, let value):
      // A handler of the prior may release the objects about to be assigned.
      let entering = (object(value, key), objects(value, key))
      node.willChangeValue(forKey: key)
      assign(node, key, value)
      node.didChangeValue(forKey: key)
      withExtendedLifetime(entering) {}
    case .announced(let key, let edit): editAnnounced(node, key, edit)
    case .file(let name, let value):
      let target = object(value, name)
      if let number = Int(name) { node.index[number] = target } else { node.folder[name] = target }
      withExtendedLifetime(target) {}
    case .codeAll: break
    case .paired(let pairing): assign(node, pairing)
    case .sneak(let key, let value): assign(node, key, value)
    }
    withExtendedLifetime(node) {}
  }

  // MARK: Values

  func object(_ value: FuzzValue, _ key: String) -> FuzzNode? {
    guard let id = value.objectNumber, let node = node(id) else { return nil }
    if Mutation.keepsInNoOrder(key) {
      guard isHeld(id) else { return nil }
      wereInGroup.insert(id)
    }
    return node
  }

  func objects(_ value: FuzzValue, _ key: String) -> [FuzzNode] {
    value.elements?.compactMap { object($0, key) } ?? []
  }

  func any(_ value: FuzzValue, for key: String) -> Any? {
    switch value {
    case .none, .other, .unsettled: return nil
    case .int(let number): return number
    case .double(let number): return number
    case .text(let text): return text
    case .object(let id) where FuzzCoin.isCoin(id): return coin(value, key)
    case .object: return object(value, key)
    case .tag: return key == "slips" ? value.slip : value.tag
    case .list(let elements): return elements.compactMap { any($0, for: key) }
    case .bag(let elements):
      return Set(elements.compactMap { any($0, for: key) as? AnyHashable })
    case .map(let entries):
      let objects = entries.compactMapValues { object($0, key) }
      return key == "index" ? FuzzNode.index(objects) : objects
    }
  }

  private func text(_ value: FuzzValue) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  private func assign(_ node: FuzzNode, _ key: String, _ value: FuzzValue) {
    let target = object(value, key)
    let targets = objects(value, key)
    let numbers = value.elements?.map(\.integer) ?? []
    let entries = value.entries?.compactMapValues { object($0, key) } ?? [:]
    switch key {
    case "number": node.number = value.integer
    case "text": node.text = text(value) ?? ""
    case "note": node.note = text(value)
    case "next": node.next = target
    case "peer": node.peer = target
    case "items": node.items = targets
    case "group": node.group = Set(targets)
    case "values": node.values = numbers
    case "marks": node.marks = Set(numbers)
    case "link": node.link = target
    case "staff": node.staff = targets
    case "shelf": node.shelf = numbers
    case "rack": node.rack = numbers
    case "flags": node.flags = Set(numbers)
    case "manual": node.manual = value.integer
    case "width": node.width = value.integer
    case "pulse": node.pulse = value.integer
    case "phase": node.phase = value.integer
    case "folder": node.folder = entries
    case "index": node.index = FuzzNode.index(entries)
    case "badge": assign(node, badge: value.objectNumber.flatMap(badge))
    case "tag", "tags", "seals", "slips", "coin", "coins", "purse": assignEqual(node, key, value)
    case "wishes", "crew", "signs": assignOptional(node, key, value)
    case "doubled": node.doubled = value.integer
    case "level": (node as? FuzzLeader)?.level = value.integer
    default: break
    }
    withExtendedLifetime((target, targets, entries)) {}
  }

  // MARK: Edits

  /// The edit with valid positions, without objects that are gone.
  func resolved(_ edit: Edit, _ key: String, count: Int) -> Edit? {
    edit.compactMapValues { value in
      value.objectNumber == nil || object(value, key) != nil || coin(value, key) != nil
        ? value : nil
    }.resolved(count: count)
  }

  private func editInPlace(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    switch (key, edit) {
    case ("tag", _), ("tags", _), ("seals", _), ("slips", _), ("coins", _), ("purse", _):
      editEqualInPlace(node, key, edit)
    case ("wishes", _), ("crew", _), ("signs", _): editOptionalInPlace(node, key, edit)
    case ("number", .add(let amount)): node.number += amount
    case ("text", .add(let amount)): node.text += "\(amount)"
    case ("width", .add(let amount)): node.width += amount
    case ("pulse", .add(let amount)): node.pulse += amount
    case ("phase", .add(let amount)): node.phase += amount
    case ("level", .add(let amount)): (node as? FuzzLeader)?.level += amount
    case ("items", _):
      guard let edit = resolved(edit, key, count: node.items.count) else { return }
      // Not the array itself, so that the change is made in place.
      let kept = Kept(node.items.filter { !dies($0, in: edit) })
      let entering = Kept(objects(edit.entering, key))
      modify(&node.items, edit, objects(edit.entering, key), number: \.serial)
      kept.letGo()
      entering.letGo()
    case ("values", _):
      guard let edit = resolved(edit, key, count: node.values.count) else { return }
      modify(&node.values, edit, edit.entering.elements?.map(\.integer) ?? [], number: \.self)
    case ("shelf", _):
      guard let edit = resolved(edit, key, count: node.shelf.count) else { return }
      modify(&node.shelf, edit, edit.entering.elements?.map(\.integer) ?? [], number: \.self)
    case ("rack", _):
      guard let edit = resolved(edit, key, count: node.rack.count) else { return }
      modify(&node.rack, edit, edit.entering.elements?.map(\.integer) ?? [], number: \.self)
    case ("flags", .algebra(let kind, let others)):
      modify(&node.flags, kind, Set(others.map(\.integer)))
    case ("marks", .algebra(let kind, let others)):
      modify(&node.marks, kind, Set(others.map(\.integer)))
    case ("group", .algebra(let kind, _)):
      guard let edit = resolved(edit, key, count: 0) else { return }
      modify(&node.group, kind, Set(objects(edit.entering, key)))
    default: break
    }
  }

  /// Assigns a changed copy.
  private func editCopy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    switch (key, edit) {
    case ("tags", _), ("seals", _), ("slips", _), ("coins", _), ("purse", _):
      editEqualCopy(node, key, edit)
    case ("wishes", _), ("crew", _): editOptionalCopy(node, key, edit)
    case ("items", _):
      guard let edit = resolved(edit, key, count: node.items.count) else { return }
      let kept = Kept(node.items)
      let entering = Kept(objects(edit.entering, key))
      node.items = changed(node.items, edit, objects(edit.entering, key))
      kept.letGo()
      entering.letGo()
    case ("group", .algebra(let kind, _)):
      guard let edit = resolved(edit, key, count: 0) else { return }
      var group = node.group
      modify(&group, kind, Set(objects(edit.entering, key)))
      node.group = group
    default: break
    }
  }

  private func changed(_ items: [FuzzNode], _ edit: Edit, _ entering: [FuzzNode]) -> [FuzzNode] {
    var items = items
    modify(&items, edit, entering, number: \.serial)
    return items
  }

  /// Whether an element may die in the middle of an edit in place.
  ///
  /// Nothing is notified of its death, so that no handler accesses the list meanwhile.
  private func dies(_ node: FuzzNode, in edit: Edit) -> Bool {
    Mutation.isGuest(node.serial) && edit.releasesInOrder && node.next == nil && node.link == nil
      && node.badge == nil && node.items.isEmpty && node.staff.isEmpty && node.group.isEmpty
      && node.folder.isEmpty && node.coin == nil && node.coins.isEmpty && node.purse.isEmpty
      && node.crew?.isEmpty != false && node.index.isEmpty
  }

  private func editAnnounced(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard key == "staff" else { return }
    let elements = node.staff
    guard let edit = resolved(edit, key, count: elements.count) else { return }
    for (kind, indexes, part) in edit.announcements(elements.count) {
      let set = RangeSet(indexes.map { $0..<$0 + 1 })
      let entering = objects(part.entering, key)
      node.willChange(kind, valuesAt: set, forKey: key)
      modify(&node.staff, part, entering, number: \.serial)
      node.didChange(kind, valuesAt: set, forKey: key)
    }
    withExtendedLifetime(elements) {}
  }

  private func editProxy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    switch (key, edit) {
    case ("tags", _), ("seals", _), ("slips", _), ("coins", _), ("purse", _):
      editEqualProxy(node, key, edit)
    case ("wishes", _), ("crew", _), ("signs", _): editOptionalProxy(node, key, edit)
    case ("items", _):
      let elements = node.items
      guard let edit = resolved(edit, key, count: elements.count) else { return }
      let entering = objects(edit.entering, key)
      apply(edit, entering, to: node.mutableArrayValue(for: \.items))
      withExtendedLifetime((elements, entering)) {}
    case ("shelf", _):
      guard let edit = resolved(edit, key, count: node.shelf.count) else { return }
      apply(
        edit, edit.entering.elements?.map(\.integer) ?? [],
        to: node.mutableArrayValue(for: \.shelf))
    case ("rack", _):
      guard let edit = resolved(edit, key, count: node.rack.count) else { return }
      apply(
        edit, edit.entering.elements?.map(\.integer) ?? [],
        to: node.mutableArrayValue(for: \.rack))
    case ("line", _):
      reportingErrors {
        let proxy = try node.mutableArrayValue(forKey: key)
        guard let edit = resolved(edit, key, count: proxy.count) else { return }
        apply(edit, edit.entering.elements?.map(\.integer) ?? [], to: proxy)
      }
    case ("flags", .algebra(let kind, let others)):
      apply(kind, others.map(\.integer), to: node.mutableSetValue(for: \.flags))
    case ("values", _):
      guard let edit = resolved(edit, key, count: node.values.count) else { return }
      apply(
        edit, edit.entering.elements?.map(\.integer) ?? [],
        to: node.mutableArrayValue(for: \.values))
    case ("marks", .algebra(let kind, let others)):
      apply(kind, others.map(\.integer), to: node.mutableSetValue(for: \.marks))
    case ("group", .algebra(let kind, _)):
      guard let edit = resolved(edit, key, count: 0) else { return }
      let others = objects(edit.entering, key)
      reportingErrors { apply(kind, others, to: try node.mutableSetValue(forKey: key)) }
    default: break
    }
  }
}
