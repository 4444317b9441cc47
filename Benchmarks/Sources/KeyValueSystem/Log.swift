import BenchmarkSupport
import Foundation
import KeyValueObserving

// W22 to W26: a log of a graph, and a recorder.

@KeyValueObservable
private final class Member {
  var count = 0
  var label = ""
}

@KeyValueObservable
private final class Team {
  var members: [Member] = []
  var lines: [String] = []

  init() {}

  init(_ count: Int) {
    members = (0..<count).map { index in
      let member = Member()
      member.count = index
      return member
    }
  }
}

@KeyValueObservable
private final class Order {
  var customer: Customer?
}

@KeyValueObservable
private final class Customer {
  var orders: [Order] = []
}

/// Its customers and their orders lead to each other.
@KeyValueObservable
private final class Shop {
  var customers: [Customer] = []
  var orders: [Order] = []

  init() {}

  init(_ count: Int) {
    let customers = (0..<count / 100).map { _ in Customer() }
    self.customers = customers
    orders = (0..<count).map { index in
      let (order, customer) = (Order(), customers[index % customers.count])
      order.customer = customer
      customer.orders.append(order)
      return order
    }
  }
}

@inline(never) private func set(_ member: Member, _ value: Int) { member.count = value }
@inline(never) private func set(_ order: Order, _ customer: Customer) { order.customer = customer }

let logContenders: [Contender] =
  [
    Contender(.loggedSet(isListening: false), System.keyValue) { operations, tally in
      let member = Member()
      let log = try KeyValueChangeLog(of: member)
      let time = nanoseconds { for step in 1...operations { set(member, step) } }
      withExtendedLifetime(log) {}
      tally.checksum = member.count
      return time
    },
    Contender(.loggedSet(isListening: true), System.keyValue) { operations, tally in
      let member = Member()
      let log = try KeyValueChangeLog(of: member)
      let token = log.observe { record in
        for edit in record.edits {
          if case .set(_, _, .integer(let old), .integer(let new)) = edit {
            tally.record(old: old, new: new)
          }
        }
      }
      let time = nanoseconds { for step in 1...operations { set(member, step) } }
      token.invalidate()
      return time
    },
    Contender(.loggedReference, System.keyValue) { operations, tally in
      let shop = Shop(Workload.loggedObjects)
      let (orders, customers) = (shop.orders, shop.customers)
      func order(_ step: Int) -> Order { orders[step % orders.count] }
      func customer(_ step: Int) -> Customer { customers[step * 7 % customers.count] }
      let time: Double
      do {
        let log = try KeyValueChangeLog(of: shop)
        time = nanoseconds { for step in 1...operations { set(order(step), customer(step)) } }
        withExtendedLifetime(log) {}
      }
      let isSet = order(operations).customer === customer(operations)
      tally.checksum = isSet ? operations : 0
      // They keep each other.
      for customer in customers { customer.orders = [] }
      return time
    },
    Contender(.recordedSet, System.keyValue) { operations, tally in
      let member = Member()
      let recorder = KeyValueChangeRecorder(levelsOfUndo: Workload.keptLevels)
      try recorder.record(member, "count")
      let time = nanoseconds { for step in 1...operations { set(member, step) } }
      try recorder.undo()
      tally.checksum = member.count
      return time
    },
    Contender(.recordedSet, System.graph) { operations, tally in
      let member = Member()
      let recorder = KeyValueChangeRecorder(levelsOfUndo: Workload.keptLevels)
      try recorder.record(graph: member)
      let time = nanoseconds { for step in 1...operations { set(member, step) } }
      try recorder.undo()
      tally.checksum = member.count
      return time
    },
    Contender(.loggedMemory, System.keyValue) { operations, tally in
      let team = Team(operations)
      let before = memoryInUse()
      let log = try KeyValueChangeLog(of: team)
      let after = memoryInUse()
      let token = log.observe { _ in tally.notifications += 1 }
      for member in team.members { member.count += 1 }
      token.invalidate()
      return Double(after - before)
    },
  ]
  + Workload.GraphTask.allCases.map { task in
    Contender(.graph(task), System.keyValue) {
      let subject = try GraphSubject()
      return { operations in
        let tally = Tally()
        let time = try subject.perform(task, operations, tally)
        return Reading(total: time, tally)
      }
    }
  }
  + [
    Contender(.recordedAppends(isApplied: false), System.keyValue) { operations, tally in
      let team = Team()
      let log = try KeyValueChangeLog(of: team)
      let token = log.observe { record in tally.record(record.appended) }
      let time = nanoseconds { for _ in 0..<operations { append(to: team) } }
      token.invalidate()
      return time
    },
    Contender(.recordedAppendsInPlace, System.keyValue) { operations, tally in
      let team = Team()
      let log = try KeyValueChangeLog(of: team)
      let token = log.observe { record in tally.record(record.appended) }
      var time = 0.0
      for _ in 0..<operations {
        time += nanoseconds { appendInPlace(to: team) }
        team.lines = []
      }
      token.invalidate()
      return time
    },
    Contender(.recordedAppends(isApplied: true), System.keyValue) { operations, tally in
      let team = Team()
      let log = try KeyValueChangeLog(of: team)
      let replica = try KeyValueChangeLog(restoring: log.snapshot(), as: Team.self)
      var records: [KeyValueTransactionRecord] = []
      let token = log.observe { records.append($0) }
      append(to: team)
      token.invalidate()
      var time = 0.0
      for _ in 0..<operations {
        time += try nanoseconds { try replica.apply(records[0]) }
        tally.checksum += replica.root.lines.count
        replica.root.lines = []
      }
      return time
    },
  ]

@inline(never) private func append(to team: Team) {
  KeyValueTransaction.perform {
    let lines = team.mutableArrayValue(for: \.lines)
    for _ in 0..<Workload.loggedAppends { lines.append("line") }
  }
}

@inline(never) private func appendInPlace(to team: Team) {
  KeyValueTransaction.perform {
    for _ in 0..<Workload.loggedAppends { team.lines.append("line") }
  }
}

extension KeyValueTransactionRecord {
  /// The number of elements that the record inserts.
  fileprivate var appended: Int {
    edits.reduce(0) { count, edit in
      switch edit {
      case .insert(_, _, _, let elements): count + elements.count
      case .amend(_, _, _, let inserted): count + inserted.elements.count
      default: count
      }
    }
  }
}

/// The graph of W25, with what its tasks need.
private final class GraphSubject {
  private let team = Team(Workload.loggedObjects)
  /// A graph without a log.
  private let other = Team(Workload.loggedObjects)
  private let log: KeyValueChangeLog<Team>
  private let replica: KeyValueChangeLog<Team>
  private let snapshots: [KeyValueSnapshot]
  private let json: [UInt8]
  /// The same as another text.
  private let data: Data

  init() throws {
    log = try KeyValueChangeLog(of: team)
    let first = try log.snapshot()
    team.members[0].count = 1
    snapshots = [first, try log.snapshot()]
    team.members[0].count = 0
    replica = try KeyValueChangeLog(restoring: first, as: Team.self)
    json = try first.json()
    data = try JSONEncoder().encode(first)
  }

  /// What a task has made.
  ///
  /// In an `Any`, an array of bytes would be looked at through Foundation's bridges.
  private enum Product {
    case log(KeyValueChangeLog<Team>)
    case snapshot(KeyValueSnapshot)
    case bytes([UInt8])
    case data(Data)
  }

  func perform(_ task: Workload.GraphTask, _ operations: Int, _ tally: Tally) throws -> Double {
    var products: [Product] = []
    let time = try nanoseconds {
      for step in 1...operations {
        switch task {
        case .attach:
          let log = try KeyValueChangeLog(of: other)
          tally.checksum += log.root.members.count + 1
        case .snapshot: products.append(.snapshot(try log.snapshot()))
        case .restore:
          products.append(.log(try KeyValueChangeLog(restoring: snapshots[0], as: Team.self)))
        case .encode: products.append(.bytes(try snapshots[0].json()))
        case .decode: products.append(.snapshot(try KeyValueSnapshot(json: json)))
        case .encodeByFoundation: products.append(.data(try JSONEncoder().encode(snapshots[0])))
        case .decodeByFoundation:
          products.append(.snapshot(try JSONDecoder().decode(KeyValueSnapshot.self, from: data)))
        case .apply:
          try replica.apply(snapshots[step & 1])
          tally.checksum += replica.root.members[0].count
        }
      }
    }
    for product in products {
      let count: Int? =
        switch product {
        case .log(let log): log.root.members.count + 1
        case .snapshot(let snapshot): snapshot.objects.count
        case .bytes(let bytes): bytes.count == json.count ? Workload.loggedObjects + 1 : nil
        case .data(let data): data.count == self.data.count ? Workload.loggedObjects + 1 : nil
        }
      tally.checksum += count ?? 0
    }
    return time
  }
}
