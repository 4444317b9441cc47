@_spi(Replication) import KeyValueCore

/// The objects that values of a graph have inside, as a structure's property is, or the key of a dictionary, and
/// where.
///
/// Such an object belongs to the graph because of another key. If it left, no program could read the value any more.
struct InnerObjects {
  private let model: Model
  /// How often a value has an object inside.
  private var counts: [KeyValueObjectID: [Place: Int]] = [:]
  /// The answers of the model, which takes longer.
  private var answers: [String: [String: Answer]] = [:]

  private struct Answer {
    let isInside: Bool
    let isUnowned: Bool
  }

  init(_ model: Model) { self.model = model }

  /// Notes all values of a graph.
  mutating func note(_ state: KeyValueSnapshot) {
    for (id, object) in state.objects { add(object.values, of: id, object.class) }
  }

  /// Notes what a record has changed.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - className: The class of an object of the graph; nil for one that has left.
  /// - Complexity: Linear in the size of the record.
  mutating func note(
    _ record: KeyValueTransactionRecord, className: (KeyValueObjectID) -> String?
  ) {
    for edit in record.edits {
      switch edit {
      case .create(let id, let name, let values): add(values, of: id, name)
      case .delete(let id, _, let values):
        if counts.isEmpty { break }
        for (key, value) in values {
          value.forEachReferencedObject { remove($0, from: Place(id, key), all: true) }
        }
      default:
        guard let key = edit.key else { break }
        if !counts.isEmpty {
          edit.inverse.forEachWrittenReference { remove($0, from: Place(edit.id, key)) }
        }
        var answer: Bool?
        edit.forEachWrittenReference { target in
          if answer == nil, let name = className(edit.id) { answer = isInside(key, name) }
          if answer == true { add(target, to: Place(edit.id, key)) }
        }
      }
    }
  }

  /// Finds an object that a record lets leave although a value has it inside.
  ///
  /// - Parameter record: A record that has been noted.
  /// - Returns: The object, its class, and where the value is; nil if there's none.
  func left(
    by record: KeyValueTransactionRecord
  ) -> (id: KeyValueObjectID, className: String, place: Place)? {
    if counts.isEmpty { return nil }
    var gone: [KeyValueObjectID: String] = [:]
    for edit in record.edits {
      switch edit {
      case .delete(let id, let name, _): gone[id] = name
      case .create(let id, _, _): gone[id] = nil
      default: break
      }
    }
    let places = gone.keys.compactMap { id in counts[id]?.keys.min().map { (id: id, place: $0) } }
    guard let first = places.min(by: { $0.place < $1.place }) else { return nil }
    return (first.id, gone[first.id] ?? "", first.place)
  }

  private mutating func add(
    _ values: [String: KeyValueLogValue], of id: KeyValueObjectID, _ className: String
  ) {
    for (key, value) in values {
      // Asked once, and not at all for the usual values.
      var answer: Bool?
      value.forEachReferencedObject { target in
        if answer == nil { answer = isInside(key, className) }
        if answer == true { add(target, to: Place(id, key)) }
      }
    }
  }

  private mutating func add(_ target: KeyValueObjectID, to place: Place) {
    counts[target, default: [:]][place, default: 0] += 1
  }

  private mutating func remove(
    _ target: KeyValueObjectID, from place: Place, all: Bool = false
  ) {
    guard let count = counts[target]?[place] else { return }
    if count > 1, !all {
      counts[target]![place] = count - 1
    } else {
      counts[target]![place] = nil
      if counts[target]!.isEmpty { counts[target] = nil }
    }
  }

  private mutating func isInside(_ key: String, _ className: String) -> Bool {
    answer(key, className).isInside
  }

  /// Whether a key's reference doesn't keep its object in the graph, but can't be nil either.
  mutating func isUnowned(_ key: String, _ className: String) -> Bool {
    answer(key, className).isUnowned
  }

  private mutating func answer(_ key: String, _ className: String) -> Answer {
    if let known = answers[className]?[key] { return known }
    let answer = Answer(
      isInside: model.isInside(className, key), isUnowned: model.isUnowned(className, key))
    answers[className, default: [:]][key] = answer
    return answer
  }
}
