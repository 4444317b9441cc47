/// One change of one key, in the form in which it can be undone.
struct RecordedChange {
  /// Not retained: what nobody holds any more needs no undoing.
  private(set) weak var object: (any KeyValueObservable)?
  private let key: String
  private let content: Content

  private enum Content {
    case setting(old: Any?, new: Any?)
    /// Of elements by index: what was done, and what takes it back.
    case ordered(Edit, inverse: Edit)
    /// Of an unordered to-many value: what left and what entered it.
    case exchange(KeyValueChangeKind, left: Set<AnyHashable>, entered: Set<AnyHashable>)
  }

  private init(_ object: (any KeyValueObservable)?, _ key: String, _ content: Content) {
    self.object = object
    self.key = key
    self.content = content
  }

  /// Nil where the change did nothing.
  init?(
    _ object: any KeyValueObservable, _ key: String, _ change: KeyValueObservedChange<Any?>
  ) {
    let (old, new) = (change.oldValue.flatMap { $0 }, change.newValue.flatMap { $0 })
    let content: Content
    switch (change.kind, change.indexes) {
    case (.setting, _): content = .setting(old: old, new: new)
    case (let kind, let indexes?):
      let indexes = IndexRanges(indexes)
      content = .ordered(
        Edit(kind, at: indexes, elements(new)),
        inverse: Edit(kind.inverse, at: indexes, elements(old)))
    case (let kind, nil):
      let left = kind == .insertion ? [] : members(old)
      let entered = kind == .removal ? [] : members(new)
      if left.isEmpty, entered.isEmpty { return nil }
      content = .exchange(kind, left: left, entered: entered)
    }
    self.init(object, key, content)
  }

  /// The change that undoing this one makes.
  var inverse: RecordedChange {
    let inverse: Content =
      switch content {
      case .setting(let old, let new): .setting(old: new, new: old)
      case .ordered(let edit, let inverse): .ordered(inverse, inverse: edit)
      case .exchange(.insertion, let left, let entered):
        .exchange(.removal, left: entered, entered: left)
      case .exchange(.removal, let left, let entered):
        .exchange(.insertion, left: entered, entered: left)
      case .exchange(let kind, let left, let entered):
        .exchange(kind, left: entered, entered: left)
      }
    return RecordedChange(object, key, inverse)
  }

  /// Makes the inverse change, by the setter or the proxy of the key.
  ///
  /// - Throws: `KeyValueCodingError`, where the value has become another than the recorded changes left
  ///   it; nothing has changed then.
  func undo() throws {
    guard let object else { return }
    switch content {
    case .setting(let old, _): try object.setValue(old, forKey: key)
    case .ordered(_, let inverse): try apply(inverse, to: object)
    case .exchange(let kind, let left, let entered):
      let access = try ToManyAccess(object, key, .unordered)
      switch kind {
      case .insertion: access.apply(.algebra(.minus, entered))
      case .removal: access.apply(.algebra(.union, left))
      case .setting, .replacement:
        let present = Set(access.elements.compactMap { $0 as? AnyHashable })
        access.apply(.algebra(.set, present.subtracting(entered).union(left)))
      }
    }
  }

  private func apply(
    _ edit: Edit, to object: any KeyValueObservable
  ) throws {
    guard let indexes = edit.ranges else { return }
    let growth = edit.kind == .insertion ? indexes.count : 0
    let access = try ToManyAccess(object, key, .ordered)
    func conflict(_ state: String) -> KeyValueCodingError {
      .indexOutOfRange(
        .init(
          type: object.schema.name, key: key,
          reason:
            "the recorded change was at \(listing(indexes.set)), and \(state); something changed "
            + "them without being recorded"))
    }
    if let last = indexes.ranges.last, last.upperBound > access.count + growth {
      throw conflict("there are \(access.count) elements now")
    }
    #if OrderedCollections
      if let element = access.firstRepeated(in: edit) {
        throw conflict("\(plainDescription(element)) is there already")
      }
    #endif
    access.apply(edit)
  }
}

/// The elements of an ordered to-many value.
private func elements(_ value: Any?) -> [Any] {
  // A nil element belongs to an optional element type.
  (value as? any ToMany)?.anyElements.map { $0 ?? Optional<Any>.none as Any } ?? []
}

/// The elements of an unordered to-many value.
private func members(_ value: Any?) -> Set<AnyHashable> {
  Set((value as? any ToMany)?.anyElements.compactMap { $0 as? AnyHashable } ?? [])
}
