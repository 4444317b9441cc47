import KeyValueObserving

/// A class unrelated to `FuzzNode`, whose objects paths lead through.
@KeyValueObservable
final class FuzzBadge {
  let serial: Int
  @KeyValueIgnored private let onDeath: (Int) -> Void

  var count = 0
  weak var bearer: FuzzNode?

  /// The elements of the key `notes`, which only the class's own coding knows.
  @KeyValueIgnored private var noted: [Int] = []

  @DependsOn("bearer.number", "count")
  var title: String { "\(bearer.map { "\($0.number)" } ?? "-")/\(count)" }

  init(_ serial: Int, onDeath: @escaping (Int) -> Void) {
    self.serial = serial
    self.onDeath = onDeath
  }

  deinit { onDeath(serial) }

  func value(forKey key: String) throws -> Any? {
    if key == "notes" { return noted }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func setValue(_ value: Any?, forKey key: String) throws {
    switch (key, value) {
    case ("notes", let value as [Int]): noted = value
    case ("count", let value as Int): count = value % FuzzBadge.limit
    default: try (self as any KeyValueObservable).setValue(value, forKey: key)
    }
  }

  /// The limit below which the class's own coding keeps the count.
  static let limit = 7

  static let serials = 100..<103

  static func isBadge(_ serial: Int) -> Bool { serials.contains(serial) }

  static func className(of serial: Int) -> String {
    if FuzzCoin.isCoin(serial) { return "FuzzCoin" }
    return isBadge(serial) ? "FuzzBadge" : FuzzNode.className(of: serial)
  }
}

extension Executor {
  func badge(_ id: Int) -> FuzzBadge? { badges[id] }

  func mutate(_ badge: FuzzBadge, _ mutation: Mutation) {
    switch mutation {
    case .assign("count", let value): badge.count = value.integer
    case .inPlace("count", .add(let amount)): badge.count += amount
    case .proxy("notes", let edit):
      reportingErrors {
        let proxy = try badge.mutableArrayValue(forKey: "notes")
        guard let edit = edit.resolved(count: proxy.count) else { return }
        apply(edit, edit.entering.elements?.map(\.integer) ?? [], to: proxy)
      }
    case .codeAll(let values):
      let values = values.mapValues { any($0, for: "") }
      reportingErrors { try badge.setValues(forKeys: values) }
      reportingErrors {
        let values = try badge.dictionaryWithValues(forKeys: ["count", "notes"])
        note(.answered("\(FuzzValue.map(values.mapValues { FuzzValue($0) }))"))
      }
      withExtendedLifetime(values) {}
    case .assign("bearer", let value):
      let bearer = object(value, "bearer")
      badge.bearer = bearer
      withExtendedLifetime(bearer) {}
    default: break
    }
    withExtendedLifetime(badge) {}
  }

  func assign(_ node: FuzzNode, badge: FuzzBadge?) {
    node.badge = badge
    withExtendedLifetime(badge) {}
  }
}
