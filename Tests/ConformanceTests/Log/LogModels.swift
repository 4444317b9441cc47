import KeyValueObserving
import KeyValueTestSupport

@KeyValueObservable
class Worker: CustomStringConvertible {
  var name: String
  var salary = 0
  weak var mentor: Worker?
  var partner: Worker?
  var skills: [String] = []
  private var secret = 0

  required init() { name = "" }

  init(_ name: String) { self.name = name }

  var description: String { name }

  func keepSecret(_ secret: Int) { self.secret = secret }
}

@KeyValueObservable
final class Boss: Worker {
  var reports: [Worker] = []
}

enum Mood: String, Codable {
  case fine, grim
}

struct Address: Codable, Equatable {
  var street = ""
  var number = 0
}

@KeyValueObservable
final class Site {
  var city = ""
}

@KeyValueObservable
final class Firm {
  var name = "Engines"
  var workers: [Worker] = []
  var guests: [Worker] = []
  var bySeat: [String: Worker] = [:]
  var prices: [String: Int] = [:]
  var labels: Set<String> = []
  var address = Address()
  var mood = Mood.fine
  var motto: String?
  weak var star: Worker?
  let site = Site()
  @NotifiesManually var manual = 0
  @KeyValueIgnored var scratch: () -> Void = {}
  @KeyValueIgnored var trace: [String] = []
  var watched = 0 { didSet { trace.append("\(oldValue)->\(watched)") } }

  var payroll: Int { workers.reduce(0) { $0 + $1.salary } }
}

/// Records as lines, with the names that a test gives to objects instead of ids.
final class RecordLog {
  private(set) var records: [KeyValueTransactionRecord] = []
  private var names: [KeyValueObjectID: String] = [:]
  private var token: KeyValueObservation?

  init<Root>(_ log: KeyValueChangeLog<Root>) {
    token = log.observe { [unowned self] in records.append($0) }
  }

  func name(_ id: KeyValueObjectID?, _ name: String) {
    if let id { names[id] = name }
  }

  /// The edits since the last call, a record in braces.
  func take() -> [String] {
    defer { records = [] }
    return records.map { record in
      let edits = record.edits.map { edit in named("\(edit)") }
      let kind = record.isTransaction ? "transaction" : "change"
      let origin = if case .remote(let name) = record.origin { " from \(name)" } else { "" }
      return "\(kind)\(origin): \(edits.joined(separator: "; "))"
    }
  }

  private func named(_ text: String) -> String {
    names.reduce(text) { text, entry in
      text.replacing("\(entry.key)".prefix(8), with: entry.value)
    }
  }

  func stop() { token = nil }
}

/// The end of the message about what a recorder of graphs can't undo after a change that it hasn't recorded.
let changedOutsideOfGraph =
  "; something changed it without being recorded, as while the object was outside of the graph. Set it back, or "
  + "begin anew with the recorder's removeAll()."
