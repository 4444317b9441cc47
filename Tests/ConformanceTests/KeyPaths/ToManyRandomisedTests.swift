import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Player: Hashable {
  var score: Int
  var weight: Double
  var rank: Int?
  var coach: Player?

  init(score: Int, weight: Double) {
    self.score = score
    self.weight = weight
  }

  static func == (left: Player, right: Player) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Team {
  var players: [Player] = []
  var fans: Set<Player> = []
  @DependsOn("players.@sum.score") var total: Int { players.reduce(0) { $0 + $1.score } }
}

@KeyValueObservable
private final class League {
  var team: Team?
}

/// Observes one path, and compares the delivered values with those recomputed from the model.
private final class Watcher {
  let name: String
  let recompute: () -> String
  var callbacks: [(old: String, new: String)] = []
  var last: String
  var token: KeyValueObservation?

  init(_ name: String, _ recompute: @escaping () -> String) {
    self.name = name
    self.recompute = recompute
    last = recompute()
  }

  func note(_ old: Any?, _ new: Any?) {
    callbacks.append((old.map { "\($0)" } ?? "nil", new.map { "\($0)" } ?? "nil"))
  }

  /// Checks the callbacks since the last check against the expected number and the model.
  ///
  /// Returns a description of the first mismatch.
  func check(_ expected: Int?) -> String? {
    defer { callbacks = [] }
    let now = recompute()
    if let expected, callbacks.count != expected {
      return "\(name): \(callbacks.count) callbacks instead of \(expected)"
    }
    if callbacks.isEmpty {
      return now == last ? nil : "\(name): silent, but \(last) became \(now)"
    }
    if let first = callbacks.first, first.old != last {
      return "\(name): old \(first.old), not \(last)"
    }
    if let final = callbacks.last, final.new != now {
      return "\(name): new \(final.new), not \(now)"
    }
    last = now
    return nil
  }
}

@Suite("P6, P7. Random changes of collections, against recomputation")
struct ToManyRandomisedTests {
  @Test(
    "Every path and aggregate delivers the recomputed value",
    arguments: 1...TestVolume.either(1, full: 10))
  func aggregates(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let pool = (0..<12).map { Player(score: $0 * 3, weight: Double($0) / 7) }
    let league = League()
    let teams = [Team(), Team()]
    league.team = teams[0]
    var watchers: [Watcher] = []
    func players() -> [Player] { league.team?.players ?? [] }

    func watch(_ path: String, _ recompute: @escaping () -> Any?) throws {
      let watcher = Watcher(path) {
        guard league.team != nil else { return "nil" }
        return recompute().map { "\($0)" } ?? "nil"
      }
      watcher.token = try league.observe(path, options: [.old, .new]) {
        [unowned watcher] _, change in
        watcher.note(change.oldValue ?? nil, change.newValue ?? nil)
      }
      watchers.append(watcher)
    }
    try watch("team.players.@count") { players().count }
    try watch("team.players.@sum.score") { players().reduce(0) { $0 + $1.score } }
    try watch("team.players.@max.score") { players().map(\.score).max() }
    try watch("team.players.@min.score") { players().map(\.score).min() }
    try watch("team.players.@min.rank") { players().compactMap(\.rank).min() }
    try watch("team.players.@sum.coach.score") {
      players().reduce(0) { $0 + ($1.coach?.score ?? 0) }
    }
    try watch("team.players.score") { players().map(\.score) as [Any] }
    try watch("team.fans.@sum.score") { (league.team?.fans ?? []).reduce(0) { $0 + $1.score } }
    try watch("team.total") { players().reduce(0) { $0 + $1.score } }

    for step in 0..<TestVolume.either(10_000, few: 1_000) {
      let (operation, expected) = mutate(league, teams, pool, &generator)
      for watcher in watchers {
        let problem = watcher.check(expected(watcher.name))
        if let problem {
          Issue.record("seed \(seed), step \(step), \(operation): \(problem)")
          return
        }
      }
    }
    // After the league releases its team, no change is delivered.
    league.team = nil
    for watcher in watchers { watcher.callbacks = [] }
    for player in pool { player.score += 1 }
    #expect(watchers.allSatisfy { $0.callbacks.isEmpty })
    for player in pool { player.coach = nil }  // some players coach themselves
  }

  /// Makes one random change; returns its name and the callbacks expected for each path.
  private func mutate(
    _ league: League, _ teams: [Team], _ pool: [Player], _ generator: inout SeededGenerator
  ) -> (String, (String) -> Int?) {
    let team = teams[Int.random(in: 0...1, using: &generator)]
    let isCurrent = league.team === team
    let proxy = team.mutableArrayValue(for: \.players)
    let count = proxy.count
    let player = pool.randomElement(using: &generator)!
    func index(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    func membership(_ times: Int = 1) -> (String) -> Int? {
      { name in isCurrent && !name.contains("fans") ? times : 0 }
    }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0 where count < 30, 1 where count < 30:
      proxy.append(player)
      return ("proxy append", membership())
    case 2 where count < 30:
      let at = index(count + 1)
      proxy.insert(contentsOf: [player, player], at: at)
      return ("proxy insert twice", membership())
    case 3 where count > 0:
      proxy.remove(at: index(count))
      return ("proxy remove", membership())
    case 4 where count > 0:
      proxy[index(count)] = player
      return ("proxy replace", membership())
    case 5 where count > 1:
      let (low, high) = (index(count), index(count))
      proxy.swapAt(low, high)
      return ("proxy swap", membership(low == high ? 0 : 1))
    case 6 where count > 1:
      proxy.move(from: index(count), to: index(count))
      return ("proxy move", membership(2))
    case 7 where count < 30:
      team.players.append(player)
      return ("plain append", membership())
    case 8:
      team.players = (0..<index(8)).map { _ in pool.randomElement(using: &generator)! }
      return ("plain assignment", membership())
    case 9 where count > 0:
      team.players.remove(at: index(count))
      return ("plain remove", membership())
    case 10:
      let fans = team.mutableSetValue(for: \.fans)
      if Bool.random(using: &generator) { fans.insert(player) } else { fans.remove(player) }
      return ("fans", { isCurrent && $0.contains("fans") ? 1 : 0 })
    case 11:
      let next = [nil, teams[0], teams[1]].randomElement(using: &generator)!
      league.team = next
      return ("team", { _ in 1 })
    case 12:
      player.rank = Bool.random(using: &generator) ? nil : index(50)
      let isIn = league.team?.players.contains(player) ?? false
      return ("rank", { isIn && $0.contains("rank") ? 1 : 0 })
    case 13:
      player.coach = Bool.random(using: &generator) ? nil : pool.randomElement(using: &generator)!
      let isIn = league.team?.players.contains(player) ?? false
      return ("coach", { isIn && $0.contains("coach") ? 1 : 0 })
    default:
      player.score = Int.random(in: -100...100, using: &generator)
      let isIn = league.team?.players.contains(player) ?? false
      let isFan = league.team?.fans.contains(player) ?? false
      let coaches = league.team?.players.contains { $0.coach === player } ?? false
      return (
        "score",
        { name in
          if name.contains("fans") { return isFan ? 1 : 0 }
          if name.contains("coach") { return coaches ? 1 : 0 }
          return isIn && (name.contains("score") || name.contains("total")) ? 1 : 0
        }
      )
    }
  }
}
