/// One registered undo.
struct UndoAction {
  private(set) weak var target: AnyObject?
  private let handler: (AnyObject) -> Void

  init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) -> Void) {
    self.target = target
    self.handler = { handler(unsafeDowncast($0, to: Target.self)) }
  }

  func perform() {
    if let target { handler(target) }
  }
}

/// Actions that are undone together, in the order of their registration.
final class UndoGroup {
  private enum Entry {
    case action(UndoAction)
    case group(UndoGroup)

    var isAlive: Bool {
      switch self {
      case .action(let action): action.target != nil
      case .group(let group): group.isAlive
      }
    }
  }

  private var entries: [Entry] = []
  private(set) var name = ""
  var isDiscardable = false
  var userInfo: [UndoManager.UserInfoKey: Any] = [:]
  /// Whether a registration opened the group.
  var isOfEvent = false

  var isEmpty: Bool { entries.isEmpty }

  /// Whether an action's target is alive.
  var isAlive: Bool { entries.contains(where: \.isAlive) }

  func add(_ action: UndoAction) {
    entries.append(.action(action))
  }

  func setName(_ name: String) {
    self.name = name
  }

  /// Adds a nested group that was closed, and takes over its name.
  func take(_ group: UndoGroup) {
    if group.isEmpty { return }
    entries.append(.group(group))
    if !group.name.isEmpty { name = group.name }
    userInfo.merge(group.userInfo) { $1 }
  }

  /// Takes over the name and the attributes of the group that is being undone or redone.
  func inherit(_ group: UndoGroup) {
    name = group.name
    isDiscardable = group.isDiscardable
    userInfo = group.userInfo
  }

  func popClosedGroup() -> UndoGroup? {
    guard case .group(let group) = entries.last else { return nil }
    entries.removeLast()
    return group
  }

  func perform() {
    for entry in entries.reversed() {
      switch entry {
      case .action(let action): action.perform()
      case .group(let group): group.perform()
      }
    }
  }

  func removeAll() {
    entries = []
  }

  func remove(_ target: AnyObject) {
    entries.removeAll { entry in
      switch entry {
      case .action(let action): return action.target === target
      case .group(let group):
        group.remove(target)
        return group.isEmpty
      }
    }
  }
}

/// Closed groups, the last one on top.
///
/// Groups whose targets have been deallocated are skipped.
struct UndoStack {
  private var groups: [UndoGroup] = []

  var count: Int { groups.count(where: \.isAlive) }
  var last: UndoGroup? { groups.last(where: \.isAlive) }

  mutating func push(_ group: UndoGroup) {
    if !group.isEmpty { groups.append(group) }
  }

  mutating func pop() -> UndoGroup? {
    while let group = groups.popLast() {
      if group.isAlive { return group }
    }
    return nil
  }

  mutating func removeAll() {
    groups = []
  }

  mutating func remove(_ target: AnyObject) {
    for group in groups { group.remove(target) }
    groups.removeAll(where: \.isEmpty)
  }

  /// Drops the oldest groups.
  mutating func trim(to limit: Int) {
    groups.removeFirst(max(0, groups.count - limit))
  }
}
