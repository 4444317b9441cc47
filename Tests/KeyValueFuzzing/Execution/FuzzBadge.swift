import KeyValueObserving

/// A class that has nothing in common with `FuzzNode`, and objects of which paths lead through.
@KeyValueObservable
final class FuzzBadge {
  @KeyValueIgnored let serial: Int
  @KeyValueIgnored private let onDeath: (Int) -> Void

  var count = 0
  weak var bearer: FuzzNode?

  @DependsOn("bearer.number", "count")
  var title: String { "\(bearer.map { "\($0.number)" } ?? "-")/\(count)" }

  init(_ serial: Int, onDeath: @escaping (Int) -> Void) {
    self.serial = serial
    self.onDeath = onDeath
  }

  deinit { onDeath(serial) }

  static let serials = 100..<103

  static func isBadge(_ serial: Int) -> Bool { serial >= serials.lowerBound }

  static func className(of serial: Int) -> String {
    isBadge(serial) ? "FuzzBadge" : FuzzNode.className(of: serial)
  }
}

/// The objects of that class in a program.
final class Badges {
  private var held: [Int: FuzzBadge] = [:]
  private var known: [Int: WeakBadge] = [:]

  private struct WeakBadge {
    weak var badge: FuzzBadge?
  }

  var living: [FuzzBadge] { known.keys.sorted().compactMap { self[$0] } }

  subscript(id: Int) -> FuzzBadge? { known[id]?.badge }

  func create(_ id: Int, onDeath: @escaping (Int) -> Void) {
    guard known[id] == nil else { return }
    let badge = FuzzBadge(id, onDeath: onDeath)
    held[id] = badge
    known[id] = WeakBadge(badge: badge)
  }

  func drop(_ id: Int) { held[id] = nil }
}

extension Executor {
  func badge(_ id: Int) -> FuzzBadge? { badges[id] }

  func mutate(_ badge: FuzzBadge, _ mutation: Mutation) {
    switch mutation {
    case .assign("count", let value): badge.count = value.integer
    case .inPlace("count", .add(let amount)): badge.count += amount
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
