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
    var all = workers + past + guests + desks.values + teams.flatMap(\.everyone)
    if let deputy { all.append(deputy) }
    return Set(all).sorted { ($0.name, $0.salary) < ($1.name, $1.salary) }
  }
}

@MainActor @KeyValueObservable
package final class Team: Hashable {
  package var name = ""
  package var members: [Worker] = []
  package var teams: [Team] = []
  package weak var lead: Worker?

  package init() {}

  var everyone: [Worker] { members + teams.flatMap(\.everyone) }

  package nonisolated static func == (one: Team, other: Team) -> Bool { one === other }
  package nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
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
