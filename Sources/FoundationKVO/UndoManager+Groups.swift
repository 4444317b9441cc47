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
///
/// Those whose targets have been deallocated are skipped, and dropped when the number of entries has doubled.
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
  private var growth = GrowthLimit()
  private(set) var name = ""
  var isDiscardable = false
  private(set) var userInfo: [UndoManager.UserInfoKey: Any] = [:]
  /// Whether a registration opened the group.
  var isOfEvent = false

  var isEmpty: Bool { entries.isEmpty }

  /// Whether an action's target is alive.
  var isAlive: Bool { entries.contains(where: \.isAlive) }

  func add(_ action: UndoAction) {
    append(.action(action))
  }

  private func append(_ entry: Entry) {
    // First, because the end of a dead entry may close the group, which is dropped if it has no entries then.
    entries.append(entry)
    if !growth.isExceeded(by: entries.count) { return }
    let living = entries.filter(\.isAlive)
    growth.set(living: living.count)
    replace(living)
  }

  func setName(_ name: String) {
    self.name = name
  }

  /// Adds a nested group that was closed, and takes over its name and its marks.
  func take(_ group: UndoGroup) {
    if group.isEmpty { return }
    append(.group(group))
    if !group.name.isEmpty { name = group.name }
    if group.isDiscardable { isDiscardable = true }
    updateUserInfo { $0.merge(group.userInfo) { $1 } }
  }

  /// Takes over the name and the attributes of the group that is being undone or redone.
  func inherit(_ group: UndoGroup) {
    name = group.name
    isDiscardable = group.isDiscardable
    updateUserInfo { $0 = group.userInfo }
  }

  /// Changes the attached values.
  ///
  /// A replaced value is released after the access, because its end may call the manager.
  func updateUserInfo(_ body: (inout [UndoManager.UserInfoKey: Any]) -> Void) {
    let old = userInfo
    body(&userInfo)
    withExtendedLifetime(old) {}
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
    replace([])
  }

  func remove(_ target: AnyObject) {
    for case .group(let group) in entries { group.remove(target) }
    replace(
      entries.filter { entry in
        switch entry {
        case .action(let action): action.target !== target
        case .group(let group): !group.isEmpty
        }
      })
  }

  /// Replaces the entries.
  ///
  /// A removed entry is released after the access, because the end of what its handler captured may call the
  /// manager.
  private func replace(_ new: [Entry]) {
    let old = entries
    entries = new
    withExtendedLifetime(old) {}
  }
}

/// Closed groups, the last one on top.
///
/// Groups whose targets have been deallocated are skipped, and dropped when the number of groups has doubled. A
/// removed group is released after the access to the stack, because the end of what a handler captured may call the
/// manager.
final class UndoStack {
  private var groups: [UndoGroup] = []
  private var growth = GrowthLimit()

  var count: Int { groups.count(where: \.isAlive) }
  var last: UndoGroup? { groups.last(where: \.isAlive) }

  func push(_ group: UndoGroup) {
    if group.isEmpty { return }
    groups.append(group)
    if !growth.isExceeded(by: groups.count) { return }
    let living = groups.filter(\.isAlive)
    growth.set(living: living.count)
    replace(living)
  }

  func pop() -> UndoGroup? {
    let index = groups.lastIndex(where: \.isAlive)
    let removed = remove((index ?? 0)..<groups.count)
    return index == nil ? nil : removed.first
  }

  func removeAll() {
    remove(0..<groups.count)
  }

  func remove(_ target: AnyObject) {
    for group in groups { group.remove(target) }
    replace(groups.filter { !$0.isEmpty })
  }

  /// If there are too many groups, drops those that are skipped, and then the oldest ones.
  func trim(to limit: Int) {
    if groups.count > limit { replace(Array(groups.filter(\.isAlive).suffix(limit))) }
  }

  private func replace(_ new: [UndoGroup]) {
    let old = groups
    groups = new
    withExtendedLifetime(old) {}
  }

  /// Removes groups, and returns them for the caller to release.
  @discardableResult
  private func remove(_ range: Range<Int>) -> [UndoGroup] {
    let removed = Array(groups[range])
    groups.removeSubrange(range)
    return removed
  }
}
