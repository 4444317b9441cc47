import BenchmarkSupport
import Foundation

// W22, W23, W25 and W26: each property's `didSet` notes its change. Unsupported: objects that enter and leave,
// removing observers, transactions of several objects, and rolling back.

private enum Value: Codable {
  case integer(Int)
  case string(String)
  case elements([String])
}

private struct Edit: Codable {
  var object: Int
  var key: String
  var old: Value
  var new: Value
}

private final class Log {
  var observer: ([Edit]) -> Void = { _ in }
  private var depth = 0
  private var edits: [Edit] = []

  func note(_ edit: Edit) {
    if depth == 0 { observer([edit]) } else { edits.append(edit) }
  }

  func performChanges(_ body: () -> Void) {
    depth += 1
    body()
    depth -= 1
    guard depth == 0 else { return }
    let all = edits
    edits = []
    observer(all)
  }
}

private final class Member {
  let id: Int
  let log: Log?
  var count = 0 {
    didSet {
      log?.note(
        Edit(object: id, key: "count", old: .integer(oldValue), new: .integer(count)))
    }
  }
  var label = "" {
    didSet {
      log?.note(
        Edit(object: id, key: "label", old: .string(oldValue), new: .string(label)))
    }
  }

  init(id: Int = 0, _ log: Log?) {
    self.id = id
    self.log = log
  }
}

private final class Lines {
  let log: Log?
  private(set) var lines: [String] = []

  init(_ log: Log?) { self.log = log }

  func append(_ line: String) {
    lines.append(line)
    log?.note(Edit(object: 0, key: "lines", old: .elements([]), new: .elements([line])))
  }
}

/// Undoes the sets of one property by closures.
private final class UndoStack {
  private var levels: [() -> Void] = []
  private var isUndoing = false

  func note(_ inverse: @escaping () -> Void) {
    if isUndoing { return }
    levels.append(inverse)
    if levels.count > Workload.keptLevels { levels.removeFirst() }
  }

  func undo() {
    isUndoing = true
    levels.popLast()?()
    isUndoing = false
  }
}

private final class Undoable {
  let stack = UndoStack()
  var count = 0 {
    didSet { stack.note { [unowned self, oldValue] in count = oldValue } }
  }
}

private struct MemberData: Codable {
  var id: Int
  var `class` = "Member"
  var count: Int
  var label: String
}

@inline(never) private func set(_ member: Member, _ value: Int) { member.count = value }
@inline(never) private func set(_ object: Undoable, _ value: Int) { object.count = value }
@inline(never) private func append(to lines: Lines, _ log: Log) {
  log.performChanges { for _ in 0..<Workload.loggedAppends { lines.append("line") } }
}

private func elements(_ value: Value) -> [String] {
  if case .elements(let elements) = value { elements } else { [] }
}

let logContenders: [Contender] =
  [
    Contender(.loggedSet(isListening: true), System.handWritten) { operations, tally in
      let log = Log()
      let member = Member(log)
      log.observer = { edits in
        for edit in edits {
          if case (.integer(let old), .integer(let new)) = (edit.old, edit.new) {
            tally.record(old: old, new: new)
          }
        }
      }
      return nanoseconds { for step in 1...operations { set(member, step) } }
    },
    Contender(.recordedSet, System.handWritten) { operations, tally in
      let object = Undoable()
      let time = nanoseconds { for step in 1...operations { set(object, step) } }
      object.stack.undo()
      tally.checksum = object.count
      return time
    },
    Contender(.recordedAppends(isApplied: false), System.handWritten) { operations, tally in
      let log = Log()
      let lines = Lines(log)
      log.observer = { edits in tally.record(edits.reduce(0) { $0 + elements($1.new).count }) }
      return nanoseconds { for _ in 0..<operations { append(to: lines, log) } }
    },
    Contender(.recordedAppends(isApplied: true), System.handWritten) { operations, tally in
      let log = Log()
      var records: [[Edit]] = []
      log.observer = { records.append($0) }
      let lines = Lines(log)
      for _ in 0..<operations { append(to: lines, log) }
      let replica = Lines(nil)
      let time = nanoseconds {
        for record in records {
          for edit in record { for element in elements(edit.new) { replica.append(element) } }
        }
      }
      tally.checksum = replica.lines.count
      return time
    },
  ]
  + [Workload.GraphTask.snapshot, .restore, .encode, .decode].map { task in
    Contender(.graph(task), System.handWritten) {
      let members = (0...Workload.loggedObjects).map { id in
        let member = Member(id: id, nil)
        member.count = id
        return member
      }
      let snapshot = data(of: members)
      let json = try JSONEncoder().encode(snapshot)
      return { operations in
        let tally = Tally()
        var results: [Int] = []
        let time = try nanoseconds {
          for _ in 0..<operations {
            switch task {
            case .snapshot: results.append(data(of: members).count)
            case .restore: results.append(restored(snapshot).count)
            case .decode:
              results.append(try JSONDecoder().decode([MemberData].self, from: json).count)
            default:
              let isWhole = try JSONEncoder().encode(snapshot).count == json.count
              results.append(isWhole ? members.count : 0)
            }
          }
        }
        tally.checksum = results.reduce(0, +)
        return Reading(total: time, tally)
      }
    }
  }

@inline(never) private func data(of members: [Member]) -> [MemberData] {
  members.map { MemberData(id: $0.id, count: $0.count, label: $0.label) }
}

@inline(never) private func restored(_ data: [MemberData]) -> [Member] {
  data.map { values in
    let member = Member(id: values.id, nil)
    member.count = values.count
    member.label = values.label
    return member
  }
}
