/// Records the changes of chosen keys and undoes them.
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
/// The recorder knows only what observers receive, and needs nothing from the classes. Each change
/// is undone as what it was: a setting by setting the old value, an insertion by a removal at the
/// same indexes through the proxy, set algebra by its opposite. Observers therefore get the undo
/// with exact kinds and indexes.
///
/// An undo is recorded too, and `redo()` reverts it. A new change discards what could be redone.
/// Each change is a level, together with what observers and bindings do in response to it; so is a group or a
/// transaction. Undoing a level is one transaction. A change that something other than the recorder has overwritten
/// isn't undone: `undo()` throws, and changes nothing.
///
/// `record(graph:)` records all that strong stored relationships lead to from an object, also what
/// belongs to it only later:
///
/// ```swift
/// try recorder.record(graph: company)
/// company.employees[0].salary += 10
/// company.employees.removeAll()
/// try recorder.undo()                          // the same employees are back
/// ```
///
/// The recorder retains old and new values as long as their levels exist. It retains a recorded graph, but not the
/// objects of recorded paths. A level is skipped if all its objects have died; in other levels, only the changes of
/// dead objects are skipped.
///
/// Limits: unannounced changes of recorded paths aren't recorded; those of a recorded graph's `@NotifiesManually`
/// keys are. A manually announced key is set without an announcement unless its setter makes one. A collection that
/// is changed in place or assigned is recorded as a whole value; one that is changed through a proxy is recorded
/// element by element. Observers that change recorded keys in response to a change do so in response to its undo too.
/// What they set then can be undone and redone with it.
///
/// Threading: use a recorder and what it records in one place, as with a document's model. Release the recorder
/// there, too, while its objects are in use.
///
/// Source of the behaviour: this library's; the names are those of Cocoa's `NSUndoManager`.
public final class KeyValueChangeRecorder {
  enum Activity {
    case recording
    case undoing(into: UndoLevel)
  }

  // Unchecked, here and in the levels: a recorder is used in one place, and what is taken out of a property is
  // retained until the access has ended, so that nothing that dies there can access it again.
  @exclusivity(unchecked) var undoLevels: [UndoLevel] = []
  @exclusivity(unchecked) var redoLevels: [UndoLevel] = []
  /// Changes in progress, innermost last.
  @exclusivity(unchecked) var begun: [UndoSlot] = [] {
    didSet { scope.begunCount = begun.count }
  }
  @exclusivity(unchecked) var activity = Activity.recording
  /// The level that takes what is recorded now.
  ///
  /// It's open from the beginning of a group, or of a change, until all observers of its changes have been called.
  @exclusivity(unchecked) var openLevel: UndoLevel?
  @exclusivity(unchecked) var groupDepth = 0
  /// How many of the open groups aren't transactions.
  @exclusivity(unchecked) var ownGroupDepth = 0
  /// What the open level has discarded of what could be redone, which comes back if the level changes nothing.
  @exclusivity(unchecked) var redoBeforeLevel: [UndoLevel] = []
  /// What is noted of the open transaction, whose parts may be rolled back.
  @exclusivity(unchecked) var journal: UndoJournal?
  // A merged change couldn't be undone, because its parts may concern keys of different objects.
  lazy var observer = KeyValueObserverController(owner: self, scope: scope)
  /// The changes of recorded paths that are being told.
  let scope = RecordingScope()
  /// The recordings of paths that lead through a collection.
  var elementRecordings: [ElementRecording] = []
  var keys = RecordedKeys()
  /// The graphs that are recorded as a whole.
  var graphs: [RecordedGraph] = []

  /// The maximum number of levels, of which the newest are kept; 0 means no limit.
  @exclusivity(unchecked) public var levelsOfUndo: Int {
    didSet { trim() }
  }

  /// Creates a recorder that records nothing yet.
  public init(levelsOfUndo: Int = 0) {
    self.levelsOfUndo = levelsOfUndo
    scope.recorder = Unmanaged.passUnretained(self)
  }

  deinit {
    scope.recorder = nil
    #if DEBUG || KVO_AUDIT
      reportIfUseless()
    #endif
  }

  #if DEBUG || KVO_AUDIT
    /// Nil until something is recorded.
    var lifetime: TokenLifetime?

    private func reportIfUseless() {
      guard let lifetime else { return }
      observer.reportIfUseless(keptBy: .recorder, since: lifetime)
      for recording in elementRecordings { recording.reportIfUseless(since: lifetime) }
    }
  #endif
}

extension KeyValueChangeRecorder: CustomStringConvertible {
  /// The numbers of recorded key paths and of levels:
  /// `KeyValueChangeRecorder(2 key paths, 3 levels to undo, 0 to redo)`.
  public var description: String {
    let count = observer.count + elementRecordings.count
    let graphs =
      graphs.isEmpty ? "" : "\(graphs.count) graph\(graphs.count == 1 ? "" : "s"), "
    let levels = undoLevels.count + (canUndoOpenLevel ? 1 : 0)
    return "KeyValueChangeRecorder(\(graphs)\(count) key path\(count == 1 ? "" : "s"), "
      + "\(levels) level\(levels == 1 ? "" : "s") to undo, "
      + "\(redoLevels.count) to redo)"
  }
}
