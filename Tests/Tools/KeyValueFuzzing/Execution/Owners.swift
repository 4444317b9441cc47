import KeyValueObserving

/// An owner that observes through a controller; those with even numbers hold their controller.
final class FuzzOwner {
  private let number: Int
  private let onDeath: (Int) -> Void
  var controller: KeyValueObserverController<FuzzOwner>?

  init(_ number: Int, onDeath: @escaping (Int) -> Void) {
    self.number = number
    self.onDeath = onDeath
  }

  deinit { onDeath(number) }

  static func holdsController(_ number: Int) -> Bool { number % 2 == 0 }
}

/// A program's owners and their controllers.
final class Owners {
  private var owners: [Int: FuzzOwner] = [:]
  private var controllers: [Int: KeyValueObserverController<FuzzOwner>] = [:]
  /// All owners ever created; an owner that is gone isn't created again.
  private var known: Set<Int> = []
  private let onDeath: (Int) -> Void

  init(onDeath: @escaping (Int) -> Void) {
    self.onDeath = onDeath
  }

  /// The controller of an owner; creates both if the owner is new.
  func controller(of number: Int) -> KeyValueObserverController<FuzzOwner>? {
    if known.insert(number).inserted {
      let owner = FuzzOwner(number, onDeath: onDeath)
      let controller = KeyValueObserverController(owner: owner)
      owners[number] = owner
      if FuzzOwner.holdsController(number) {
        owner.controller = controller
      } else {
        controllers[number] = controller
      }
    }
    return controllers[number] ?? owners[number]?.controller
  }

  func drop(_ number: Int) { owners[number] = nil }
  func dropController(of number: Int) { controllers[number] = nil }

  func dropAll() {
    for number in known.sorted() { drop(number) }
    controllers = [:]
  }

  func unobserveAll() {
    for number in known { controller(of: number)?.unobserveAll() }
  }
}

extension Executor {
  func register(_ registration: Registration, on node: FuzzNode, for owner: Int) {
    guard let controller = owners.controller(of: owner) else { return }
    let who = "t\(registration.token) \(registration.path)"
    let options = registration.options
    if registration.isTyped, let typed = TypedPaths.table[registration.path] {
      typed.observeFor(controller, node, options, who) { [unowned self] in heard(who, $0) }
    } else {
      reportingErrors {
        controller.observe(try node.kvo(registration.path), options: options) {
          [unowned self] _, object, change in
          heard(who, change.told(who, object))
        }
      }
    }
    withExtendedLifetime(controller) {}
  }

  func unobserve(_ owner: Int, _ scope: Scope) {
    guard let controller = owners.controller(of: owner) else { return }
    switch scope {
    case .all: controller.unobserveAll()
    case .object(let id):
      if let node = node(id) { controller.unobserve(node) }
    case .path(let id, let path):
      if let path = try? node(id)?.kvo(path) { controller.unobserve(path) }
    }
  }
}
