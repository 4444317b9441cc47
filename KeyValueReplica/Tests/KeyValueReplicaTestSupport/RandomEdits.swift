import KeyValueObserving

/// Random changes of a firm: of each kind that a log records, alone and in transactions.
@MainActor
package struct RandomEdits {
  /// A tag with this prefix is inserted in a transaction of its own.
  ///
  /// No other change keeps it from being inserted.
  package nonisolated static let markPrefix = "mark-"

  private var numbers: SeededNumbers
  private var made = 0
  /// The most elements of a collection, so that documents stay small however many changes are made.
  private let most: Int

  package init(_ numbers: SeededNumbers, most: Int = 10) {
    self.numbers = numbers
    self.most = most
  }

  private mutating func number(_ limit: Int) -> Int { numbers.number(limit) }

  private mutating func isOnce(in count: Int) -> Bool { number(count) == 0 }

  private mutating func element<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[number(elements.count)]
  }

  /// Makes one to four changes, in one transaction or each by itself.
  ///
  /// - Parameters:
  ///   - firm: What is changed.
  ///   - author: Begins names, so that two writers give different ones.
  package mutating func change(_ firm: Firm, _ author: String) {
    if isOnce(in: 12) {
      made += 1
      firm.kvo.tags.mutableSet().insert("\(Self.markPrefix)\(author)\(made)")
    } else if isOnce(in: 5) {
      let count = number(4) + 1
      firm.performChanges { firm in
        for _ in 0..<count { edit(firm, author) }
      }
    } else {
      edit(firm, author)
    }
  }

  private mutating func edit(_ firm: Firm, _ author: String) {
    made += 1
    let name = "\(author)\(made)"
    switch number(16) {
    case 0: setValue(firm, name)
    case 1...4: changeWorkers(firm, name)
    case 5, 6: changeWorker(firm, name)
    case 7: changeRooms(firm, name)
    case 8: changeTags(firm)
    case 9: changeGuests(firm, name)
    case 10: changeBudget(firm)
    case 11: changeDesks(firm, name)
    case 12, 13: changeTeams(firm, name)
    default: move(firm)
    }
  }

  private mutating func setValue(_ firm: Firm, _ name: String) {
    switch number(8) {
    case 0: firm.motto = name
    case 1: firm.motto = nil
    case 2: firm.chief = element(of: firm.everyone)
    case 3: firm.chief = nil
    case 4: firm.deputy = element(of: firm.everyone)
    case 5: firm.deputy = Worker(name)
    case 6: firm.deputy = nil
    default: firm.name = name
    }
  }

  private mutating func changeWorkers(_ firm: Firm, _ name: String) {
    let workers = firm.kvo.workers.mutableArray()
    let count = workers.count
    if count >= most {
      workers.remove(at: number(count))
      return
    }
    switch number(15) {
    case 0, 1, 2: workers.insert(Worker(name, salary: number(100)), at: number(count + 1))
    case 3: firm.workers.append(Worker(name))
    case 4: firm.workers += [Worker(name), Worker(name + "b", salary: number(9))]
    case 5 where count > 0: workers.remove(at: number(count))
    case 6 where count > 0: firm.workers.remove(at: number(count))
    case 7 where count > 1: firm.workers.swapAt(number(count), number(count))
    case 8 where count > 2: firm.workers.reverse()
    case 9 where count > 0: workers[number(count)] = Worker(name)
    case 10 where count > 0: firm.workers[number(count)] = Worker(name, salary: number(100))
    case 11 where count > 1:
      workers.remove(at: RangeSet([number(count), number(count)], within: firm.workers))
    case 12 where count > 0: workers.insert(firm.workers[number(count)], at: number(count + 1))
    case 13: if let worker = element(of: firm.everyone) { workers.insert(worker, at: 0) }
    default: firm.workers.insert(Worker(name), at: 0)
    }
  }

  private mutating func changeWorker(_ firm: Firm, _ name: String) {
    guard let worker = element(of: firm.everyone) else { return firm.name = name }
    switch number(6) {
    case 0: worker.name = name
    case 1, 2: worker.salary = number(100)
    case 3: worker.rate = isOnce(in: 3) ? nil : Double(number(100)) / 8
    case 4 where worker.skills.count < most: worker.kvo.skills.mutableArray().append(name)
    case 5 where !worker.skills.isEmpty: worker.skills.remove(at: number(worker.skills.count))
    default: worker.skills = [name, "\(number(4))"]
    }
  }

  private mutating func changeRooms(_ firm: Firm, _ name: String) {
    let rooms = firm.kvo.rooms.mutableArray()
    let count = rooms.count
    switch number(6) {
    case 0 where count < most: rooms.insert(name, at: number(count + 1))
    case 1 where count >= most: rooms.removeAll()
    case 2 where count > 0: rooms.remove(at: number(count))
    case 3 where count > 0: rooms[number(count)] = name
    case 4 where count > 1: firm.rooms.swapAt(number(count), number(count))
    case 5: firm.rooms = [name, "hall", name]
    default: firm.rooms.append(name)
    }
  }

  private mutating func changeTags(_ firm: Firm) {
    let tags = firm.kvo.tags.mutableSet()
    if let mark = firm.tags.sorted().first, firm.tags.count > most {
      tags.remove(mark)
      return
    }
    switch number(6) {
    case 0: firm.tags.insert("tag\(number(6))")
    case 1: firm.tags.remove("tag\(number(6))")
    case 2: tags.formUnion(["tag\(number(6))", "tag\(number(6))"])
    case 3: tags.subtract(["tag\(number(6))", "tag\(number(6))"])
    case 4: tags.replaceAll(with: firm.tags.symmetricDifference(["tag0", "tag\(number(5) + 1)"]))
    default: firm.tags = firm.tags.symmetricDifference(["tag\(number(6))"])
    }
  }

  private mutating func changeGuests(_ firm: Firm, _ name: String) {
    let guests = firm.kvo.guests.mutableSet()
    let all = firm.guests.sorted { $0.name < $1.name }
    guard let guest = element(of: all), all.count < most else {
      guests.replaceAll(with: [Worker(name, salary: number(100))])
      return
    }
    switch number(6) {
    case 0, 1: guests.insert(Worker(name, salary: number(100)))
    case 2: guests.remove(guest)
    case 3: if let worker = element(of: firm.everyone) { firm.guests.insert(worker) }
    case 4: guests.replaceAll(with: [guest, Worker(name)])
    default: firm.guests.remove(guest)
    }
  }

  private mutating func changeBudget(_ firm: Firm) {
    switch number(4) {
    case 0: firm.budget = ["key\(number(4))": number(10), "key\(number(4))x": 1]
    case 1: firm.budget["key\(number(4))"] = nil
    default: firm.budget["key\(number(4))"] = number(10)
    }
  }

  private mutating func changeDesks(_ firm: Firm, _ name: String) {
    switch number(4) {
    case 0: firm.desks["desk\(number(4))"] = Worker(name)
    case 1: firm.desks["desk\(number(4))"] = nil
    default: firm.desks["desk\(number(4))"] = element(of: firm.everyone)
    }
  }

  private mutating func changeTeams(_ firm: Firm, _ name: String) {
    if isOnce(in: 3) { return changeCycles(firm, name) }
    guard let team = element(of: firm.teams), firm.teams.count < 5 else {
      if firm.teams.count > 3 { firm.teams.removeFirst() }
      let team = Team()
      team.name = name
      team.members = element(of: firm.everyone).map { [$0] } ?? []
      firm.kvo.teams.mutableArray().append(team)
      return
    }
    let members = team.kvo.members.mutableArray()
    switch number(10) {
    case 0 where members.count < most: members.append(Worker(name))
    case 0: members.removeAll()
    case 1, 2: if let worker = element(of: firm.everyone) { members.insert(worker, at: 0) }
    case 3 where members.count > 0: members.remove(at: number(members.count))
    case 4 where members.count > 0: team.members.removeLast()
    case 5: team.lead = element(of: team.members)
    case 6: team.name = name
    case 7 where team.teams.count < 3:
      let inner = Team()
      inner.name = name
      inner.members = [Worker(name)]
      team.teams.append(inner)
    case 8 where !team.teams.isEmpty: team.teams.remove(at: number(team.teams.count))
    case 9: firm.teams.removeAll { $0 === team }
    default: firm.kvo.teams.mutableArray().append(Team())
    }
  }

  /// Joins and cuts cycles of teams.
  private mutating func changeCycles(_ firm: Firm, _ name: String) {
    let teams = firm.allTeams
    guard let team = element(of: teams), let other = element(of: teams) else {
      return firm.teams = [Team()]
    }
    switch number(8) {
    case 0, 1: team.partner = other
    case 2: team.partner = nil
    case 3 where team.teams.count < 3: team.teams.append(other)
    case 4: team.teams = []
    case 5 where firm.teams.count < 5: firm.teams.append(other)
    case 6 where !firm.teams.isEmpty: firm.teams.remove(at: number(firm.teams.count))
    default:
      let new = Team()
      new.name = name
      new.partner = team
      team.partner = new
    }
  }

  /// Moves a worker from one collection to another, in one transaction if it's in one.
  private mutating func move(_ firm: Firm) {
    guard let index = firm.workers.indices.randomElement(using: &numbers) else {
      if let worker = firm.past.first {
        firm.past.removeFirst()
        if firm.workers.count < most { firm.workers.append(worker) }
      }
      return
    }
    let worker = firm.workers[index]
    if firm.past.count >= most { firm.past.removeFirst(3) }
    switch number(4) {
    case 0: firm.guests.insert(worker)
    case 1: firm.desks["desk\(number(4))"] = worker
    default: firm.past.append(worker)
    }
    if number(3) > 0 { firm.workers.remove(at: index) }
  }
}
