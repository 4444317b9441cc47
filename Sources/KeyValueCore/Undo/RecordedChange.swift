/// One change of one key, as observers received it, which can be undone.
struct RecordedChange {
  /// Not retained, because a dead object needs no undo.
  private(set) weak var object: (any KeyValueObservable)?
  private let key: String
  private let change: KeyValueObservedChange<Any?>

  private init(
    _ object: (any KeyValueObservable)?, _ key: String, change: KeyValueObservedChange<Any?>
  ) {
    self.object = object
    self.key = key
    self.change = change
  }

  /// Nil if the change did nothing.
  init?(
    _ object: any KeyValueObservable, _ key: String, _ change: KeyValueObservedChange<Any?>
  ) {
    if change.kind != .setting, change.ranges == nil, members(change.oldValue).isEmpty,
      members(change.newValue).isEmpty
    {
      return nil
    }
    self.init(object, key, change: change)
  }

  /// The change that undoing this one makes.
  var inverse: RecordedChange { RecordedChange(object, key, change: change.inverse) }

  /// Makes the inverse change, through the key's setter or proxy.
  ///
  /// - Throws: `KeyValueCodingError`, if the value is no longer what the recorded changes left;
  ///   nothing changes then.
  func undo() throws {
    guard let object else { return }
    let change = change.inverse
    if change.kind == .setting {
      try object.setValue(change.newValue ?? nil, forKey: key)
    } else if let ranges = change.ranges {
      try apply(Edit(change.kind, at: ranges, elements(change.newValue)), to: object)
    } else {
      let access = try ToManyAccess(object, key, .unordered)
      let (left, entered) = (members(change.oldValue), members(change.newValue))
      switch change.kind {
      case .insertion: access.apply(.algebra(.union, entered))
      case .removal: access.apply(.algebra(.minus, left))
      case .setting, .replacement:
        let present = Set(access.elements.compactMap { $0 as? AnyHashable })
        access.apply(.algebra(.set, present.subtracting(left).union(entered)))
      }
    }
  }

  private func apply(_ edit: Edit, to object: any KeyValueObservable) throws {
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
private func elements(_ value: Any??) -> [Any] {
  // A nil element belongs to an optional element type.
  ((value ?? nil) as? any ToMany)?.anyElements.map { $0 ?? Optional<Any>.none as Any } ?? []
}

/// The elements of an unordered to-many value.
private func members(_ value: Any??) -> Set<AnyHashable> {
  Set(((value ?? nil) as? any ToMany)?.anyElements.compactMap { $0 as? AnyHashable } ?? [])
}
