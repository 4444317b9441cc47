import KeyValueObserving

extension Reference {
  func mutate(_ id: Int, _ mutation: Mutation) {
    switch mutation {
    case .assign(let key, let value):
      guard let value = present(value, for: key, of: id) else { return }
      pinning(World.objects(in: value)) { set(id, key, value) }
    case .code(let path, let value):
      let key = FuzzPath(path, isTyped: false).keys.last ?? ""
      guard let value = present(value, for: key, of: nil) else { return }
      pinning(World.objects(in: value)) { setByPath(id, path, value) }
    case .inPlace(let key, let edit):
      if ReferenceKey.of(id, key)?.isOptional == true, world.value(id, key) == .none { return }
      withEdit(edit, id, key, dies: { self.dies($0, in: $1) }) { edit, _ in
        bracket(Site(object: id, key: key), .setting, isAutomatic: true) {
          apply(edit, id, key)
        }
      }
    case .copied(let key, let edit):
      withEdit(edit, id, key) { edit, _ in
        set(id, key, collection(id, key).applying(edit))
      }
    case .proxy(let key, let edit):
      withEdit(edit, id, key) { edit, _ in change(id, key, edit) }
    case .paired(let pairing): set(id, pairing)
    case .announce(let key, .int(let number)):
      let site = Site(object: id, key: key)
      beginPair(site)
      set(id, key, .int(number))
      endPair(site)
    case .announce(let key, let value):
      guard let value = present(value, for: key, of: id) else { return }
      pinning(World.objects(in: value)) {
        bracket(Site(object: id, key: key), .setting, isAutomatic: false) {
          world.store(value, id, key)
        }
      }
    case .file(let name, let value):
      guard let value = present(value, for: name, of: nil) else { return }
      let key = Int(name) == nil ? "folder" : "index"
      pinning(World.objects(in: value)) {
        set(id, key, replacing(name, in: key, of: id, by: value))
      }
    case .codeAll(let values): setAll(id, values)
    case .sneak(let key, let value):
      guard flaw != .noSneaking, let value = present(value, for: key, of: id) else { return }
      world.store(value, id, key)
    case .announced(let key, let edit):
      withEdit(edit, id, key) { edit, before in
        for (announcement, part) in parts(edit, before) {
          bracket(Site(object: id, key: key), announcement, isAutomatic: false) {
            apply(part, id, key)
          }
        }
      }
    }
  }

  /// The value without objects that are gone or may not enter a group; nil if the class doesn't have the
  /// key.
  private func present(_ value: FuzzValue, for key: String, of id: Int?) -> FuzzValue? {
    if let id, ReferenceKey.of(id, key) == nil { return nil }
    switch value {
    case .object: return present(value, key) ?? FuzzValue.none
    case .list(let elements): return .list(elements.compactMap { present($0, key) })
    case .bag(let elements): return .bag(Set(elements.compactMap { present($0, key) }))
    case .map(let entries): return .map(entries.compactMapValues { present($0, key) })
    default: return value
    }
  }

  private func present(_ value: FuzzValue, _ key: String) -> FuzzValue? {
    guard let object = value.objectNumber else { return value }
    guard world.isAlive(object) else { return nil }
    if Mutation.keepsInNoOrder(key) {
      guard isHeld(object) else { return nil }
      wereInGroup.insert(object)
    }
    return value
  }

  func bracket(
    _ site: Site, _ announcement: Announcement, isAutomatic: Bool, _ body: () -> Void
  ) {
    let change = begin(site, announcement, isAutomatic: isAutomatic)
    body()
    finish(change)
  }

  func set(_ id: Int, _ key: String, _ value: FuzzValue) {
    if key == "doubled" { return set(id, "number", .int(value.integer / 2)) }
    bracket(Site(object: id, key: key), .setting, isAutomatic: true) {
      if flaw == .equalIsTheSame, world.value(id, key).isEqual(to: value) { return }
      world.store(value, id, key)
    }
  }

  /// M1, M2: nested and crossed pairs.
  private func set(_ id: Int, _ pairing: Pairing) {
    let (first, second) = (pairing.first, pairing.second)
    let sites = [first, second].map { Site(object: id, key: $0.key) }
    sites.forEach(beginPair)
    set(id, first.key, .int(first.value))
    set(id, second.key, .int(second.value))
    let isCrossed = pairing.isCrossed && flaw != .noCrossing
    for site in isCrossed ? sites : sites.reversed() { endPair(site) }
  }

  // MARK: By name (K2, K3, K5)

  private func setByPath(_ id: Int, _ path: String, _ value: FuzzValue) {
    let keys = FuzzPath(path, isTyped: false).keys
    if keys.count > 1, keys[keys.count - 2] == "folder" {
      return setEntry(id, keys, value)
    }
    let way = FuzzPath(keys.dropLast().joined(separator: "."), isTyped: false)
    let owners = keys.count == 1 ? [id] : World.objects(in: world.value(id, way))
    pinning(owners) {
      for owner in owners {
        if let error = setByName(owner, keys[keys.count - 1], value) {
          return note(.answered(error))
        }
      }
    }
  }

  /// Sets an entry of a dictionary, by setting its property to a changed copy.
  private func setEntry(_ id: Int, _ keys: [String], _ value: FuzzValue) {
    let way = keys.dropLast(2).joined(separator: ".")
    let owner =
      way.isEmpty ? id : world.value(id, FuzzPath(way, isTyped: false)).objectNumber
    guard let owner else { return }
    guard value == .none || value.objectNumber != nil else {
      return note(.answered("typeMismatch"))
    }
    let entries = replacing(keys[keys.count - 1], in: "folder", of: owner, by: value)
    pinning([owner]) { set(owner, "folder", entries) }
  }

  private func replacing(
    _ name: String, in key: String, of id: Int, by value: FuzzValue
  ) -> FuzzValue {
    var entries = world.value(id, key).entries ?? [:]
    entries[name] = value == .none ? nil : value
    return .map(entries)
  }

  /// Sets the keys in sorted order until the first error, then reads both.
  private func setAll(_ id: Int, _ values: [String: FuzzValue]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let value = present(value, for: "", of: nil) else { continue }
      if let error = setByName(id, key, value) {
        note(.answered(error))
        break
      }
    }
    let values = ["count", "notes"].map { ($0, world.value(id, $0)) }
    note(.answered("\(FuzzValue.map(Dictionary(uniqueKeysWithValues: values)))"))
  }

  /// Sets a value by the badge's own coding; nil if that calls the general method.
  private func setByOwnCoding(_ id: Int, _ key: String, _ value: FuzzValue) -> String?? {
    switch (key, value) {
    case ("notes", .list(let elements)) where elements.allSatisfy { $0.objectNumber == nil }:
      set(id, key, value)
      return .some(nil)
    case ("notes", _): return "undefinedKey"
    case ("count", .int(let number)) where flaw != .noOwnCoding:
      set(id, key, .int(number % FuzzBadge.limit))
      return .some(nil)
    default: return nil
    }
  }

  private func setByName(_ id: Int, _ key: String, _ value: FuzzValue) -> String? {
    if FuzzBadge.isBadge(id), let done = setByOwnCoding(id, key, value) { return done }
    guard let found = ReferenceKey.of(id, key) else { return "undefinedKey" }
    if found.isComputed, key != "doubled" { return "readOnly" }
    let fits: Bool
    switch (found.shape, value) {
    case (_, .none) where found.isOptional: fits = true
    case (.optionalText, .none), (.object, .none): fits = true
    case (_, .none): return "nilValue"
    case (.number, .int), (.computed, .int), (.text, .text), (.optionalText, .text): fits = true
    case (.tag, .tag): fits = true
    case (.object, .object): fits = found.holds(value)
    case (.objectMap, .map): fits = true
    case (.objects, .list(let elements)), (.numbers, .list(let elements)),
      (.tags, .list(let elements)):
      fits = elements.allSatisfy(found.holds)
    case (.objectSet, .bag(let elements)), (.numberSet, .bag(let elements)),
      (.tagSet, .bag(let elements)):
      fits = elements.allSatisfy(found.holds)
    default: fits = false
    }
    guard fits else { return "typeMismatch" }
    set(id, key, value)
    return nil
  }

  // MARK: Edits

  /// Calls the closure with the resolved edit and the elements, all of which stay alive meanwhile.
  ///
  /// Those for which `dies` returns true may die meanwhile.
  private func withEdit(
    _ edit: Edit, _ id: Int, _ key: String, dies: (Int, Edit) -> Bool = { _, _ in false },
    _ body: (Edit, [FuzzValue]) -> Void
  ) {
    guard ReferenceKey.of(id, key) != nil else { return }
    let before = world.value(id, key)
    let elements = before.elements ?? []
    let edit = edit.compactMapValues { present($0, key) }.resolved(count: elements.count)
    guard let edit else { return }
    let kept = World.objects(in: before).filter { !dies($0, edit) }
    pinning(kept + World.objects(in: edit.entering)) { body(edit, elements) }
  }

  /// Whether an element may die in the middle of an edit in place, because nothing is notified of it.
  private func dies(_ id: Int, in edit: Edit) -> Bool {
    let keys = [
      "next", "link", "badge", "items", "staff", "group", "folder", "coin", "coins", "purse",
      "crew", "index",
    ]
    return Mutation.isGuest(id) && edit.releasesInOrder
      && keys.allSatisfy { World.objects(in: world.stored(id, $0)).isEmpty }
  }

  /// Changes a collection through a proxy.
  func change(_ id: Int, _ key: String, _ edit: Edit) {
    let before = world.value(id, key).elements ?? []
    let site = Site(object: id, key: key)
    let parts = parts(edit.asProxy(before, of: key, flaw), before)
    together(parts.count > 1 ? recorders(at: site) : []) {
      for (announcement, part) in parts {
        bracket(site, announcement, isAutomatic: true) { apply(part, id, key) }
      }
    }
  }

  /// The elementary changes of an edit through a proxy (C4).
  private func parts(_ edit: Edit, _ before: [FuzzValue]) -> [(Announcement, Edit)] {
    switch edit {
    case .insert(_, let at): return [(.ordered(.insertion, at), edit)]
    case .remove(let at): return [(.ordered(.removal, at), edit)]
    case .replace(_, let at): return [(.ordered(.replacement, at), edit)]
    case .swap(let first, let second):
      return [(.ordered(.replacement, [first, second].sorted()), edit)]
    case .replaceSubrange(let low, let high, let elements):
      if high - low == elements.count {
        return [(.ordered(.replacement, Array(low..<high)), edit)]
      }
      var parts: [(Announcement, Edit)] = []
      if low < high {
        let removed = Array(low..<high)
        parts.append((.ordered(.removal, removed), .remove(at: removed)))
      }
      if !elements.isEmpty {
        let inserted = Array(low..<low + elements.count)
        parts.append((.ordered(.insertion, inserted), .insert(elements, at: inserted)))
      }
      return parts
    case .exchange(let elements, let at):
      return [
        (.ordered(.removal, at), .remove(at: at)),
        (.ordered(.insertion, at), .insert(elements, at: at)),
      ]
    case .move(let from, let to):
      return [
        (.ordered(.removal, [from]), .remove(at: [from])),
        (.ordered(.insertion, [to]), .insert([before[from]], at: [to])),
      ]
    case .retouch(let position, _): return [(.ordered(.replacement, [position]), edit)]
    case .algebra(let kind, let elements): return [(.unordered(kind, Set(elements)), edit)]
    case .add, .plain: return []
    }
  }

  private func apply(_ edit: Edit, _ id: Int, _ key: String) {
    if flaw == .noMaking, world.value(id, key) == .none { return }
    world.store(collection(id, key).applying(edit), id, key)
  }

  /// The value; an empty collection where there is none (C5).
  private func collection(_ id: Int, _ key: String) -> FuzzValue {
    let value = world.value(id, key)
    guard value == .none, let found = ReferenceKey.of(id, key), found.isOptional else {
      return value
    }
    return found.empty
  }
}

extension Edit {
  /// The edit as a proxy carries it out: it reads moved elements before it announces anything, and removes
  /// and inserts if the class has no method that replaces.
  fileprivate func asProxy(_ before: [FuzzValue], of key: String, _ flaw: Flaw?) -> Edit {
    let hasMethods =
      ReferenceKey.table[key]?.hasMethods == true || flaw == .noReplacing && key == "rack"
    switch self {
    case .swap(let first, let second):
      let (low, high) = (min(first, second), max(first, second))
      return Edit.replace([before[high], before[low]], at: [low, high]).asProxy(
        before, of: key, flaw)
    case .replace(let elements, let at) where hasMethods: return .exchange(elements, at: at)
    case .replaceSubrange(let low, let high, let elements)
    where hasMethods && elements.count == high - low:
      return .exchange(elements, at: Array(low..<high))
    default: return self
    }
  }

  /// The elements that the edit inserts.
  var entering: FuzzValue {
    switch self {
    case .insert(let elements, _), .replace(let elements, _), .replaceSubrange(_, _, let elements),
      .algebra(_, let elements):
      .list(elements)
    case .plain(.append(let elements)), .plain(.appendAndRemove(let elements)): .list(elements)
    case .add, .remove, .swap, .move, .exchange, .retouch, .plain: .list([])
    }
  }
}
