import Foundation
import KeyValueObserving

/// A graph with a log, and a second graph that gets the records as JSON.
///
/// The two are compared after each step of the program: what their logs would save, and what their observers have
/// been told. At the end the inverses lead the second graph back to where it began.
final class LoggedGraph {
  private let log: KeyValueChangeLog<FuzzNode>
  private let copy: KeyValueChangeLog<FuzzNode>
  private let start: KeyValueSnapshot
  /// The first snapshot, to which the records are applied as data.
  private var data: KeyValueSnapshot
  private var records: [KeyValueTransactionRecord] = []
  private var token: KeyValueObservation?
  private var problem: String?

  private let here = Told()
  private let there = Told()
  private var observations: [KeyValueObservation] = []

  /// What the observers of one graph have been told since the last comparison.
  private final class Told {
    var lines: [Occurrence] = []
    /// What the last line was told as.
    private var last: Occurrence?

    /// Adds the change of a collection that may be recorded as a whole.
    ///
    /// A set's members that leave and enter in one change are one call where an operation of a proxy made the
    /// change, and two where it's a setting. Both calls become the same setting.
    func appendRecorded(_ line: Occurrence, leaving present: FuzzValue) {
      let recorded = line.asRecorded(leaving: present)
      let isSecondHalf = recorded == lines.last && last?.kind == .removal && line.kind == .insertion
      last = line
      if !isSecondHalf { lines.append(recorded) }
    }
  }

  private static var classes: [KeyValueLogClass] {
    [
      KeyValueLogClass(FuzzNode.self) { FuzzNode(try $0.value("serial")) { _ in } },
      KeyValueLogClass(FuzzLeader.self) { FuzzLeader(try $0.value("serial")) { _ in } },
      KeyValueLogClass(FuzzBadge.self) { FuzzBadge(try $0.value("serial")) { _ in } },
      KeyValueLogClass(FuzzCoin.self) { FuzzCoin(try $0.value("serial")) { _ in } },
    ]
  }

  /// Logs the graph of a root.
  ///
  /// `comparesCalls` is whether observers of both graphs have to be told the same. They aren't if a callback
  /// makes changes while others are in progress.
  init(of root: FuzzNode, comparesCalls: Bool) throws {
    log = try KeyValueChangeLog(of: root, classes: LoggedGraph.classes)
    start = try KeyValueSnapshot(json: log.snapshot().json())
    data = start
    copy = try KeyValueChangeLog(
      restoring: start, as: FuzzNode.self, classes: LoggedGraph.classes)
    if comparesCalls { try observe() }
    token = log.observe { [unowned self] in follow($0) }
  }

  private func follow(_ record: KeyValueTransactionRecord) {
    guard problem == nil else { return }
    do {
      // Foundation's coders and the library's own are interchangeable.
      let sent = try KeyValueTransactionRecord(json: JSONEncoder().encode(record))
      if sent != record { return problem = "\(record)\nis in JSON\n\(sent)" }
      let decoded = try JSONDecoder().decode(
        KeyValueTransactionRecord.self, from: Data(record.json()))
      if decoded != record { return problem = "\(record)\nis in the library's JSON\n\(decoded)" }
      if record.inverse.inverse != record {
        return problem = "\(record)\nisn't its inverse's inverse"
      }
      records.append(sent)
      try data.apply(sent)
      try copy.apply(sent)
    } catch {
      problem = "\(error)\nin \(record)"
    }
  }

  // MARK: Observers

  private static let paths = [
    "number", "text", "note", "next", "items", "group", "values", "marks", "shelf", "width",
    "rack", "flags", "badge", "folder", "label", "total", "load", "filed", "next.number",
    "next.items", "items.number", "items.@sum.number", "items.@max.number", "items.next.text",
    "group.@sum.number", "folder.a.number", "badge.count", "tag", "tags", "seals", "slips", "coin",
    "coins", "purse", "coin.face", "coins.face", "coins.@sum.face", "purse.@sum.face",
    "wishes", "crew", "signs", "crew.number", "crew.@sum.number", "muster", "index",
  ]

  /// Collections that may be nil, and sets whose members may make way for equal ones.
  private static let collectionsRecordedWhole: Set<String> = [
    "wishes", "crew", "signs", "seals", "purse",
  ]

  private func observe() throws {
    for (root, told) in [(log.root, here), (copy.root, there)] {
      for path in LoggedGraph.paths {
        for options in [[.old, .new], [.old, .new, .elementChanges]]
          as [KeyValueObservingOptions]
        {
          observations.append(
            try root.observe(path, options: options) { object, change in
              let line = change.told("\(path) \(options)", object)
              guard LoggedGraph.collectionsRecordedWhole.contains(path) else {
                return told.lines.append(line)
              }
              let present = FuzzValue((try? object.value(forKey: path)) ?? nil)
              told.appendRecorded(line, leaving: present)
            })
        }
      }
    }
  }

  // MARK: Comparing

  /// The first difference; nil if there's none.
  func difference() -> String? {
    if let problem { return problem }
    do {
      let (now, other) = (try log.snapshot(), try copy.snapshot())
      let last = records.last.map { "\($0)" } ?? "no record"
      if now != data { return "the records give\n\(data.differences(from: now))\nlast \(last)" }
      if now != other {
        return "the second graph is\n\(other.differences(from: now))\nlast \(last)"
      }
      let (heard, repeated) = (here.lines, there.lines)
      (here.lines, there.lines) = ([], [])
      if heard == repeated { return nil }
      func text(_ lines: [Occurrence]) -> String {
        lines.map { "\($0)" }.joined(separator: "\n")
      }
      return
        "the second graph's observers are told\n\(text(repeated))\nnot\n\(text(heard))\nlast \(last)"
    } catch {
      return "\(error)"
    }
  }

  /// Takes all changes back, and brings them back at once.
  func lastDifference() -> String? {
    token = nil
    var last: KeyValueTransactionRecord?
    do {
      let end = try log.snapshot()
      for record in records.reversed() {
        last = record.inverse
        try copy.apply(record.inverse)
      }
      let back = try copy.snapshot()
      if back != start { return "the inverses lead to\n\(back.differences(from: start))" }
      try copy.apply(KeyValueSnapshot(json: end.json()))
      let forth = try copy.snapshot()
      if forth != end { return "the snapshot gives\n\(forth.differences(from: end))" }
      return nil
    } catch {
      return "\(error)\nin \(last.map { "\($0)" } ?? "the snapshot")"
    }
  }

  /// Breaks the second graph's cycles.
  func takeApart() {
    observations = []
    let nodes = data.objects.keys.compactMap { copy.object($0) as? FuzzNode }
    for node in nodes { node.letGoOfObjects() }
  }
}

extension Occurrence {
  fileprivate var kind: KeyValueChangeKind? {
    if case .change(let told) = self { told.kind } else { nil }
  }

  /// The change of a collection, as a setting if it makes the whole collection.
  ///
  /// What makes a nil collection, or exchanges a set's members for equal ones, is recorded as a setting, though its
  /// observers are told of elements.
  fileprivate func asRecorded(leaving present: FuzzValue) -> Occurrence {
    guard case .change(var told) = self, let whole = present.elements else { return self }
    let isWhole =
      switch told.kind {
      case .setting: told.old == .some(FuzzValue.none)
      case .replacement: false
      default: told.old?.elements?.isEmpty ?? true && told.new?.elements?.count ?? 0 == whole.count
      }
    if case .bag = present {} else if !isWhole { return self }
    (told.kind, told.old, told.new, told.indexes) = (.setting, FuzzValue.none, present, nil)
    return .change(told)
  }
}

extension KeyValueSnapshot {
  /// The values that differ from those of another snapshot.
  fileprivate func differences(from other: KeyValueSnapshot) -> String {
    var lines: [String] = []
    for id in Set(objects.keys).union(other.objects.keys) {
      let (values, others) = (objects[id]?.values, other.objects[id]?.values)
      let serial = (values ?? others)?["serial"].map { "n\($0)" } ?? ""
      guard let values, let others else {
        lines.append("\(serial) \("\(id)".prefix(8)) \(values == nil ? "missing" : "in excess")")
        continue
      }
      for (key, value) in values where value != others[key] {
        let other = others[key].map { "\($0)" } ?? "absent"
        lines.append("\(serial) \("\(id)".prefix(8)).\(key) \(value), not \(other)")
      }
    }
    return lines.sorted().joined(separator: "\n")
  }
}

/// Runs a program with logs.
struct LoggedRun {
  let program: Program
  /// Whether the program has no callbacks that change anything.
  let isCalm: Bool

  /// The step after which the graphs differ, and how.
  func run() -> (step: Int, problem: String)? {
    let executor = Executor()
    // Objects tell it when they die, and the graphs may hold the last ones.
    return withExtendedLifetime(executor) { run(executor) }
  }

  // Not inlined, so that the graphs are released at its end.
  @inline(never)
  private func run(_ executor: Executor) -> (step: Int, problem: String)? {
    var graphs: [LoggedGraph] = []
    var found: (step: Int, problem: String)?
    func log(_ root: FuzzNode, _ step: Int) {
      do {
        graphs.append(try LoggedGraph(of: root, comparesCalls: isCalm && graphs.isEmpty))
      } catch {
        found = (step, "\(error)")
      }
    }
    let half = program.operations.count / 2
    _ = executor.run(program) { step in
      if found != nil { return }
      if step == -1 {
        found = graphs.compactMap { $0.lastDifference() }.first.map { (step, $0) }
        return graphs.forEach { $0.takeApart() }
      }
      found = graphs.compactMap { $0.difference() }.first.map { (step, $0) }
      if found != nil { return }
      if graphs.isEmpty, let root = executor.living.first { log(root, step) }
      // A second log of objects that the first may follow, and of others.
      if step == half, let root = executor.living.last { log(root, step) }
    }
    return found
  }
}
