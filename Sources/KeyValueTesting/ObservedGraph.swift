/// The objects of a graph by their ids, and a record's edits as changes of these objects.
final class ObservedGraph {
  private var objects: [KeyValueObjectID: WeakObject] = [:]
  private let find: (KeyValueObjectID) -> (any KeyValueObservable)?
  private let names: ObjectNames

  init<Root: KeyValueObservable>(_ log: KeyValueChangeLog<Root>, _ names: ObjectNames) {
    find = { [weak log] id in log?.object(id) }
    self.names = names
    for (id, object) in log.objects { objects[id] = WeakObject(object) }
    _ = names.name(of: log.root)
  }

  func contains(_ subject: ChangeSubject) -> Bool {
    !subject.keyPath.contains(".")
      && objects.values.contains { $0.object === subject.object.object }
  }

  func changes(
    _ record: KeyValueTransactionRecord, at place: KeyValueTrace.Place?
  ) -> [AnnouncedChange] {
    for edit in record.edits {
      if case .create(let id, _, _) = edit, let object = find(id) {
        objects[id] = WeakObject(object)
      }
    }
    return record.edits.indices.flatMap { index in
      changes(record.edits[index], before: record.edits[(index + 1)...], at: place)
    }
  }

  private func changes(
    _ edit: KeyValueEdit, before later: ArraySlice<KeyValueEdit>, at place: KeyValueTrace.Place?
  ) -> [AnnouncedChange] {
    guard let object = objects[edit.id] else { return [] }
    func make(
      _ what: ChangeSubject.What, _ kind: KeyValueChangeKind = .setting,
      _ indexes: RangeSet<Int>? = nil, old: ValueSnapshot? = nil, new: ValueSnapshot? = nil
    ) -> AnnouncedChange {
      AnnouncedChange(
        ChangeSubject(object: object, what: what), kind, indexes, old: old, new: new,
        loggedAt: place, names)
    }
    switch edit {
    case .create: return [make(.entry)]
    case .delete: return [make(.departure)]
    case .set(_, let key, .array(let old), .array(let new)) where isSet(key, of: object):
      let (left, entered) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
      let changes =
        (left.isEmpty ? [] : [make(.path(key), .removal, old: set(left))])
        + (entered.isEmpty ? [] : [make(.path(key), .insertion, new: set(entered))])
      return changes.isEmpty ? [make(.path(key), old: set(old), new: set(new))] : changes
    case .set(_, let key, let old, let new):
      return [make(.path(key), old: value(old), new: value(new))]
    case .insert(_, let key, let indexes, let elements):
      return [make(.path(key), .insertion, indexes, new: list(elements))]
    case .remove(_, let key, let indexes, let elements):
      return [make(.path(key), .removal, indexes, old: list(elements))]
    case .replace(_, let key, let indexes, let old, let new):
      return [make(.path(key), .replacement, indexes, old: list(old), new: list(new))]
    case .amend(let id, let key, let removed, let inserted):
      if removed.elements.isEmpty, inserted.elements.isEmpty {
        // The record doesn't have the elements. The key has them until another edit changes it.
        let isPresent = !later.contains { $0.id == id && $0.key == key }
        let value = isPresent ? presentValue(of: key, in: object) : nil
        return [make(.path(key), old: value, new: value)]
      }
      return amendment(.path(key), removed, inserted, make)
    case .union(_, let key, let elements):
      return [make(.path(key), .insertion, new: set(elements))]
    case .subtract(_, let key, let elements):
      return [make(.path(key), .removal, old: set(elements))]
    case .exchange(_, let key, let old, let new):
      return [make(.path(key), .replacement, old: set(old), new: set(new))]
    case .setEntry(_, let key, let entry, let old, let new):
      func part(_ value: KeyValueLogValue?) -> ValueSnapshot {
        .keyed(value.map { [(key: self.value(entry), value: self.value($0))] } ?? [], .fields)
      }
      return [make(.path(key), old: part(old), new: part(new))]
    }
  }

  /// A collection that was assigned or changed in place, as observers with `elementChanges` are told.
  private func amendment(
    _ what: ChangeSubject.What, _ removed: KeyValueEdit.Elements,
    _ inserted: KeyValueEdit.Elements,
    _ make: (
      ChangeSubject.What, KeyValueChangeKind, RangeSet<Int>?, ValueSnapshot?, ValueSnapshot?
    ) -> AnnouncedChange
  ) -> [AnnouncedChange] {
    if removed.elements.count == 1, removed.indexes == inserted.indexes {
      return [
        make(what, .replacement, removed.indexes, list(removed.elements), list(inserted.elements))
      ]
    }
    var changes: [AnnouncedChange] = []
    if !removed.indexes.isEmpty {
      changes.append(make(what, .removal, removed.indexes, list(removed.elements), nil))
    }
    if !inserted.indexes.isEmpty {
      changes.append(make(what, .insertion, inserted.indexes, nil, list(inserted.elements)))
    }
    return changes
  }

  private func isSet(_ key: String, of object: WeakObject) -> Bool {
    guard let object = object.object as? any KeyValueObservable,
      let type = object.schema.property(key)?.valueType
    else { return false }
    return ((type as? any AnyOptional.Type)?.wrappedType ?? type) is any UnorderedToMany.Type
  }

  /// A key's value, as a record would have it.
  private func presentValue(of key: String, in object: WeakObject) -> ValueSnapshot? {
    guard let object = object.object as? any KeyValueObservable,
      let value = object.schema.property(key)?.anyValue(of: object)
    else { return nil }
    return ValueSnapshot(value).asLogged
  }

  private func value(_ value: KeyValueLogValue) -> ValueSnapshot {
    ValueSnapshot(value) { [objects] in objects[$0] }
  }

  private func list(_ values: [KeyValueLogValue]) -> ValueSnapshot { .ordered(values.map(value)) }
  private func set(_ values: [KeyValueLogValue]) -> ValueSnapshot { .unordered(values.map(value)) }
}
