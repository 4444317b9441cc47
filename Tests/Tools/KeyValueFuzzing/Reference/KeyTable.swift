/// What the reference knows of a key, written by hand.
struct ReferenceKey {
  enum Shape {
    case number
    case text
    case optionalText
    case object(isWeak: Bool)
    case objects
    case objectSet
    case numbers
    case numberSet
    case objectMap
    case tag
    case tags
    case tagSet
    case computed(dependencies: [String], get: (World, Int) -> FuzzValue)
  }

  let shape: Shape
  var isManual = false
  /// Whether the class has methods that insert and remove, but no method that replaces.
  var hasMethods = false
  /// Whether only methods implement the key.
  var hasNoProperty = false
  var isLeadersOnly = false
  var isBadges = false
  var isCoins = false
  /// Whether a computed value is an object.
  var isComputedObject = false
  /// Whether the collection may be nil, as it is at first.
  var isOptional = false
  /// Whether its objects are coins.
  var holdsCoins = false

  var initial: FuzzValue { isOptional ? .none : empty }

  /// The value without elements.
  var empty: FuzzValue {
    switch shape {
    case .number: .int(0)
    case .text: .text("")
    case .optionalText, .object: .none
    case .objects, .numbers, .tags: .list([])
    case .objectSet, .numberSet, .tagSet: .bag([])
    case .tag: .tag(0, 0)
    case .objectMap: .map([:])
    case .computed: .none
    }
  }

  var isComputed: Bool { if case .computed = shape { true } else { false } }
  var isWeak: Bool { if case .object(let isWeak) = shape { isWeak } else { false } }
  var isToMany: Bool {
    switch shape {
    case .objects, .objectSet, .numbers, .numberSet, .tags, .tagSet: true
    default: false
    }
  }
  /// Whether the value is an object, or nil.
  var refersToOne: Bool { if case .object = shape { true } else { isComputedObject } }
  /// Whether the value has no objects in it.
  var isPlainValue: Bool {
    switch shape {
    case .number, .text, .optionalText, .numbers, .numberSet, .tag, .tags, .tagSet: true
    case .computed: !isComputedObject
    default: false
    }
  }
  /// Whether a value fits as the property's object or element.
  func holds(_ value: FuzzValue) -> Bool {
    switch (shape, value) {
    case (.object, .object(let id)), (.objects, .object(let id)), (.objectSet, .object(let id)):
      FuzzCoin.isCoin(id) == holdsCoins
    case (.numbers, .int), (.numberSet, .int): true
    case (.tags, .tag), (.tagSet, .tag): true
    default: false
    }
  }

  /// Whether the property keeps the objects that it refers to alive.
  var keepsAlive: Bool { !isComputed && !isWeak }
}

extension ReferenceKey {
  /// The stored keys, in the order in which a dying object releases their values.
  static let storedOrder = [
    "level", "number", "text", "note", "next", "peer", "items", "group", "values", "marks",
    "manual",
    "staff", "link", "shelf", "width", "rack", "flags", "line",
    "badge", "folder", "tag", "tags", "seals", "slips", "coin", "coins", "purse",
    "wishes", "crew", "signs", "pulse", "phase", "index",
    "count", "bearer", "notes", "face", "owner",
  ]

  nonisolated(unsafe) static let table: [String: ReferenceKey] = [
    "number": .init(shape: .number),
    "text": .init(shape: .text),
    "note": .init(shape: .optionalText),
    "next": .init(shape: .object(isWeak: false)),
    "peer": .init(shape: .object(isWeak: true)),
    "items": .init(shape: .objects),
    "group": .init(shape: .objectSet),
    "values": .init(shape: .numbers),
    "marks": .init(shape: .numberSet),
    "manual": .init(shape: .number, isManual: true),
    "staff": .init(shape: .objects, isManual: true),
    "link": .init(shape: .object(isWeak: false), isManual: true),
    "shelf": .init(shape: .numbers, hasMethods: true),
    "width": .init(shape: .number),
    "rack": .init(shape: .numbers),
    "flags": .init(shape: .numberSet),
    "line": .init(shape: .numbers, hasMethods: true, hasNoProperty: true),
    "badge": .init(shape: .object(isWeak: false)),
    "count": .init(shape: .number, isBadges: true),
    "bearer": .init(shape: .object(isWeak: true), isBadges: true),
    "notes": .init(shape: .numbers, hasNoProperty: true, isBadges: true),
    "folder": .init(shape: .objectMap),
    "tag": .init(shape: .tag),
    "tags": .init(shape: .tags),
    "seals": .init(shape: .tagSet),
    "slips": .init(shape: .tags),
    "coin": .init(shape: .object(isWeak: false), holdsCoins: true),
    "coins": .init(shape: .objects, holdsCoins: true),
    "purse": .init(shape: .objectSet, holdsCoins: true),
    "wishes": .init(shape: .numbers, isOptional: true),
    "crew": .init(shape: .objects, isOptional: true),
    "signs": .init(shape: .numberSet, isOptional: true),
    "muster": computed(["crew.number"]) { world, id in
      let crew = world.value(id, "crew")
      return .int(crew == .none ? -1 : world.sum(of: "number", over: crew))
    },
    "owner": .init(shape: .object(isWeak: true), isCoins: true),
    "index": .init(shape: .objectMap),
    "pulse": .init(shape: .number),
    "phase": .init(shape: .number),
    "rhythm": computed(["pulse", "phase"]) { world, id in
      .int(10 * world.number(id, "pulse") + world.number(id, "phase"))
    },
    "beat": computed(["pulse", "phase"]) { world, id in
      .int(world.number(id, "pulse") - world.number(id, "phase"))
    },
    "face": .init(shape: .number, isCoins: true),
    "filed": computed(["folder.a.number"]) { world, id in
      let filed = world.value(id, "folder").entries?["a"]?.objectNumber
      return .int(filed.map { world.number($0, "number") } ?? 0)
    },
    "lonely": computed(["peer"]) { world, id in
      .int(world.value(id, "peer") == .none ? 1 : 0)
    },
    "title": computed(["bearer.number", "count"], isBadges: true) { world, id in
      let number = world.object(id, "bearer").map { "\(world.number($0, "number"))" } ?? "-"
      return .text("\(number)/\(world.number(id, "count"))")
    },
    "level": .init(shape: .number, isLeadersOnly: true),
    "label": computed(["text", "number"]) { world, id in
      .text("\(world.text(id, "text")):\(world.number(id, "number"))")
    },
    "caption": computed(["label", "note"]) { world, id in
      let note = world.value(id, "note") == .none ? "-" : world.text(id, "note")
      return .text("\(world.text(id, "label"))/\(note)")
    },
    "reach": computed(["number", "next.number", "peer.number"]) { world, id in
      var sum = world.number(id, "number")
      sum += 10 * (world.object(id, "next").map { world.number($0, "number") } ?? 0)
      sum += 100 * (world.object(id, "peer").map { world.number($0, "number") } ?? 0)
      if FuzzNode.isLeader(id) { sum += 1000 * world.number(id, "level") }
      return .int(sum)
    },
    "nearest": computed(["next", "peer"], isObject: true) { world, id in
      let next = world.value(id, "next")
      return next == .none ? world.value(id, "peer") : next
    },
    "total": computed(["items.number"]) { world, id in
      .int(world.sum(of: "number", over: world.value(id, "items")))
    },
    "load": computed(["items.number"]) { world, id in
      .int(2 * world.sum(of: "number", over: world.value(id, "items")))
    },
    "wealth": computed(["group.@sum.number", "next.total"]) { world, id in
      .int(
        world.sum(of: "number", over: world.value(id, "group"))
          + (world.object(id, "next").map { world.number($0, "total") } ?? 0))
    },
    "ping": computed(["pong", "number"]) { world, id in .int(world.number(id, "number")) },
    "pong": computed(["ping", "next.ping", "manual"]) { world, id in
      .int(
        world.number(id, "number")
          - (world.object(id, "next").map { world.number($0, "number") } ?? 0)
          + 100 * world.number(id, "manual"))
    },
    "doubled": computed(["number"]) { world, id in .int(2 * world.number(id, "number")) },
    "rank": computed(["level", "label"], isLeadersOnly: true) { world, id in
      .text("\(world.text(id, "label"))@\(world.number(id, "level"))")
    },
  ]

  private static func computed(
    _ dependencies: [String], isLeadersOnly: Bool = false, isBadges: Bool = false,
    isObject: Bool = false, _ get: @escaping (World, Int) -> FuzzValue
  ) -> ReferenceKey {
    .init(
      shape: .computed(dependencies: dependencies, get: get), isLeadersOnly: isLeadersOnly,
      isBadges: isBadges, isComputedObject: isObject)
  }

  /// The key in an object's class, or nil if the class doesn't have it.
  static func of(_ id: Int, _ key: String) -> ReferenceKey? {
    guard let found = table[key], found.isBadges == FuzzBadge.isBadge(id),
      found.isCoins == FuzzCoin.isCoin(id),
      !found.isLeadersOnly || FuzzNode.isLeader(id)
    else { return nil }
    guard isOverridden(id, key) else { return found }
    var manual = found
    manual.isManual = true
    return manual
  }

  /// Whether the subclass announces a key itself that its superclass announces automatically (M3).
  private static func isOverridden(_ id: Int, _ key: String) -> Bool {
    ["pulse", "phase", "beat"].contains(key) && FuzzNode.isLeader(id)
  }

  /// The dependencies of an object's key, including those that an override adds.
  static func dependencies(of id: Int, _ key: String) -> [KeyList] {
    guard let lists = dependencyLists[key] else { return [] }
    // Nothing is inferred for a key that the class announces (D1).
    if isOverridden(id, key) { return [] }
    return key == "reach" && FuzzNode.isLeader(id) ? lists + [levelList] : lists
  }

  private static let levelList = KeyList(["level"])

  private static let dependencyLists: [String: [KeyList]] = table.compactMapValues { found in
    guard case .computed(let dependencies, _) = found.shape else { return nil }
    return dependencies.map { KeyList($0.split(separator: ".").map(String.init)) }
  }
}
