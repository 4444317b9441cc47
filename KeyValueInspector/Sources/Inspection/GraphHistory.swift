import KeyValueObserving

/// The values of a log's graph at each of its records.
///
/// It's `KeyValueHistory` on data: a record or its inverse moves a snapshot, not a copy of the objects. So it
/// needs neither the classes nor the program's threads, and no copied object appears among the program's.
struct GraphHistory {
  private let limit: Int
  private let listedObjects: Int
  /// The values at `position`.
  private var present: KeyValueSnapshot
  private var records: [KeyValueTransactionRecord] = []
  /// The number of the first record's position: how many were forgotten.
  private(set) var first = 0
  private var position = 0
  /// Why the values may not be those of the positions: a record that is forgotten didn't fit.
  private var gap: String?

  init(_ beginning: KeyValueSnapshot, limit: Int = 5_000, listedObjects: Int = 300) {
    present = beginning
    self.limit = limit
    self.listedObjects = listedObjects
  }

  /// The position after the last record.
  var last: Int { first + records.count }

  mutating func take(_ new: [KeyValueTransactionRecord]) {
    records += new
    // Trimmed only occasionally, because removing records moves the others.
    guard records.count > 2 * limit else { return }
    let start = last - limit
    do {
      try go(to: max(position, start))
    } catch {
      gap =
        "A record before the first one kept doesn't fit, so these values may be wrong; call "
        + "showHistory(of:) again. \(LogWords.problem(error))"
      position = start
    }
    records.removeFirst(start - first)
    first = start
  }

  private mutating func go(to position: Int) throws {
    while self.position < position {
      try present.apply(records[self.position - first])
      self.position += 1
    }
    while self.position > position {
      try present.apply(records[self.position - 1 - first].inverse)
      self.position -= 1
    }
  }

  // MARK: The answer

  /// What the graph was after a number of records, and what the last of them changed.
  mutating func answer(at wanted: Int) -> HistoryAnswer {
    var problem = gap
    do {
      try go(to: min(max(wanted, first), last))
    } catch {
      // After a gap, a record that doesn't fit is a consequence.
      problem = problem ?? LogWords.problem(error)
    }
    let record = position > first ? records[position - 1 - first] : nil
    var before = present
    if let record { try? before.apply(record.inverse) }
    let words = LogWords(present, before)
    var changed: [KeyValueObjectID: Set<String>] = [:]
    for edit in record?.edits ?? [] {
      changed[edit.id, default: []].formUnion(edit.key.map { [$0] } ?? [])
    }
    let chosen = chosen(changed)
    return HistoryAnswer(
      first: first, last: last, position: position,
      title: title(record), edits: (record?.edits ?? []).prefix(100).map(words.edit),
      objects: chosen.compactMap { id in
        present.objects[id].map {
          object(id, $0, before.objects[id], changed[id] ?? [], words)
        }
      }, leftOut: present.objects.count - chosen.count, problem: problem)
  }

  private func title(_ record: KeyValueTransactionRecord?) -> String {
    guard let record else {
      return first == 0 ? "Before the first record" : "Before record \(first + 1), the first kept"
    }
    let kind = record.isTransaction ? "a transaction" : "one change"
    let from = if case .remote(let name) = record.origin { ", from \(name)" } else { "" }
    return "Record \(position) of \(last): \(kind)\(from)"
  }

  /// The objects that are listed, the root first, then by class: those that changed, and others as there is
  /// room.
  private func chosen(_ changed: [KeyValueObjectID: Set<String>]) -> [KeyValueObjectID] {
    let all = present.objects.sorted {
      ($0.key != present.root ? 1 : 0, $0.value.class, $0.key.description)
        < ($1.key != present.root ? 1 : 0, $1.value.class, $1.key.description)
    }.map(\.key)
    if all.count <= listedObjects { return all }
    var room = listedObjects - changed.keys.count { present.objects[$0] != nil }
    return Array(
      all.filter { id in
        if changed[id] != nil { return true }
        room -= 1
        return room >= 0
      }.prefix(listedObjects))
  }

  private func object(
    _ id: KeyValueObjectID, _ object: KeyValueSnapshot.Object, _ old: KeyValueSnapshot.Object?,
    _ changed: Set<String>, _ words: LogWords
  ) -> HistoryAnswer.Object {
    HistoryAnswer.Object(
      id: id.description, name: words.name(id), isNew: old == nil,
      keys: object.values.sorted { $0.key < $1.key }.map { key, value in
        HistoryAnswer.Key(
          key: key, value: words.value(value, of: key),
          old: changed.contains(key) ? old?.values[key].map { words.value($0, of: key) } : nil)
      })
  }
}

/// A log's values and edits in words, without those that are kept out of traces.
struct LogWords {
  private let snapshots: [KeyValueSnapshot]

  /// Objects are named by their classes in the first snapshot that has them.
  init(_ snapshots: KeyValueSnapshot...) {
    self.snapshots = snapshots
  }

  /// The class and the first digits of the id, by which records name the object, too.
  func name(_ id: KeyValueObjectID) -> String {
    let name = snapshots.lazy.compactMap { $0.objects[id]?.class }.first
    return "\(name.map(unqualified) ?? "object") \(id.description.prefix(8))"
  }

  private func unqualified(_ name: String) -> Substring {
    // A generic class's arguments have dots of their own.
    let plain = name.prefix { $0 != "<" }
    return plain.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name[...]
  }

  /// A value that a key has, or an entry of one.
  func value(_ value: KeyValueLogValue, of names: String...) -> String {
    names.contains(where: KeyValueTrace.isRedacted) ? Self.redacted : text(value)
  }

  /// Why a record doesn't fit.
  static func problem(_ error: any Error) -> String {
    let text = "\(error)"
    guard let details = (error as? KeyValueLogError)?.details, let reason = details.reason else {
      return text
    }
    // The reason has values, in which names are quoted.
    let names = [details.key ?? ""] + reason.split(separator: "\"").map { String($0) }
    guard names.contains(where: KeyValueTrace.isRedacted) else { return text }
    return text.replacing(reason, with: redacted)
  }

  private static let redacted = "redacted"

  private func text(_ value: KeyValueLogValue) -> String {
    switch value {
    case .null: return "nil"
    case .bool(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .number(let value): return "\(value)"
    case .string(let text):
      let longest = KeyValueTrace.Value.longestText
      return text.count <= longest
        ? text.debugDescription : String(text.prefix(longest)).debugDescription + "…"
    case .reference(let id): return name(id)
    case .array(let elements): return list(elements.prefix(Self.shown).map(text), elements.count)
    case .dictionary(let entries):
      if entries.isEmpty { return "[:]" }
      let shown = entries.sorted { $0.key < $1.key }.prefix(Self.shown)
      return list(
        shown.map { key, value in "\(key.debugDescription): \(self.value(value, of: key))" },
        entries.count)
    }
  }

  /// How many elements of a collection are listed.
  private static let shown = 5

  private func list(_ shown: [String], _ count: Int) -> String {
    let rest = count > shown.count ? ", … \(count) in all" : ""
    return "[\(shown.joined(separator: ", "))\(rest)]"
  }

  func edit(_ edit: KeyValueEdit) -> String {
    let subject = name(edit.id) + (edit.key.map { ".\($0)" } ?? "")
    let key = edit.key ?? ""
    func all(_ elements: [KeyValueLogValue]) -> String { value(.array(elements), of: key) }
    switch edit {
    case .create: return "\(subject) enters"
    case .delete: return "\(subject) leaves"
    case .set(_, _, let old, let new):
      return "\(subject): \(value(old, of: key)) → \(value(new, of: key))"
    case .insert(_, _, let indexes, let elements):
      return "\(subject): \(all(elements)) inserted\(place(indexes))"
    case .remove(_, _, let indexes, let elements):
      return "\(subject): \(all(elements)) removed\(place(indexes))"
    case .replace(_, _, let indexes, let old, let new):
      return "\(subject): \(all(old)) replaced\(place(indexes)) → \(all(new))"
    case .amend(_, _, let removed, let inserted):
      var parts: [String] = []
      if !removed.elements.isEmpty {
        parts.append("\(all(removed.elements)) left\(place(removed.indexes))")
      }
      if !inserted.elements.isEmpty {
        parts.append("\(all(inserted.elements)) came\(place(inserted.indexes))")
      }
      return "\(subject) is set: \(parts.isEmpty ? "equal" : parts.joined(separator: ", "))"
    case .union(_, _, let elements): return "\(subject): \(all(elements)) joined"
    case .subtract(_, _, let elements): return "\(subject): \(all(elements)) removed"
    case .exchange(_, _, let old, let new):
      return "\(subject): \(all(old)) removed, \(all(new)) joined"
    case .setEntry(_, _, let entry, let old, let new):
      let field = if case .string(let name) = entry { name } else { "" }
      let values = [old, new].map { $0.map { value($0, of: key, field) } ?? "none" }
      return "\(subject)[\(value(entry, of: key))]: \(values.joined(separator: " → "))"
    }
  }

  private func place(_ indexes: RangeSet<Int>) -> String {
    let ranges = indexes.ranges.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound - 1)"
    }
    return ranges.isEmpty ? "" : " at \(ranges.joined(separator: ", "))"
  }
}
