/// Records the changes of chosen keys, and takes them back.
///
/// ```swift
/// let recorder = KeyValueChangeRecorder()
/// try recorder.record(person, "firstName", "books")
/// person.firstName = "Grace"
/// person.mutableArrayValue(for: \.books).append("Notes")
/// try recorder.undo()
/// print(person.firstName, person.books)        // Grace []
/// try recorder.undo()
/// print(person.firstName)                      // Ada
/// try recorder.redo()
/// print(person.firstName)                      // Grace
/// ```
///
/// It knows only what observers are told, and needs nothing from the classes. Each change is undone as
/// what it was: a setting by setting the old value, an insertion by a removal at the same indexes
/// through the proxy, set algebra by its opposite. So whoever observes is told of the undoing with exact
/// kinds and indexes.
///
/// Undoing is recorded too, and that is what `redo()` takes back. A new change forgets what could be
/// redone. Each change is a level of its own, except in a group or in a transaction.
///
/// What is retained: old and new values, as long as their levels are there; not the objects whose
/// keys are recorded. A level whose objects have all died is skipped; of other levels, the changes of
/// dead objects are.
///
/// Limits: what is not announced is not recorded, and a key that is announced by hand is set without an
/// announcement unless its setter makes one. A collection that is changed in place or assigned is
/// recorded as the whole value, one that is changed through a proxy element by element. Observers that
/// change recorded keys in answer to a change do so in answer to its undoing too; group the two, or
/// let such a key depend on the other instead.
///
/// Threading: a recorder and what it records belong to one place, as a document's model does.
///
/// Source of the behaviour: ours; the words are those of Cocoa's `NSUndoManager`.
public final class KeyValueChangeRecorder {
  private enum Activity {
    case recording
    case undoing(into: UndoLevel)
    /// Taking back a half-done undo, of which nothing is to be remembered.
    case recovering
  }

  private var undoLevels: [UndoLevel] = []
  private var redoLevels: [UndoLevel] = []
  /// Changes that have begun and not ended, innermost last.
  private var begun: [UndoLevel.Slot] = []
  private var activity = Activity.recording
  private var openGroup: UndoLevel?
  private var groupDepth = 0
  private var isInTransaction = false
  /// The transaction that is going to restore the levels when it is rolled back.
  private weak var knownTransaction: Transaction?
  // A merged change could not be undone: it may be the change of another object's key than the first of
  // those that it is made of.
  private lazy var observer = KeyValueObserverController(owner: self, .immediate)
  /// Of the paths that lead through a collection.
  private var elementRecordings: [ElementRecording] = []

  /// How many levels are kept, the newest; 0 is no limit.
  public var levelsOfUndo: Int {
    didSet { trim() }
  }

  /// Creates a recorder of nothing.
  public init(levelsOfUndo: Int = 0) {
    self.levelsOfUndo = levelsOfUndo
  }

  #if DEBUG || KVO_AUDIT
    /// Nil until something is recorded.
    private var life: TokenLife?

    deinit {
      guard let life else { return }
      observer.reportIfUseless(keptBy: .recorder, since: life)
      for recording in elementRecordings { recording.reportIfUseless(since: life) }
    }
  #endif

  // MARK: Recording

  /// Records changes of these key paths from now on.
  ///
  /// A path of several keys records changes of the last one, of whatever object it leads to; exchanging
  /// an object on the way is a change of another key, which is recorded where that key is.
  ///
  /// ```swift
  /// try recorder.record(person, "account", "account.balance")
  /// ```
  ///
  /// A path through a collection, `employees.name`, records changes of each element's key while the
  /// element is in the collection. Record `employees` as well to take back who came and went.
  ///
  /// A path that is recorded already is ignored, and reported as tolerated.
  ///
  /// - Parameters:
  ///   - object: Whose changes are recorded; not retained.
  ///   - keyPaths: Keys that can be set or changed through a proxy.
  /// - Throws: `KeyValueCodingError`: what observing throws, `readOnly` for what cannot be set. None of
  ///   the paths is recorded then.
  public func record(_ object: some KeyValueObservable, _ keyPaths: String...) throws {
    try record(object, keyPaths)
  }

  /// Records changes of these key paths from now on.
  ///
  /// - Throws: As for `record(_:_:)` with single paths.
  public func record(_ object: some KeyValueObservable, _ keyPaths: [String]) throws {
    guard !keyPaths.isEmpty else { throw KeyValueCodingError.noKeyPaths(of: object) }
    forgetDeadRoots()
    var (plain, through): ([String], [ElementRecording]) = ([], [])
    for keyPath in keyPaths {
      if let recording = try elementRecording(object, keyPath) {
        if !isRecorded(object, keyPath) { through.append(recording) }
      } else {
        try checkRecordable(keyPath, of: object)
        plain.append(keyPath)
      }
    }
    var begun: [ElementRecording] = []
    do {
      for recording in through {
        try recording.begin()
        begun.append(recording)
      }
      if !plain.isEmpty {
        try observer.observe(object, plain, options: [.old, .new, .prior]) {
          recorder, object, keyPath, change in
          guard let token = recorder.observer.token(of: object, keyPath) else { return }
          recorder.note(object, keyPath, change, token)
        }
      }
    } catch {
      for recording in begun { recording.end() }
      throw error
    }
    elementRecordings += begun
    #if DEBUG || KVO_AUDIT
      // The controller is there from now on: none could be made for a recorder that is dying.
      _ = observer
      if life == nil { life = TokenLife() }
    #endif
  }

  /// Records changes of these paths from now on, of one object or of several.
  ///
  /// ```swift
  /// try recorder.record(document.kvo.title, document.kvo.sections[each: \.heading])
  /// ```
  ///
  /// `[each: \.key]` records each element's key while the element is in the collection. Everything else
  /// is as for strings.
  ///
  /// - Throws: `KeyValueCodingError`: what observing throws, `readOnly` for what cannot be set, a member of
  ///   a value among it. None of the paths is recorded then.
  public func record<each Root: KeyValueObservable, each Value>(
    _ path: repeat KeyValueBoundPath<each Root, each Value>
  ) throws {
    var begun: [() -> Void] = []
    do {
      for path in repeat each path {
        let (object, keyPath) = try recordable(path)
        guard !isRecording(object, keyPath) else { continue }
        try record(object, [keyPath])
        begun.append { [self] in stopRecording(object, keyPath) }
      }
    } catch {
      for stop in begun { stop() }
      throw error
    }
  }

  /// Records no more changes of these paths; what was recorded stays.
  ///
  /// A change that has begun and not ended is not recorded either, unless it is on another way.
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
    _ object: any KeyValueObservable, _ keyPath: String
  ) throws -> ElementRecording? {
    let path = try ParsedKeyPath(keyPath)
    if path.hasOperator { return nil }
    return ElementRecording(object, path) { [weak self] keyPath, element in
      try self?.checkRecordable(keyPath, of: element)
    } note: { [weak self] element, keyPath, change, token in
      self?.note(element, keyPath, change, token)
    }
  }

  /// Whether a path is recorded already, which is reported.
  private func isRecording(_ object: some KeyValueObservable, _ keyPath: String) -> Bool {
    if isRecorded(object, keyPath) { return true }
    guard let token = observer.token(of: object, keyPath), token.isValid else { return false }
    reportRecorded(object, keyPath)
    return true
  }

  /// Whether the elements behind a path are recorded already, which is reported.
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

  /// Records no more changes of an object; what was recorded stays.
  ///
  /// A change that has begun and not ended is not recorded either, unless it is on another way.
  public func stopRecording(_ object: some KeyValueObservable) {
    observer.unobserve(object)
    stopElements { $0.root == nil || $0.root === object }
    forgetOrphans()
  }

  /// Records no more changes of one key path of an object; what was recorded stays.
  ///
  /// A change that has begun and not ended is not recorded either, unless it is on another way.
  public func stopRecording(_ object: some KeyValueObservable, _ keyPath: String) {
    observer.unobserve(object, keyPath)
    stopElements { $0.root == nil || $0.root === object && $0.keyPath == keyPath }
    forgetOrphans()
  }

  private func note(
    _ root: any KeyValueObservable, _ keyPath: String, _ change: KeyValueObservedChange<Any?>,
    _ token: KeyValueObservation
  ) {
    let (object, key) = leaf(of: root, keyPath)
    if change.isPrior {
      begin(object, key, token)
    } else {
      end(object, key, token, change)
    }
  }

  private func begin(
    _ object: (any KeyValueObservable)?, _ key: String, _ token: KeyValueObservation
  ) {
    forgetOrphans()
    joinTransaction()
    // A change that is recorded on several ways is announced on each of them, and is one change. Who has
    // announced one already announces another, made inside its callbacks.
    let announced = begun.last {
      object != nil && $0.object === object && $0.key == key && $0.change == nil
        && !$0.isAnnounced(by: token)
    }
    if let announced { return announced.announce(by: token) }
    let slot = UndoLevel.Slot(object, key)
    slot.announce(by: token)
    begun.append(slot)
    destination()?.append(slot)
  }

  private func end(
    _ object: (any KeyValueObservable)?, _ key: String, _ token: KeyValueObservation,
    _ change: KeyValueObservedChange<Any?>
  ) {
    guard let slot = begun.last(where: { $0.awaits(token) }) else { return }
    slot.endAnnouncement(by: token)
    // Where another object has the key now, the change was that of a key on the way.
    if slot.change == nil, let object, object === slot.object {
      slot.change = RecordedChange(object, key, change)
      if slot.change != nil, case .recording = activity {
        replace(\.redoLevels, with: [])
        trim()
      }
    }
    if slot.isOver { close(slot) }
  }

  /// Takes out what has begun and will not end, because whoever would tell of it has ended.
  private func forgetOrphans() {
    for slot in begun where slot.isOver { close(slot) }
  }

  private func close(_ slot: UndoLevel.Slot) {
    begun.removeAll { $0 === slot }
    guard slot.change == nil else { return }
    slot.level?.remove(slot)
    undoLevels.removeAll { $0.slots.isEmpty }
  }

  /// The level that a change which begins now belongs to.
  private func destination() -> UndoLevel? {
    switch activity {
    case .undoing(let level): return level
    case .recovering: return nil
    case .recording:
      if let openGroup { return openGroup }
      let level = UndoLevel()
      undoLevels.append(level)
      return level
    }
  }

  private func trim() {
    guard levelsOfUndo > 0, undoLevels.count > levelsOfUndo else { return }
    replace(\.undoLevels, with: Array(undoLevels.suffix(levelsOfUndo)))
  }

  /// Values that die with their levels may make changes, and have to find the list replaced.
  private func replace(
    _ list: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>, with levels: [UndoLevel]
  ) {
    let forgotten = self[keyPath: list]
    self[keyPath: list] = levels
    withExtendedLifetime(forgotten) {}
  }

  // MARK: Groups

  /// Makes all changes inside the closure one level.
  ///
  /// ```swift
  /// recorder.group {
  ///   person.firstName = "Grace"
  ///   person.lastName = "Hopper"
  /// }
  /// try recorder.undo()                          // both
  /// ```
  ///
  /// `performChanges` of any object makes one level too, and none where it is rolled back. Groups inside
  /// a group belong to it. One without changes is no level. What was changed before an
  /// error was thrown is a level too.
  @discardableResult
  public func group<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    beginGrouping()
    defer { endGrouping() }
    return try body()
  }

  /// Makes the changes of an open transaction, this thread's, one level, or none if it is rolled back.
  private func joinTransaction() {
    guard !isInTransaction, case .recording = activity, let transaction = Transaction.current
    else { return }
    keepLevels(of: transaction)
    isInTransaction = true
    beginGrouping()
    let count = openGroup?.slots.count ?? 0
    transaction.atEnd { [weak self] isRolledBack in
      guard let self else { return }
      isInTransaction = false
      if isRolledBack { openGroup?.removeAll(after: count) }
      if groupDepth > 0 { endGrouping() }
    }
  }

  /// Sees to it that a transaction which is rolled back leaves the levels that there were before it.
  private func keepLevels(of transaction: Transaction) {
    guard transaction !== knownTransaction else { return }
    knownTransaction = transaction
    let (undoable, redoable) = (undoLevels, redoLevels)
    transaction.atEnd { [weak self] isRolledBack in
      guard let self, isRolledBack else { return }
      replace(\.undoLevels, with: undoable)
      replace(\.redoLevels, with: redoable)
      trim()
    }
  }

  /// Begins a group that `endGrouping()` ends.
  public func beginGrouping() {
    if groupDepth == 0 { openGroup = UndoLevel() }
    groupDepth += 1
  }

  /// Ends the group that was begun last; the outermost one becomes a level.
  public func endGrouping() {
    guard groupDepth > 0 else {
      KeyValueViolation.report(
        .tolerated, "endGrouping() was called without beginGrouping(). Call both, or use group(_:)."
      )
      return
    }
    groupDepth -= 1
    guard groupDepth == 0, let group = openGroup else { return }
    openGroup = nil
    if group.slots.isEmpty { return }
    undoLevels.append(group)
    trim()
  }

  // MARK: Undoing

  /// Whether `undo()` would change anything.
  public var canUndo: Bool { undoLevels.contains(where: \.isEffective) }

  /// Whether `redo()` would change anything.
  public var canRedo: Bool { redoLevels.contains(where: \.isEffective) }

  /// Takes back the last level.
  ///
  /// Inside a group, or where a recorded change has begun and not ended, it does nothing and is reported
  /// as tolerated: it could take back only half of something. An announcement by hand that is never
  /// completed is in the way until recording of its key stops.
  ///
  /// - Returns: Whether there was anything to take back.
  /// - Throws: `KeyValueCodingError`, where a value has become another than the recorded changes left it,
  ///   or cannot be set any more. What was done of this level is taken back then, and the level stays.
  @discardableResult
  public func undo() throws -> Bool {
    try takeBack(from: \.undoLevels, to: \.redoLevels)
  }

  /// Takes back the last `undo()` that no other change has followed.
  ///
  /// - Returns: Whether there was anything to take back.
  /// - Throws: As `undo()`.
  @discardableResult
  public func redo() throws -> Bool {
    try takeBack(from: \.redoLevels, to: \.undoLevels)
  }

  /// Forgets all changes; goes on recording.
  public func removeAll() {
    let forgotten = (undoLevels, redoLevels, begun, openGroup)
    defer { withExtendedLifetime(forgotten) {} }
    undoLevels = []
    redoLevels = []
    begun = []
    openGroup = openGroup.map { _ in UndoLevel() }
    guard let transaction = Transaction.current else { return }
    // Not even one that is rolled back brings them again.
    knownTransaction = nil
    keepLevels(of: transaction)
  }

  private func takeBack(
    from source: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>,
    to destination: ReferenceWritableKeyPath<KeyValueChangeRecorder, [UndoLevel]>
  ) throws -> Bool {
    guard isAtRest() else { return false }
    replace(source, with: self[keyPath: source].filter(\.isEffective))
    if self[keyPath: source].isEmpty { return false }
    if let transaction = Transaction.current { keepLevels(of: transaction) }
    let level = self[keyPath: source].removeLast()
    // What dies with it may make changes, which are no part of the undoing.
    defer { withExtendedLifetime(level) {} }
    let opposite = UndoLevel()
    activity = .undoing(into: opposite)
    defer { activity = .recording }
    do {
      for change in level.changes.reversed() {
        let count = opposite.slots.count
        try change.undo()
        // A key that is announced by hand may have been set in silence.
        if opposite.slots.count == count { opposite.append(change.inverse) }
      }
    } catch {
      activity = .recovering
      for change in opposite.changes.reversed() { try? change.undo() }
      self[keyPath: source].append(level)
      throw error
    }
    self[keyPath: destination].append(opposite)
    return true
  }

  private func isAtRest() -> Bool {
    forgetOrphans()
    guard case .recording = activity, groupDepth == 0, begun.isEmpty else {
      KeyValueViolation.report(
        .tolerated,
        "undo() or redo() was called inside a group or inside a recorded change, and did nothing. "
          + "Call it when the change is complete.")
      return false
    }
    return true
  }
}

// MARK: Paths

extension KeyValueChangeRecorder {
  /// The object that has the last key of a path now, and that key.
  private func leaf(
    of root: any KeyValueObservable, _ keyPath: String
  ) -> (object: (any KeyValueObservable)?, key: String) {
    guard let path = try? ParsedKeyPath.parsed(keyPath), let key = path.components.last?.name
    else { return (nil, keyPath) }
    guard let owner = path.owner else { return (root, key) }
    return ((try? owner.value(ofObject: root)) as? any KeyValueObservable, key)
  }

  private func checkRecordable(_ keyPath: String, of root: any KeyValueObservable) throws {
    let path = try ParsedKeyPath(keyPath)
    if path.hasOperator {
      throw KeyValueCodingError.readOnly(
        .init(
          type: root.schema.name, key: path.components[path.firstOperator].name,
          keyPath: keyPath, reason: "it is an operator"))
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
    // A key that does not exist is for observing to say, which knows the whole path.
    guard let object, let property = object.schema.property(key), !property.isSettable else {
      return
    }
    let accessors = object.schema.accessors(key)
    if accessors?.mutatesArray == true || accessors?.mutatesSet == true { return }
    throw KeyValueCodingError.readOnly(key, of: object)
  }
}
