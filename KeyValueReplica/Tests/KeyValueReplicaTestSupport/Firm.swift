import KeyValueObserving

/// A document for random edits: it has keys of every kind that a log records.
@MainActor @KeyValueObservable
package final class Firm {
  package var name = "Engines"
  package var motto: String?
  package var workers: [Worker] = []
  package var past: [Worker] = []
  package var guests: Set<Worker> = []
  package var desks: [String: Worker] = [:]
  package var teams: [Team] = []
  package var rooms: [String] = []
  package var tags: Set<String> = []
  package var budget: [String: Int] = [:]
  package var deputy: Worker?
  package weak var chief: Worker?

  package init() {}

  package var total: Int { workers.reduce(0) { $0 + $1.salary } }

  /// All workers that the document has, each once, in an order that's the same in all processes.
  package var everyone: [Worker] {
    var all = workers + past + guests + desks.values + allTeams.flatMap(\.members)
    if let deputy { all.append(deputy) }
    return Set(all).sorted { ($0.name, $0.salary) < ($1.name, $1.salary) }
  }

  /// All teams, each once, nearest first.
  package var allTeams: [Team] {
    var all: [Team] = []
    var seen: Set<Team> = []
    var work = teams
    while !work.isEmpty {
      let team = work.removeFirst()
      if !seen.insert(team).inserted { continue }
      all.append(team)
      work += team.teams
      if let partner = team.partner { work.append(partner) }
    }
    return all
  }
}

@MainActor @KeyValueObservable
package final class Team: Hashable {
  package var name = ""
  package var members: [Worker] = []
  package var teams: [Team] = []
  /// Teams may be partners of each other, and part of their own parts: then they lead to themselves.
  package var partner: Team?
  package weak var lead: Worker?

  package init() { Teams.note(self) }

  package nonisolated static func == (one: Team, other: Team) -> Bool { one === other }
  package nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// The teams that this process has made.
@MainActor
package enum Teams {
  private struct Made {
    weak var team: Team?
  }
  private static var made: [Made] = []

  fileprivate static func note(_ team: Team) { made.append(Made(team: team)) }

  /// Cuts the references between teams, also of those that have left their document: they may lead to themselves,
  /// and would keep each other and their workers alive.
  package static func cutApart() {
    for team in made.compactMap(\.team) {
      (team.partner, team.teams, team.members) = (nil, [], [])
    }
  }
}

@MainActor @KeyValueObservable
package final class Worker: Hashable {
  package var name = ""
  package var salary = 0
  package var rate: Double?
  package var skills: [String] = []

  package init() {}

  init(_ name: String, salary: Int = 0) {
    self.name = name
    self.salary = salary
  }

  package nonisolated static func == (one: Worker, other: Worker) -> Bool { one === other }
  package nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
