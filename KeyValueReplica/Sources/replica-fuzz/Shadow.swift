import KeyValueObserving
import KeyValueReplicaTestSupport

/// A copy of a firm that's made of notifications alone.
///
/// Each notification has to fit what those before it have led to, and in the end all have to lead to what the
/// firm is. That holds for own changes, for others', and where a replica is restored.
@MainActor
final class Shadow {
  private var observations: [KeyValueObservation] = []
  private var comparisons: [() -> String?] = []
  private var found: [String] = []

  init(of firm: Firm) {
    follow("name", firm.kvo.name) { firm.name }
    follow("motto", firm.kvo.motto) { firm.motto }
    follow("desks", firm.kvo.desks) { firm.desks }
    follow("budget", firm.kvo.budget) { firm.budget }
    follow("deputy", firm.kvo.deputy) { firm.deputy }
    follow("total", firm.kvo.total) { firm.total }
    follow("deputy.salary", firm.kvo.deputy.salary) { firm.deputy?.salary }
    followList("workers", firm.kvo.workers) { firm.workers }
    followList("past", firm.kvo.past) { firm.past }
    followList("teams", firm.kvo.teams) { firm.teams }
    followList("rooms", firm.kvo.rooms) { firm.rooms }
    followSet("tags", firm.kvo.tags) { firm.tags }
    followSet("guests", firm.kvo.guests) { firm.guests }
  }

  /// What didn't fit since the last call, and what differs now.
  func differences() -> [String] {
    defer { found = [] }
    return found + comparisons.compactMap { $0() }
  }

  private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private func follow<Value: Equatable>(
    _ name: String, _ path: KeyValueBoundPath<Firm, Value>,
    _ current: @escaping () -> Value
  ) {
    watch(name, path, current) { last, change in
      guard change.kind == .setting, change.oldValue == last, let new = change.newValue
      else { return false }
      last = new
      return true
    }
  }

  private func followList<Element: Equatable>(
    _ name: String, _ path: KeyValueBoundPath<Firm, [Element]>,
    _ current: @escaping () -> [Element]
  ) {
    watch(name, path, current) { last, change in
      let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
      if change.kind == .setting {
        guard old == last else { return false }
        last = new
        return true
      }
      guard let indexes = change.indexes else { return false }
      let places = Array(indexes.ranges.joined())
      guard let highest = places.last else { return true }
      switch change.kind {
      case .insertion:
        guard places.count == new.count, highest < last.count + new.count else { return false }
        for (place, element) in zip(places, new) { last.insert(element, at: place) }
      case .removal:
        guard highest < last.count, places.map({ last[$0] }) == old else { return false }
        last.removeSubranges(indexes)
      case .replacement:
        guard highest < last.count, places.map({ last[$0] }) == old, new.count == old.count
        else { return false }
        for (place, element) in zip(places, new) { last[place] = element }
      case .setting: break
      }
      return true
    }
  }

  private func followSet<Element: Hashable>(
    _ name: String, _ path: KeyValueBoundPath<Firm, Set<Element>>,
    _ current: @escaping () -> Set<Element>
  ) {
    watch(name, path, current) { last, change in
      let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
      if change.kind == .setting {
        guard old == last else { return false }
        last = new
        return true
      }
      guard old.isSubset(of: last), new.isDisjoint(with: last.subtracting(old))
      else { return false }
      last = last.subtracting(old).union(new)
      return true
    }
  }

  private func watch<Value: Equatable>(
    _ name: String, _ path: KeyValueBoundPath<Firm, Value>,
    _ current: @escaping () -> Value,
    _ takes: @escaping (inout Value, KeyValueObservedChange<Value>) -> Bool
  ) {
    let last = Box(current())
    observations.append(
      path.observe(options: [.old, .new]) { [unowned self] _, change in
        if takes(&last.value, change) { return }
        found.append("the notification \(change) of \(name) doesn't fit \(last.value)")
        last.value = current()
      })
    comparisons.append {
      let value = current()
      if value == last.value { return nil }
      defer { last.value = value }
      return "\(name) is \(value), but its notifications lead to \(last.value)"
    }
  }
}
