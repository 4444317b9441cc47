// Which keys are recorded.
extension KeyValueChangeRecorder {
  /// Records changes of these key paths from now on.
  ///
  /// A path of several keys records changes of its last key, on whatever object the path leads to.
  /// Replacing an object on the path changes another key, and is recorded only if that key is.
  ///
  /// ```swift
  /// try recorder.record(person, "account", "account.balance")
  /// ```
  ///
  /// A path through a collection, `employees.name`, records changes of each element's key while the
  /// element is in the collection. Record `employees` as well to undo insertions and removals.
  ///
  /// A path that is already recorded is ignored, and reported as a tolerated violation.
  ///
  /// - Parameters:
  ///   - object: The object with the changes to record; not retained.
  ///   - keyPaths: Keys that can be set or changed through a proxy.
  ///   - fileID: Where the recording begins, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Throws: `KeyValueCodingError`: what observing throws, and `readOnly` for keys that can't be
  ///   set. If it throws, none of the paths is recorded.
  public func record(
    _ object: some KeyValueObservable, _ keyPaths: String...,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    try record(object, keyPaths, at: SourcePlace(fileID, line))
  }

  /// Records changes of these key paths from now on.
  ///
  /// - Parameters:
  ///   - object: The object with the changes to record; not retained.
  ///   - keyPaths: Keys that can be set or changed through a proxy.
  ///   - fileID: Where the recording begins, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Throws: As for `record(_:_:)` with single paths.
  public func record(
    _ object: some KeyValueObservable, _ keyPaths: [String],
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    try record(object, keyPaths, at: SourcePlace(fileID, line))
  }

  private func record(
    _ object: some KeyValueObservable, _ keyPaths: [String], at place: SourcePlace
  ) throws {
    guard !keyPaths.isEmpty else { throw KeyValueCodingError.noKeyPaths(of: object) }
    forgetDeadRoots()
    var (plain, through): ([String], [ElementRecording]) = ([], [])
    for keyPath in keyPaths {
      if let recording = try elementRecording(object, keyPath, at: place) {
        if !isRecorded(object, keyPath) { through.append(recording) }
      } else {
        try checkRecordable(keyPath, of: object)
        if !isRecording(object, keyPath) { plain.append(keyPath) }
      }
    }
    var begun: [ElementRecording] = []
    var tokens: [KeyValueObservation?] = []
    do {
      for recording in through {
        try recording.begin()
        begun.append(recording)
      }
      for keyPath in plain { tokens.append(try observe(object, keyPath, at: place)) }
    } catch {
      for recording in begun { recording.end() }
      for token in tokens { token?.invalidate() }
      throw error
    }
    elementRecordings += begun
    #if DEBUG || KVO_AUDIT
      // Makes the controller now, because the recorder's `deinit` couldn't.
      _ = observer
      if lifetime == nil { lifetime = TokenLifetime() }
    #endif
  }

  private func observe(
    _ object: some KeyValueObservable, _ keyPath: String, at place: SourcePlace
  ) throws -> KeyValueObservation? {
    let path = try RecordedPath(keyPath, of: object)
    return try observer.observe(
      object, path.observed, options: RecordedPath.options, at: place,
      sink: path.sink(on: object, for: self))
  }

  /// Records changes of these paths from now on, of one object or of several.
  ///
  /// ```swift
  /// try recorder.record(document.kvo.title, document.kvo.sections[each: \.heading])
  /// ```
  ///
  /// `[each: \.key]` records each element's key while the element is in the collection. Everything
  /// else works as for strings.
  ///
  /// - Parameters:
  ///   - path: The paths. Their objects aren't retained.
  ///   - fileID: Where the recording begins, for ``KeyValueTrace``.
  ///   - line: The line there.
  /// - Throws: `KeyValueCodingError`: what observing throws, and `readOnly` for what can't be set,
  ///   such as a member of a value. If it throws, none of the paths is recorded.
  public func record<each Root: KeyValueObservable, each Value>(
    _ path: repeat KeyValueBoundPath<each Root, each Value>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws {
    var begun: [() -> Void] = []
    do {
      for path in repeat each path {
        let (object, keyPath) = try recordable(path)
        guard !isRecording(object, keyPath) else { continue }
        try record(object, [keyPath], at: SourcePlace(fileID, line))
        begun.append { [self] in stopRecording(object, keyPath) }
      }
    } catch {
      for stop in begun { stop() }
      throw error
    }
  }

  /// Records all changes of an object, and of all that strong stored relationships lead to from it, from now on.
  ///
  /// Everything that a ``KeyValueChangeLog`` would be told is recorded: every stored key, of objects that enter
  /// later, too. Objects that leave and come back by undoing are the same instances. They keep what was changed
  /// while they were outside, which isn't recorded; `undo()` throws at an earlier change of the same key.
  ///
  /// Other values come back as their `Codable` conformance has written them: a property that it leaves out has what
  /// `init(from:)` gives it, and an object of a class that isn't observable is another instance. A recorded path gets
  /// the earlier value itself.
  ///
  /// ```swift
  /// let recorder = KeyValueChangeRecorder()
  /// try recorder.record(graph: company)
  /// ```
  ///
  /// The recorder retains the graph until recording it stops. Inside a transaction, `undo()` and `redo()`
  /// throw then. What another program has changed, as a replica or a log applies it, isn't recorded; a level that
  /// it contradicts can't be undone any more, and `undo()` throws. A replica's own `undo()` leaves what others have
  /// changed and undoes the rest. A graph that is recorded already is ignored, and reported as a tolerated violation.
  /// An object that two graphs of the recorder have is reported, too, because `undo()` throws at its changes: record
  /// one object that leads to both. Record a graph or paths in it, not both.
  ///
  /// - Parameter root: The object that leads to all others.
  /// - Throws: `KeyValueLogError.notLoggable` if a stored key is neither Codable nor refers to observable
  ///   objects, if one of the type `Any` or of a protocol holds something else, or if a value has an observable
  ///   object inside that no key of the graph leads to. Nothing is recorded then.
  public func record(graph root: some KeyValueObservable) throws {
    if graphs.contains(where: { $0.root === root }) {
      KeyValueViolation.report(
        .tolerated,
        "The graph of this \(root.schema.name) is recorded by this recorder already, and the second call was "
          + "ignored. Record it once.")
      return
    }
    let graph = try RecordedGraph(of: root, for: scope)
    graph.reportShared(with: graphs)
    for _ in 0..<ownGroupDepth { graph.core?.collector.beginGroup() }
    graphs.append(graph)
  }

  /// Stops recording a graph; what was recorded of it is forgotten, and can't be undone any more.
  public func stopRecording(graph root: some KeyValueObservable) {
    for graph in graphs where graph.root === root { graph.end() }
    graphs.removeAll { $0.root == nil }
    forgetEndedGraphs()
    closeLevel()
  }

  /// Forgets what was recorded of graphs that aren't recorded any more, with the objects that left them.
  private func forgetEndedGraphs() {
    // What undoing that is going on does next belongs to this level.
    let opposite: UndoLevel? = if case .undoing(let level) = activity { level } else { nil }
    // Objects that die with the records may make changes.
    var forgotten: [UndoLevel.Step] = []
    /// Removes these records from a level, and tells whether it had nothing else.
    func forgetEnded(in level: UndoLevel) -> Bool {
      let ended = level.removeSteps { ($0 as? GraphStep)?.isEffective == false }
      forgotten += ended
      return !ended.isEmpty && level.steps.isEmpty && level !== opposite
    }
    undoLevels.removeAll(where: forgetEnded)
    redoLevels.removeAll(where: forgetEnded)
    redoBeforeLevel.removeAll(where: forgetEnded)
    if let openLevel { _ = forgetEnded(in: openLevel) }
    withExtendedLifetime(forgotten) {}
  }

  /// Stops recording these paths; what was recorded stays.
  ///
  /// A change in progress isn't recorded either, unless another recorded path reaches it.
  public func stopRecording<each Root: KeyValueObservable, each Value>(
    _ path: repeat KeyValueBoundPath<each Root, each Value>
  ) {
    for path in repeat each path { stopRecording(path._object, path._path.observed.string) }
  }

  private func recordable<Root, Value>(
    _ path: KeyValueBoundPath<Root, Value>
  ) throws -> (Root, String) {
    let observed = path._path.observed
    let type = path._object.schema.name
    if let problem = observed.problem {
      throw KeyValueCodingError.notKeyValueObservable(
        .init(type: type, key: observed.string, reason: problem))
    }
    guard observed.isNamedByKeys else {
      throw KeyValueCodingError.readOnly(
        .init(
          type: type, key: observed.string,
          reason: "it goes through a member of a value; record the key that holds the value"))
    }
    return (path._object, observed.string)
  }

  private func elementRecording(
    _ object: any KeyValueObservable, _ keyPath: String, at place: SourcePlace
  ) throws -> ElementRecording? {
    let path = try ParsedKeyPath(keyPath).reachingPrivateKeys()
    return path.hasOperator ? nil : ElementRecording(object, path, at: place, for: self)
  }

  /// Whether a path is already recorded; reports it if so.
  private func isRecording(_ object: some KeyValueObservable, _ keyPath: String) -> Bool {
    if isRecorded(object, keyPath) { return true }
    guard let token = observer.token(of: object, keyPath), token.isValid else { return false }
    reportRecorded(object, keyPath)
    return true
  }

  /// Whether the elements behind a path are already recorded; reports it if so.
  private func isRecorded(_ object: any KeyValueObservable, _ keyPath: String) -> Bool {
    guard elementRecordings.contains(where: { $0.root === object && $0.keyPath == keyPath }) else {
      return false
    }
    reportRecorded(object, keyPath)
    return true
  }

  private func reportRecorded(_ object: any KeyValueObservable, _ keyPath: String) {
    KeyValueViolation.report(
      .tolerated,
      "'\(keyPath)' of \(object.schema.name) is recorded by this recorder already, and the second call "
        + "was ignored. Record it once.")
  }

  private func stopElements(where isMeant: (ElementRecording) -> Bool) {
    for recording in elementRecordings where isMeant(recording) { recording.end() }
    elementRecordings.removeAll(where: isMeant)
  }

  private func forgetDeadRoots() {
    stopElements { $0.root == nil }
  }

  /// Stops recording an object; what was recorded stays.
  ///
  /// A change in progress isn't recorded either, unless another recorded path reaches it.
  public func stopRecording(_ object: some KeyValueObservable) {
    observer.unobserve(object)
    forgetLeft(of: object)
    stopElements { $0.root == nil || $0.root === object }
    closeLevel()
  }

  /// Stops recording one key path of an object; what was recorded stays.
  ///
  /// A change in progress isn't recorded either, unless another recorded path reaches it.
  public func stopRecording(_ object: some KeyValueObservable, _ keyPath: String) {
    observer.unobserve(object, keyPath)
    let end = leaf(of: object, keyPath)
    if let holder = end.object { forgetLeft(of: holder, end.key) }
    stopElements { $0.root == nil || $0.root === object && $0.keyPath == keyPath }
    closeLevel()
  }

  func checkRecordable(_ keyPath: String, of root: any KeyValueObservable) throws {
    let path = try ParsedKeyPath(keyPath).reachingPrivateKeys()
    if path.hasOperator {
      throw KeyValueCodingError.readOnly(
        .init(
          type: root.schema.name, key: path.components[path.firstOperator].name,
          keyPath: keyPath, position: path.firstOperator + 1, reason: "it is an operator"))
    }
    if let way = path.owner {
      let owner = try way.value(ofObject: root)
      if let owner, !(owner is any KeyValueObservable), stringKeyed(owner) != nil {
        throw KeyValueCodingError.readOnly(
          .init(
            type: root.schema.name, key: way.string,
            reason: "it is a dictionary; record the property that holds it"))
      }
      if owner is any ToMany {
        throw KeyValueCodingError.notKeyValueObservable(
          .init(
            type: root.schema.name, key: way.string,
            reason: "it is a collection; record its elements, each as an object"))
      }
    }
    let (object, key) = leaf(of: root, keyPath)
    if path.components.last?.isIdentity == true, object?.schema.property(key) == nil {
      throw KeyValueCodingError.readOnly(
        .init(type: root.schema.name, key: key, reason: "it is the object itself"))
    }
    // Observing reports a missing key, because it knows the whole path.
    guard let object, let property = object.schema.property(key),
      !object.schema.isRecordable(property)
    else { return }
    throw KeyValueCodingError.notRecordable(key, of: object)
  }
}
