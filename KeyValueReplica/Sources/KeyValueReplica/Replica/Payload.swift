import Foundation
@_spi(Replication) import KeyValueCore

/// Records and snapshots as a store keeps them: JSON.
enum Payload {
  /// Encodes the first records, until they have so many bytes or more.
  @concurrent
  static func encode(
    _ records: [KeyValueTransactionRecord], author: String, upTo limit: Int = .max
  ) async throws -> [LogTransaction] {
    var encoded: [LogTransaction] = []
    var bytes = 0
    for record in records {
      if bytes >= limit { break }
      let payload = Data(try record.json())
      bytes += payload.count
      encoded.append(LogTransaction(id: uuid(of: record.id), author: author, payload: payload))
    }
    return encoded
  }

  /// Decodes each record by itself, so that the others are read where one can't be.
  @concurrent
  static func decode(
    _ records: [LogRecord]
  ) async -> [Result<KeyValueTransactionRecord, any Error>] {
    records.map { stored in
      Result<KeyValueTransactionRecord, any Error> {
        var record = try KeyValueTransactionRecord(json: stored.transaction.payload)
        record.origin = .remote(stored.transaction.author)
        return record
      }
    }
  }

  /// The most objects in a line of a snapshot.
  private static var lineLength: Int { 1_000 }

  /// A snapshot as lines, each a snapshot in JSON with some of the objects, so that they're read at once.
  @concurrent
  static func encode(_ snapshot: KeyValueSnapshot) async throws -> Data {
    var data = Data()
    var part = KeyValueSnapshot(root: snapshot.root, schema: snapshot.schema)
    func end() throws {
      data += try part.json()
      data.append(UInt8(ascii: "\n"))
      part.objects = [:]
    }
    for (id, object) in snapshot.objects {
      part.objects[id] = object
      if part.objects.count == lineLength { try end() }
    }
    if !part.objects.isEmpty || data.isEmpty { try end() }
    return data
  }

  @concurrent
  static func decodeSnapshot(_ data: Data) async throws -> KeyValueSnapshot {
    let lines = lines(of: data)
    return try await withThrowingTaskGroup(of: KeyValueSnapshot.self) { group in
      for line in lines {
        group.addTask { try KeyValueSnapshot(json: line) }
      }
      guard var snapshot = try await group.next() else {
        // There's no line; this says so.
        return try KeyValueSnapshot(json: data)
      }
      snapshot.objects.reserveCapacity(lines.count * snapshot.objects.count)
      while let part = try await group.next() {
        snapshot.objects.merge(part.objects) { $1 }
      }
      return snapshot
    }
  }

  /// The lines, without copying them.
  ///
  /// `Data` looks at each byte through several calls, which took as long as decoding; a raw buffer doesn't.
  private static func lines(of data: Data) -> [Data] {
    let ends = data.withUnsafeBytes { bytes in
      bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    }
    var lines: [Data] = []
    var start = 0
    for end in ends + [data.count] {
      if start < end { lines.append(data[data.startIndex + start..<data.startIndex + end]) }
      start = end + 1
    }
    return lines
  }

  static func uuid(of id: KeyValueRecordID) -> UUID { UUID(uuidString: "\(id)")! }
}

extension KeyValueTransactionRecord {
  /// The record of a program of an older schema, so that it fits a state: an object that it deletes has the keys
  /// that the state knows in addition.
  func fitting(
    _ object: (KeyValueObjectID) throws -> KeyValueSnapshot.Object?
  ) rethrows -> KeyValueTransactionRecord {
    var record = self
    record.edits = try edits.map { edit in
      guard case .delete(let id, let name, let values) = edit, let object = try object(id),
        values.count < object.values.count
      else { return edit }
      return .delete(id, class: name, values: object.values.merging(values) { $1 })
    }
    return record
  }
}

extension KeyValueEdit {
  /// The edit without the values of keys that the program doesn't know; nil if it's of such a key.
  func known(_ isKnown: (_ key: String) -> Bool) -> KeyValueEdit? {
    switch self {
    case .create(let id, let name, let values):
      return .create(id, class: name, values: values.filter { isKnown($0.key) })
    case .delete(let id, let name, let values):
      return .delete(id, class: name, values: values.filter { isKnown($0.key) })
    default:
      if let key, !isKnown(key) { return nil }
      return self
    }
  }
}

extension KeyValueTransactionRecord {
  /// The record with a state's values in place of those that it expects, where both agree.
  ///
  /// - Parameters:
  ///   - state: What the record is to be applied to.
  ///   - isSame: Whether what an edit expects of a key is what is there; elements always have to agree.
  /// - Returns: The record; from the first edit on that doesn't fit all the same, the edits are as they were.
  func agreeing(
    with state: KeyValueSnapshot,
    isSame: (KeyValueLogValue, KeyValueLogValue) -> Bool = { $0.agrees(with: $1) }
  ) -> KeyValueTransactionRecord {
    fitted(to: state) { _, _, expected, present in
      isSame(expected, present)
    } isSameElement: { _, _, expected, present in
      expected.agrees(with: present)
    } form: { _, _, _ in
      // Whether two agree isn't seen from each alone.
      .null
    }
  }
}

extension KeyValueSnapshot {
  /// Applies a record that was made by a program of a newer schema, or on a newer one's values: a key that the
  /// snapshot lacks gets the value that the record expects.
  ///
  /// The store appends a record only to the state that its writer had, so a setting fits, however this state writes the
  /// old value. A newer program's structures have further fields, and a type may write its elements in any order. An
  /// element that the record takes out of a list or a set is found by what both ways of writing agree on.
  ///
  /// - Throws: `KeyValueLogError` if the record doesn't fit. The snapshot is then as it was.
  mutating func applyTolerantly(_ record: KeyValueTransactionRecord) throws {
    var added: [(id: KeyValueObjectID, key: String)] = []
    for edit in record.edits {
      guard let key = edit.key, let object = objects[edit.id], object.values[key] == nil
      else { continue }
      objects[edit.id]!.values[key] =
        switch edit {
        case .set(_, _, let old, _): old
        case .setEntry(_, _, let entry, let old, _):
          if case .string(let name) = entry, let old { .dictionary([name: old]) } else { [:] }
        default: []
        }
      added.append((edit.id, key))
    }
    var record = record
    var changed: [KeyValueObjectID: Set<String>] = [:]
    var made: Set<KeyValueObjectID> = []
    record.edits = record.edits.map { edit in
      if case .create = edit { made.insert(edit.id) }
      if let key = edit.key { changed[edit.id, default: []].insert(key) }
      // An object that an older program made lacks keys that the newer one's deletion has, or has an older name.
      guard case .delete(let id, _, let values) = edit, let object = objects[id],
        !made.contains(id)
      else { return edit }
      let new = values.filter { changed[id]?.contains($0.key) == true }
      return .delete(id, class: object.class, values: object.values.merging(new) { $1 })
    }
    if (try? apply(record)) != nil { return }
    do {
      try apply(record.agreeing(with: self) { _, _ in true })
    } catch {
      for (id, key) in added { objects[id]!.values[key] = nil }
      throw error
    }
  }

  /// What the program knows of the snapshot: without classes and keys that it doesn't have.
  func known(to model: Model, classes: (String) -> Bool) -> KeyValueSnapshot {
    var known = self
    for (id, object) in objects {
      if !classes(object.class) {
        known.objects[id] = nil
        continue
      }
      for key in object.values.keys where model.shape(key, object.class) == nil {
        known.objects[id]!.values[key] = nil
      }
    }
    return known.reachableOnly(model)
  }

  /// Takes the document's schema for the snapshot's, if that doesn't say its own.
  mutating func assume(_ schema: Int) {
    if self.schema == 0 { self.schema = schema }
  }

  /// Whether a program of an older schema has kept the snapshot, so that it may have keys that are gone.
  func isOlder(than schema: Int) -> Bool { self.schema < schema }

  /// What the snapshot is to a program that writes to the document: all that the root leads to, without the keys of
  /// older programs that the program's classes don't have any more.
  func upgraded(to schema: Int, _ model: Model) -> KeyValueSnapshot {
    isOlder(than: schema) ? known(to: model) { _ in true } : reachableOnly(model)
  }

  /// The snapshot without what nothing leads to, and without references to what isn't there.
  func reachableOnly(_ model: Model) -> KeyValueSnapshot {
    var rest = self
    for id in unreachable(following: { model.isFollowed($0, $1) }) { rest.objects[id] = nil }
    for (id, object) in rest.objects {
      for (key, value) in object.values {
        var isWhole = true
        value.forEachReferencedObject { isWhole = isWhole && rest.objects[$0] != nil }
        if isWhole { continue }
        let known = value.without { rest.objects[$0] == nil }
        rest.objects[id]!.values[key] = known
      }
    }
    return rest
  }

  /// Has the snapshot used, and again without each value that its key can't hold: that stays as it is, or as an
  /// object begins with it.
  ///
  /// - Parameters:
  ///   - misfits: Values that are known not to fit, so that they aren't tried again; it gets those that are found.
  ///   - mayLack: Whether the value of an object's key may be left out.
  ///   - reads: Whether a key of a class can hold a value, as far as that's known without an object. Values that it
  ///     can't hold are left out together, because using the snapshot takes time in proportion to its size.
  ///   - use: Uses the snapshot; it's called again after a `typeMismatch`.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws last.
  mutating func fit<Result>(
    without misfits: inout [Place: KeyValueLogValue],
    mayLack: (KeyValueObjectID, _ key: String) -> Bool = { _, _ in true },
    reads: (KeyValueLogValue, _ key: String, _ className: String) -> Bool,
    _ use: (KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    misfits = misfits.filter { objects[$0.id]?.values[$0.key] == $1 }
    for place in misfits.keys { objects[place.id]?.values[place.key] = nil }
    while true {
      do {
        return try use(self)
      } catch KeyValueLogError.typeMismatch(let details) {
        guard let id = details.object, let key = details.key, mayLack(id, key),
          let name = objects[id]?.class, let misfit = objects[id]?.values.removeValue(forKey: key)
        else { throw KeyValueLogError.typeMismatch(details) }
        misfits[Place(id, key)] = misfit
        for (id, object) in objects where object.class == name && mayLack(id, key) {
          guard let value = object.values[key], !reads(value, key, name) else { continue }
          objects[id]!.values[key] = nil
          misfits[Place(id, key)] = value
        }
      }
    }
  }

  /// The records that give the snapshot values that it lacks, each with the objects that it leads to.
  ///
  /// - Parameters:
  ///   - living: A snapshot of a graph that has all keys.
  ///   - fitted: What of this snapshot the graph was made of; nil if that's all of it. Where it lacks a value, or has
  ///     another one, the graph's is given, too.
  /// - Returns: Records that `applyTolerantly` takes, in order.
  func completion(
    from living: KeyValueSnapshot, fitted: KeyValueSnapshot? = nil
  ) -> [KeyValueTransactionRecord] {
    let incomplete = objects.filter { id, object in
      guard let whole = living.objects[id] else { return false }
      return object.values.count < whole.values.count
        || fitted.map { $0.objects[id] != object } ?? false
    }
    var made: Set<KeyValueObjectID> = []
    var (records, edits): ([KeyValueTransactionRecord], [KeyValueEdit]) = ([], [])
    for (id, object) in incomplete.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      for (key, value) in living.objects[id]!.values.sorted(by: { $0.key < $1.key }) {
        let present = object.values[key]
        if present != nil, fitted.map({ $0.objects[id]?.values[key] == present }) ?? true {
          continue
        }
        var work = [value]
        while let next = work.popLast() {
          next.forEachReferencedObject { target in
            guard objects[target] == nil, let object = living.objects[target],
              made.insert(target).inserted
            else { return }
            edits.append(.create(target, class: object.class, values: object.values))
            work += object.values.values
          }
        }
        edits.append(
          .set(id, key: key, old: present ?? value.without { made.contains($0) }, new: value))
        // One record would be as large as the document.
        if edits.count < 1_000 { continue }
        records.append(KeyValueTransactionRecord(edits, isTransaction: true))
        edits = []
      }
    }
    if !edits.isEmpty {
      records.append(KeyValueTransactionRecord(edits, isTransaction: edits.count > 1))
    }
    return records
  }
}

extension [KeyValueTransactionRecord] {
  /// The records without the completion of keys: without the first setting of each, and what it leads to.
  ///
  /// A program that deletes an object and doesn't have a key of it doesn't contradict what the key begins with.
  func withoutCompletion(of keys: Set<Place>) -> Self {
    if keys.isEmpty { return self }
    var made: [KeyValueObjectID: KeyValueSnapshot.Object] = [:]
    for case .create(let id, let name, let values) in flatMap(\.edits) {
      made[id] = .init(class: name, values: values)
    }
    var (rest, work) = (keys, [KeyValueLogValue]())
    var records = self
    for index in records.indices {
      records[index].edits.removeAll { edit in
        guard let place = Place(edit), rest.remove(place) != nil,
          case .set(_, _, let old, let new) = edit, old == new.without({ made[$0] != nil })
        else { return false }
        work.append(new)
        return true
      }
    }
    var completing: Set<KeyValueObjectID> = []
    while let next = work.popLast() {
      next.forEachReferencedObject { id in
        guard let object = made[id], completing.insert(id).inserted else { return }
        work += object.values.values
      }
    }
    if completing.isEmpty { return records }
    for index in records.indices {
      records[index].edits.removeAll {
        if case .create(let id, _, _) = $0 { completing.contains(id) } else { false }
      }
    }
    return records
  }
}

extension KeyValueLogValue {
  /// Whether two values may be one that two programs have written: they're equal, apart from the fields that only one
  /// of the programs knows, and from the order of elements.
  func agrees(with other: KeyValueLogValue) -> Bool {
    switch (self, other) {
    case (.dictionary(let fields), .dictionary(let others)):
      let common = fields.filter { others[$0.key] != nil }
      // The cases of an enumeration have no field in common.
      if common.isEmpty { return fields.isEmpty || others.isEmpty }
      return common.allSatisfy { name, value in
        others[name].map { value.agrees(with: $0) } ?? true
      }
    case (.array(let elements), .array(let others)):
      if elements.count != others.count { return false }
      return zip(elements, others).allSatisfy { $0.agrees(with: $1) }
        || Self.ascendingElements(elements) == Self.ascendingElements(others)
    default: return self == other
    }
  }

  /// The value without references to some objects: nil instead, and no element.
  fileprivate func without(_ isGone: (KeyValueObjectID) -> Bool) -> KeyValueLogValue {
    switch self {
    case .reference(let id): isGone(id) ? .null : self
    case .array(let elements):
      .array(
        elements.compactMap { element in
          if case .reference(let id) = element, isGone(id) { return nil }
          return element.without(isGone)
        })
    case .dictionary(let entries):
      .dictionary(
        entries.compactMapValues { value in
          if case .reference(let id) = value, isGone(id) { return nil }
          return value.without(isGone)
        })
    default: self
    }
  }
}
