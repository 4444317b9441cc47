// A mutation that is announced by key: a pair of calls, or what `withChange(of:_:)` runs between the two.
extension ManualMutation {
  /// Reports a violation and returns nil if the class has no such key.
  init?(_ object: any KeyValueObservable, _ key: String, _ edit: Edit) {
    let schema = object.schema
    // An object that no longer answers a key may announce it all the same.
    guard
      let property = schema.answeredProperty(key) ?? schema.property(key, answeredBy: object)
        ?? schema.property(announced: key)
    else {
      KeyValueViolation.report(
        .undefinedKey,
        "\(KeyValueCodingError.undefinedKey(key, of: object)) "
          + "It was announced as changing, but no observer can be registered for it.")
      return nil
    }
    self.init(object, property, edit)
  }

  /// Performs the `will…` of a pair whose `did…` is a separate call.
  func begin() {
    // The pair may outlast the transaction, so its change set has to be exact.
    ThreadContext.current?.transaction?.followCollections()
    let started = start(isPair: true)
    object._$kvoWithRegistrar { registrar in
      registrar.update(of: object) { _, state in
        state.push(.init(thread: .current, id: property.id, started: started))
      }
    }
  }

  /// Performs the `did…` of the innermost open pair.
  func end() {
    ThreadContext.current?.transaction?.followCollections()
    let pair = object._$kvoWithRegistrar { registrar in
      registrar.storage()?.update { $0.pop(property.id, on: .current) } ?? nil
    }
    guard let pair else {
      KeyValueViolation.report(
        .tolerated,
        "didChangeValue(forKey: \"\(property.key)\") of \(object.schema.name) was called without "
          + "willChangeValue on this thread, so no observer was notified. Call both, or use "
          + "withChange(of:_:).")
      return
    }
    guard let started = pair.started else { return finish(nil) }
    let announced = started.change.edit
    if !announced.announcesTheSame(as: edit) {
      KeyValueViolation.report(
        .tolerated,
        "A change of \(object.schema.name).\(property.key) was announced as one \(announced.announcement) "
          + "and ended as one \(edit.announcement). Observers are notified of what was announced: pass "
          + "both calls the same kind, indexes and elements.")
    }
    ManualMutation(object, property, announced).finish(started)
  }

  /// Runs a mutation between its two halves, by the property's accessors.
  ///
  /// Journals hear what the accessors of an automatic key do, and otherwise of the mutation as a whole.
  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    let started = start(wrapsAccessors: true)
    defer { finish(started) }
    guard let started, started.change.needs.contains(.scope) else { return try body() }
    let place = PropertyPlace(of: object, id: property.id)
    return try ThreadContext.ofThisThread.leavingOutOfJournals(place, body)
  }
}

extension Edit {
  /// The announced change in words: `of kind insertion at 2`.
  fileprivate var announcement: String {
    let place = ranges.map { " at \(listing($0.set))" } ?? ""
    return "of kind \(kind)\(place)"
  }

  /// Whether both announce the same change; the elements of an insertion or a replacement aren't announced.
  fileprivate func announcesTheSame(as other: Edit) -> Bool {
    switch (self, other) {
    case (.algebra(let kind, let elements), .algebra(let otherKind, let others)):
      kind == otherKind && elements == others
    case (.algebra, _), (_, .algebra): false
    default: kind == other.kind && ranges == other.ranges
    }
  }
}
