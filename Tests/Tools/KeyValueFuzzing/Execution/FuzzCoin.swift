import KeyValueObserving

/// A class whose objects equal others of the same kind, so that a list may hold equal ones.
@KeyValueObservable
final class FuzzCoin: Hashable {
  let serial: Int
  @KeyValueIgnored private let onDeath: (Int) -> Void

  var face = 0
  weak var owner: FuzzNode?

  init(_ serial: Int, onDeath: @escaping (Int) -> Void) {
    self.serial = serial
    self.onDeath = onDeath
  }

  deinit { onDeath(serial) }

  static func == (left: FuzzCoin, right: FuzzCoin) -> Bool {
    kind(of: left.serial) == kind(of: right.serial)
  }
  func hash(into hasher: inout Hasher) { hasher.combine(FuzzCoin.kind(of: serial)) }

  static let serials = 200..<205

  static func isCoin(_ serial: Int) -> Bool { serials.contains(serial) }

  /// What equality compares.
  static func kind(of serial: Int) -> Int { serial % 3 }
}

extension Executor {
  func coin(_ value: FuzzValue, _ key: String) -> FuzzCoin? {
    guard let id = value.objectNumber, let coin = coins[id] else { return nil }
    if Mutation.keepsInNoOrder(key) {
      guard coins.isHeld(id) else { return nil }
      wereInGroup.insert(id)
    }
    return coin
  }

  func coins(_ value: FuzzValue, _ key: String) -> [FuzzCoin] {
    value.elements?.compactMap { coin($0, key) } ?? []
  }

  func mutate(_ coin: FuzzCoin, _ mutation: Mutation) {
    switch mutation {
    case .assign("face", let value): coin.face = value.integer
    case .assign("owner", let value):
      let owner = object(value, "owner")
      coin.owner = owner
      withExtendedLifetime(owner) {}
    case .inPlace("face", .add(let amount)): coin.face += amount
    default: break
    }
    withExtendedLifetime(coin) {}
  }
}
